#include "model/config.h"

#include <cmath>

#include "base/error.h"

namespace headscope {
namespace {

constexpr Index kLargestWidth = 65536;
constexpr Index kLargestCount = 10000000;

void check_range(const char* key, Index value, Index low, Index high) {
  if (value >= low && value <= high) return;
  throw Error(ErrorCode::kBadArgument, "config: " + std::string(key) + " is " +
                                           std::to_string(value) + ", expected " +
                                           std::to_string(low) + " to " + std::to_string(high));
}

void check_divides(const char* key, Index width, Index heads) {
  if (width % heads == 0) return;
  throw Error(ErrorCode::kBadArgument,
              "config: " + std::string(key) + " is " + std::to_string(width) +
                  ", expected a multiple of n_heads = " + std::to_string(heads));
}

void check_positive(const char* key, double value) {
  if (std::isfinite(value) && value > 0) return;
  throw Error(ErrorCode::kBadArgument, "config: " + std::string(key) + " is " +
                                           std::to_string(value) + ", expected a positive number");
}

}  // namespace

void check_config(const Config& config) {
  check_range("n_layers", config.n_layers, 1, 1000);
  check_range("n_heads", config.n_heads, 1, kLargestWidth);
  check_range("d_model", config.d_model, 1, kLargestWidth);
  check_range("d_input", config.d_input, 1, kLargestWidth);
  check_range("d_ff", config.d_ff, 1, 4 * kLargestWidth);
  check_range("vocab_size", config.vocab_size, 1, kLargestCount);
  check_range("max_tokens", config.max_tokens, 1, kLargestCount);
  check_range("token_types", config.token_types, 0, kLargestWidth);
  check_divides("d_model", config.d_model, config.n_heads);
  check_divides("d_input", config.d_input, config.n_heads);
  check_positive("norm_epsilon", config.norm_epsilon);
  check_positive("embedding_scale", config.embedding_scale);
  if (config.attention_scale != 0.0) check_positive("attention_scale", config.attention_scale);
  require(!config.pooler || config.pooling != Pooling::kNone, ErrorCode::kBadArgument,
          "config: pooler is 'tanh' but pooling is 'none', expected pooling 'mean' or 'first'");
  check_position(config.position, config.d_input, config.head_width(0));
  check_position(config.position, config.d_input, config.d_model / config.n_heads);
}

void check_position(const PositionOptions& position, Index embedding_width, Index head_width) {
  switch (position.kind) {
    case PositionKind::kNone:
    case PositionKind::kLearned:
    case PositionKind::kAlibi:
      return;
    case PositionKind::kSinusoidal:
      check_positive("position.base", position.base);
      check_range("the width of a sinusoidal position", embedding_width, 1, kLargestWidth);
      require(position.layout != PositionLayout::kHalf, ErrorCode::kBadArgument,
              "config: position.layout is 'half', expected 'interleaved' or 'concatenated' for "
              "sinusoidal");
      return;
    case PositionKind::kRotary:
      check_positive("position.base", position.base);
      check_range("position.dims", position.dims, 0, head_width);
      check_range("position.offset", position.offset, -kLargestCount, kLargestCount);
      require(position.dims % 2 == 0 && (position.dims > 0 || head_width % 2 == 0),
              ErrorCode::kBadArgument,
              "config: rotary turns pairs of columns, expected an even position.dims (or an even "
              "d_head)");
      require(
          position.layout != PositionLayout::kConcatenated, ErrorCode::kBadArgument,
          "config: position.layout is 'concatenated', expected 'interleaved' or 'half' for rotary");
      return;
    case PositionKind::kT5:
      check_range("position.buckets", position.buckets, 4, kLargestWidth);
      require(position.buckets % 2 == 0, ErrorCode::kBadArgument,
              "config: position.buckets is odd, expected an even number");
      check_range("position.max_distance", position.max_distance, position.buckets / 2 + 1,
                  kLargestCount);
      return;
    case PositionKind::kShaw:
      check_range("position.clip", position.clip, 0, kLargestWidth);
      return;
  }
}

}  // namespace headscope
