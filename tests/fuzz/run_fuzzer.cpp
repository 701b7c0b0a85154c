// Runs with arbitrary requests, on encoders that the fuzzer chooses among.

#include <memory>

#include "fuzzed_model.h"

namespace headscope::fuzz {
namespace {

constexpr PositionKind kKinds[] = {
    PositionKind::kNone,  PositionKind::kSinusoidal, PositionKind::kLearned, PositionKind::kRotary,
    PositionKind::kAlibi, PositionKind::kT5,         PositionKind::kShaw};

std::unique_ptr<Encoder> make_encoder(PositionKind kind, WeightFormat format) {
  Config config;
  config.n_layers = 3;
  config.n_heads = 3;
  config.d_model = 18;
  config.d_input = kind == PositionKind::kRotary || kind == PositionKind::kLearned ? 12 : 18;
  config.d_ff = 13;
  config.vocab_size = 9;
  config.max_tokens = 30;
  config.token_types = kind == PositionKind::kLearned ? 2 : 0;
  config.gated = kind == PositionKind::kT5;
  config.activation = Activation::kSilu;
  config.norm = kind == PositionKind::kShaw ? NormPlacement::kPost : NormPlacement::kPre;
  config.pooling = Pooling::kMean;
  config.pooler = kind == PositionKind::kAlibi;
  config.position.kind = kind;
  config.position.clip = 3;
  auto encoder = std::make_unique<Encoder>(config, format);
  encoder->parameters().initialise(7);
  encoder->finish();
  return encoder;
}

const std::vector<std::unique_ptr<Encoder>>& encoders() {
  static const auto made = [] {
    std::vector<std::unique_ptr<Encoder>> list;
    for (const PositionKind kind : kKinds) {
      list.push_back(make_encoder(kind, WeightFormat::kFloat32));
      list.push_back(make_encoder(kind, WeightFormat::kInt8Wide));
    }
    return list;
  }();
  return made;
}

void run_any(FuzzedDataProvider& data) {
  static Context single(1);
  static Context threaded(2);
  const auto& list = encoders();
  Encoder& encoder = *list[data.ConsumeIntegralInRange<std::size_t>(0, list.size() - 1)];
  Context& context = is_rare(data, 8) ? threaded : single;
  const Index steps = data.ConsumeIntegralInRange<Index>(0, 3);
  run_model(context, encoder, any_request(data, encoder.config()), steps, true);
}

}  // namespace
}  // namespace headscope::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  FuzzedDataProvider data(bytes, size);
  headscope::fuzz::attempt([&] { headscope::fuzz::run_any(data); });
  return 0;
}
