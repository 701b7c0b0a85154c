#include "fuzzed_model.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace headscope::fuzz {
namespace {

bool is_tame_position(const PositionOptions& position) {
  // A base below 1 makes wavelengths shorter with every pair of columns: angles of any size.
  return std::isfinite(position.base) && position.base >= 1.0;
}

/// A width that the heads share evenly, as a rule.
Index any_width(FuzzedDataProvider& data, Index heads) {
  if (is_rare(data)) return data.ConsumeIntegral<Index>();
  return heads * data.ConsumeIntegralInRange<Index>(1, 5);
}

}  // namespace

bool is_rare(FuzzedDataProvider& data, int once_in) {
  // An input that has ended gives zeros: the usual.
  return data.ConsumeIntegralInRange<int>(0, once_in - 1) == once_in - 1;
}

Index any_count(FuzzedDataProvider& data, Index low, Index high) {
  if (is_rare(data)) return data.ConsumeIntegral<Index>();
  return data.ConsumeIntegralInRange<Index>(low, high);
}

double any_number(FuzzedDataProvider& data, double usual) {
  if (is_rare(data)) return std::bit_cast<double>(data.ConsumeIntegral<std::uint64_t>());
  return usual * data.ConsumeIntegralInRange<int>(1, 16) / 8;
}

PositionOptions any_position(FuzzedDataProvider& data) {
  PositionOptions position;
  position.kind = data.PickValueInArray(
      {PositionKind::kNone, PositionKind::kSinusoidal, PositionKind::kLearned,
       PositionKind::kRotary, PositionKind::kAlibi, PositionKind::kT5, PositionKind::kShaw});
  position.base = any_number(data, 10000.0);
  position.layout = data.PickValueInArray(
      {PositionLayout::kInterleaved, PositionLayout::kConcatenated, PositionLayout::kHalf});
  position.dims = any_count(data, 0, 4);
  position.offset = any_count(data, -5, 5);
  position.buckets = any_count(data, 2, 40);
  position.max_distance = any_count(data, 1, 200);
  position.clip = any_count(data, 0, 20);
  return position;
}

Config any_config(FuzzedDataProvider& data) {
  Config config;
  config.n_layers = any_count(data, 1, 3);
  config.n_heads = any_count(data, 1, 3);
  const Index heads = std::clamp<Index>(config.n_heads, 1, 4);
  config.d_model = any_width(data, heads);
  config.d_input = data.ConsumeBool() ? config.d_model : any_width(data, heads);
  config.d_ff = any_count(data, 1, 19);
  config.vocab_size = any_count(data, 1, 9);
  config.max_tokens = any_count(data, 1, 30);
  config.token_types = any_count(data, 0, 2);
  config.activation =
      data.PickValueInArray({Activation::kRelu, Activation::kGelu, Activation::kGeluTanh,
                             Activation::kSilu, Activation::kSigmoid});
  config.gated = data.ConsumeBool();
  config.norm = data.PickValueInArray({NormPlacement::kPre, NormPlacement::kPost});
  config.norm_epsilon = any_number(data, 1e-5);
  config.final_norm = data.ConsumeBool();
  config.embedding_norm = data.ConsumeBool();
  config.embedding_scale = any_number(data, 1.0);
  config.bias = data.ConsumeBool();
  config.causal = data.ConsumeBool();
  config.pooler = data.ConsumeBool();
  config.normalize = data.ConsumeBool();
  config.pooling = data.PickValueInArray({Pooling::kMean, Pooling::kFirst, Pooling::kNone});
  config.attention_scale = data.ConsumeBool() ? 0.0 : any_number(data, 1.0);
  config.position = any_position(data);
  return config;
}

RunRequest any_request(FuzzedDataProvider& data, const Config& config) {
  RunRequest request;
  const int sequences = data.ConsumeIntegralInRange<int>(0, 3);
  for (int i = 0; i < sequences; ++i) {
    TokenSequence sequence;
    const Index tokens = data.ConsumeIntegralInRange<Index>(0, 35);
    const bool has_segments = data.ConsumeBool();
    for (Index t = 0; t < tokens; ++t) {
      sequence.ids.push_back(
          static_cast<std::int32_t>(any_count(data, 0, std::min<Index>(config.vocab_size, 9) - 1)));
      // JavaScript gives as many segments as ids, or none.
      if (has_segments)
        sequence.segments.push_back(static_cast<std::int32_t>(any_count(data, 0, 1)));
    }
    request.sequences.push_back(std::move(sequence));
  }
  const std::uint32_t captures = data.ConsumeIntegral<std::uint16_t>();
  for (int i = 0; i < kCaptures; ++i) {
    if (captures >> i & 1u) request.capture.push_back(static_cast<Capture>(i));
  }
  if (data.ConsumeBool()) {
    request.layers.emplace();
    const int layers = data.ConsumeIntegralInRange<int>(0, 3);
    for (int i = 0; i < layers; ++i) request.layers->push_back(any_count(data, 0, 2));
  }
  const int gates = data.ConsumeIntegralInRange<int>(0, 3);
  for (int i = 0; i < gates; ++i) {
    // JavaScript lets no other numbers through than finite ones of float32.
    const float gate = std::bit_cast<float>(data.ConsumeIntegral<std::uint32_t>());
    request.gates.push_back(
        {any_count(data, 0, 2), any_count(data, 0, 2), std::isfinite(gate) ? gate : 0.5f});
  }
  request.mask =
      data.PickValueInArray({MaskChoice::kModel, MaskChoice::kBidirectional, MaskChoice::kCausal});
  if (data.ConsumeBool()) request.position = any_position(data);
  return request;
}

double count_floats(const Config& config) {
  const auto number = [](Index value) { return static_cast<double>(value); };
  const double d = number(config.d_model) + number(config.d_input);
  const double relative =
      config.position.kind == PositionKind::kShaw ? 4 * number(config.position.clip) + 2 : 0;
  const double layer = 4 * d * d + 4 * d * number(config.d_ff) + 16 * d + relative * d;
  const double rows = number(config.vocab_size) + number(config.max_tokens) +
                      number(config.token_types) + number(config.position.buckets);
  return number(config.n_layers) * layer + rows * (d + number(config.n_heads)) + d * d;
}

bool is_tame(const Config& config) {
  return config.embedding_scale <= kTame && config.attention_scale <= kTame &&
         is_tame_position(config.position);
}

bool is_tame(const RunRequest& request) {
  return std::all_of(request.gates.begin(), request.gates.end(),
                     [](const Gate& gate) { return std::abs(gate.gate) <= kTame; }) &&
         (!request.position || is_tame_position(*request.position));
}

void run_model(Context& context, Encoder& encoder, RunRequest request, Index steps, bool tame) {
  tame = tame && is_tame(request);
  Run run(context, encoder, std::move(request));
  for (Index step = 0; step < steps; ++step) {
    if (run.step()) continue;
    for (Index i = 0; tame && i < run.sequences(); ++i) {
      check_finite(run.trace(i).arena(), "a capture");
      check_finite(run.pooled(i), "a sentence vector");
    }
    return;
  }
}

}  // namespace headscope::fuzz
