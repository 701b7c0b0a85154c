#include "model/feed_forward.h"

#include <catch_amalgamated.hpp>
#include <cmath>
#include <map>

#include "fixtures.h"

namespace headscope {
namespace {

using fixtures::Json;

const std::map<std::string, Activation> kActivations = {
    {"relu", Activation::kRelu},          {"gelu", Activation::kGelu},
    {"gelu_tanh", Activation::kGeluTanh}, {"silu", Activation::kSilu},
    {"sigmoid", Activation::kSigmoid},
};

PackedMatrix packed(const Json& tensor) {
  const Matrix plain = fixtures::matrix(tensor);
  PackedMatrix result(plain.rows(), plain.cols());
  pack(view(plain), result.panels());
  return result;
}

Matrix output_of(const Json& fixture) {
  const Json& in = fixture["in"];
  const bool gated = in.contains("Wg");
  const auto b1 = fixtures::vector_or_empty(in, gated ? "bu" : "b1"),
             b2 = fixtures::vector_or_empty(in, "b2"), b_gate = fixtures::vector_or_empty(in, "bg");
  const auto pointer = [](const std::vector<float>& bias) {
    return bias.empty() ? nullptr : bias.data();
  };
  FeedForwardWeights weights;
  weights.w1 = packed(in[gated ? "Wu" : "W1"]);
  weights.w2 = packed(in["W2"]);
  if (gated) weights.w_gate = packed(in["Wg"]);
  weights.b1 = pointer(b1);
  weights.b_gate = pointer(b_gate);
  const Matrix x = fixtures::matrix(in["X"]);
  Matrix hidden(x.rows(), weights.w1.cols()), gate(x.rows(), weights.w_gate.cols()),
      output(x.rows(), weights.w2.cols());
  Context context(1);
  compute_hidden(context, weights,
                 kActivations.at(fixture["attrs"]["activation"].get<std::string>()), view(x),
                 {view(hidden), view(gate)});
  multiply(context, view(std::as_const(hidden)), weights.w2, {.bias = pointer(b2)}, view(output));
  return output;
}

}  // namespace

TEST_CASE("plain and gated feed-forward networks agree with the reference") {
  for (const Json& fixture : fixtures::cases("ffn")) {
    if (!fixture["in"].contains("X")) continue;
    const Matrix output = output_of(fixture);
    fixtures::check_output(fixture, "output", view(output));
  }
}

TEST_CASE("every activation agrees with the reference") {
  for (const Json& fixture : fixtures::cases("ffn", "activation")) {
    Matrix x = fixtures::matrix(fixture["in"]["x"]);
    activate(kActivations.at(fixture["attrs"]["activation"].get<std::string>()),
             {x.data(), static_cast<std::size_t>(x.size())});
    fixtures::check_output(fixture, "y", view(std::as_const(x)));
  }
}

TEST_CASE("no activation makes a NaN of an infinity") {
  for (const auto& [name, activation] : kActivations) {
    INFO(name);
    std::vector<float> x = {-INFINITY, INFINITY, -3e38f, 3e38f};
    activate(activation, x);
    CHECK(x[0] == 0);
    CHECK(x[2] == 0);
    CHECK((name == "sigmoid" ? x[1] == 1 && x[3] == 1 : x[1] == INFINITY && x[3] == 3e38f));
  }
}

}  // namespace headscope
