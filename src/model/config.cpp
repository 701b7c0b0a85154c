#include "model/config.h"

#include <cmath>
#include <limits>

#include "base/error.h"

namespace headscope {
namespace {

constexpr Index kLargestWidth = 65536;
constexpr Index kLargestCount = 10000000;

[[noreturn]] void refuse(Pieces what, Piece got, Pieces expected) {
  fail(ErrorCode::kBadArgument, {text_of(what), " is ", got, ", expected ", text_of(expected)});
}

void check_range(Pieces what, Index value, Index low, Index high) {
  if (value < low || value > high) refuse(what, value, {low, " to ", high});
}

void check_divides(const char* what, Index width, Index heads) {
  if (width % heads != 0) refuse({what}, width, {"a multiple of n_heads = ", heads});
}

void check_positive(Pieces what, double value) {
  // In float32 what is smaller is 0 and what is larger infinite; of such a base, which is computed
  // with in double, no angle would mean anything.
  using Limits = std::numeric_limits<float>;
  if (value >= Limits::min() && value <= Limits::max()) return;
  refuse(what, value, {"a positive number of float32"});
}

void check_rotary(const PositionOptions& position, Index head_width, const std::string& where) {
  check_positive({where, ".base"}, position.base);
  check_range({where, ".dims"}, position.dims, 0, head_width);
  check_range({where, ".offset"}, position.offset, -kLargestCount, kLargestCount);
  if (position.dims % 2 != 0) {
    refuse({where, ".dims"}, position.dims, {"an even number: columns turn in pairs"});
  }
  if (position.dims == 0 && head_width % 2 != 0) {
    refuse({where, ": the head width"}, head_width,
           {"an even number, or dims: columns turn in pairs"});
  }
  if (position.layout == PositionLayout::kConcatenated) {
    refuse({where, ".layout"}, "'concatenated'", {"'interleaved' or 'half' for rotary"});
  }
}

void check_t5(const PositionOptions& position, const std::string& where) {
  check_range({where, ".buckets"}, position.buckets, 4, kLargestWidth);
  if (position.buckets % 2 != 0) {
    refuse({where, ".buckets"}, position.buckets, {"an even number"});
  }
  check_range({where, ".max_distance"}, position.max_distance, position.buckets / 2 + 1,
              kLargestCount);
}

}  // namespace

void check_config(const Config& config) {
  check_range({"config: n_layers"}, config.n_layers, 1, 1000);
  check_range({"config: n_heads"}, config.n_heads, 1, kLargestWidth);
  check_range({"config: d_model"}, config.d_model, 1, kLargestWidth);
  check_range({"config: d_input"}, config.d_input, 1, kLargestWidth);
  check_range({"config: d_ff"}, config.d_ff, 1, 4 * kLargestWidth);
  check_range({"config: vocab_size"}, config.vocab_size, 1, kLargestCount);
  check_range({"config: max_tokens"}, config.max_tokens, 1, kLargestCount);
  check_range({"config: token_types"}, config.token_types, 0, kLargestWidth);
  check_divides("config: d_model", config.d_model, config.n_heads);
  check_divides("config: d_input", config.d_input, config.n_heads);
  check_positive({"config: norm_epsilon"}, config.norm_epsilon);
  check_positive({"config: embedding_scale"}, config.embedding_scale);
  if (config.attention_scale != 0.0)
    check_positive({"config: attention_scale"}, config.attention_scale);
  require(!config.pooler || config.pooling != Pooling::kNone, ErrorCode::kBadArgument,
          "config: pooler is 'tanh' but pooling is 'none', expected pooling 'mean' or 'first'");
  check_position(config.position, config.d_input, config.head_width(0));
  check_position(config.position, config.d_input, config.d_model / config.n_heads);
}

void check_position(const PositionOptions& position, Index embedding_width, Index head_width,
                    const std::string& where) {
  switch (position.kind) {
    case PositionKind::kNone:
    case PositionKind::kLearned:
    case PositionKind::kAlibi:
      return;
    case PositionKind::kSinusoidal:
      check_positive({where, ".base"}, position.base);
      check_range({where, ": the width of the embedding"}, embedding_width, 1, kLargestWidth);
      if (position.layout == PositionLayout::kHalf) {
        refuse({where, ".layout"}, "'half'", {"'interleaved' or 'concatenated' for sinusoidal"});
      }
      return;
    case PositionKind::kRotary:
      return check_rotary(position, head_width, where);
    case PositionKind::kT5:
      return check_t5(position, where);
    case PositionKind::kShaw:
      return check_range({where, ".clip"}, position.clip, 0, kLargestWidth);
  }
}

}  // namespace headscope
