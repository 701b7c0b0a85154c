#include "encoder_fixture.h"

#include <catch_amalgamated.hpp>
#include <map>
#include <utility>

namespace headscope::fixtures {
namespace {

const std::map<std::string, Activation> kActivations = {{"relu", Activation::kRelu},
                                                        {"gelu", Activation::kGelu},
                                                        {"gelu_tanh", Activation::kGeluTanh},
                                                        {"silu", Activation::kSilu}};

Config config_of(const Json& attrs, Index vocab) {
  Config config;
  config.n_layers = attrs["L"].get<Index>();
  config.n_heads = attrs["h"].get<Index>();
  config.d_model = config.d_input = attrs["d"].get<Index>();
  config.d_ff = attrs["ff"].get<Index>();
  config.vocab_size = config.max_tokens = vocab;
  config.activation = kActivations.at(attrs["activation"].get<std::string>());
  config.norm = attrs["placement"] == "pre" ? NormPlacement::kPre : NormPlacement::kPost;
  config.norm_epsilon = attrs["eps"].get<double>();
  config.final_norm = attrs["final_norm"].get<bool>();
  config.causal = attrs["causal"].get<bool>();
  return config;
}

/// The fixture's name of a parameter: layers.0.attention.wq is L0.Wq.
std::string fixture_name(const std::string& name) {
  if (name == "final_norm.gamma") return "final_g";
  if (name == "final_norm.beta") return "final_b";
  static const std::map<std::string, std::string> kNames = {
      {"attention.wq", "Wq"},    {"attention.bq", "bq"},    {"attention.wk", "Wk"},
      {"attention.bk", "bk"},    {"attention.wv", "Wv"},    {"attention.bv", "bv"},
      {"attention.wo", "Wo"},    {"attention.bo", "bo"},    {"norm1.gamma", "ln1_g"},
      {"norm1.beta", "ln1_b"},   {"feed_forward.w1", "W1"}, {"feed_forward.b1", "b1"},
      {"feed_forward.w2", "W2"}, {"feed_forward.b2", "b2"}, {"norm2.gamma", "ln2_g"},
      {"norm2.beta", "ln2_b"}};
  const auto dot = name.find('.', 7);  // after "layers."
  return "L" + name.substr(7, dot - 7) + "." + kNames.at(name.substr(dot + 1));
}

constexpr Capture kHiddenAndAttention[] = {Capture::kHidden, Capture::kAttention, Capture::kOutput};

}  // namespace

std::unique_ptr<Encoder> encoder_of(const Json& fixture) {
  const Matrix x = matrix(fixture["in"]["X"]);
  auto encoder = std::make_unique<Encoder>(config_of(fixture["attrs"], x.rows()));
  for (const ParameterShape& shape : encoder->parameters().shapes()) {
    Matrix& values = encoder->parameters().values(shape.name);
    values = shape.name == "embeddings.token" ? x : matrix(fixture["in"][fixture_name(shape.name)]);
    REQUIRE(values.rows() == shape.rows);
    REQUIRE(values.cols() == shape.cols);
  }
  encoder->finish();
  return encoder;
}

RunRequest request_of(const std::vector<std::vector<int>>& sequences) {
  RunRequest request;
  for (const auto& ids : sequences) request.sequences.push_back({{ids.begin(), ids.end()}, {}});
  request.capture.assign(std::begin(kHiddenAndAttention), std::end(kHiddenAndAttention));
  return request;
}

Run run_to_end(Context& context, Encoder& encoder, RunRequest request) {
  Run run(context, encoder, std::move(request));
  while (run.step()) {
  }
  return run;
}

}  // namespace headscope::fixtures
