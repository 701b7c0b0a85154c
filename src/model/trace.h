#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/view.h"

namespace headscope {

/// What a forward pass can be asked to keep. The order is the one JavaScript numbers them by.
enum class Capture : std::int32_t {
  kEmbeddings,         // [T, D_in] layer 0's input
  kQuery,              // [T, K] per head, as it enters the scores (after a rotary turn)
  kKey,                // [T, K] per head, likewise
  kValue,              // [T, K] per head
  kScores,             // [T, T] per head: scaled, with position bias, before the mask
  kAttention,          // [T, T] per head: rows sum to 1
  kContext,            // [T, K] per head: weights times values, before the gate
  kAttentionOutput,    // [T, D] per layer: before the residual is added
  kFeedForward,        // [T, D] per layer: before the residual is added
  kHidden,             // [T, D] per layer: the layer's output
  kOutput,             // [T, D] after the final norm
  kNormed1,            // [T, D_in] per layer, pre-LN only: input of the attention
  kConcat,             // [T, D_in] per layer: gated contexts side by side, input of W^O
  kAfterAttention,     // [T, D] per layer: input of the second sublayer's residual
  kNormed2,            // [T, D] per layer, pre-LN only: input of the feed-forward network
  kFeedForwardHidden,  // [T, F] per layer: after the activation
};
inline constexpr int kCaptures = 16;

/// The capture that JavaScript calls `name`, for example "attention_output". Throws bad-argument,
/// with the names there are, for any other word.
Capture capture_named(const std::string& name);

/// What one sequence's forward pass kept: one float arena and a directory of what lies where.
class Trace {
 public:
  struct Entry {
    Capture capture;
    std::int32_t layer;  // -1: belongs to no layer
    std::int32_t head;   // -1: belongs to no head
    std::int32_t rows;
    std::int32_t cols;
    std::int32_t offset;  // in floats
  };

  /// Makes room for one matrix per head (heads > 0) or for one matrix (heads = 0). Throws
  /// out-of-memory where the arena would pass 2 GiB.
  void reserve(Capture capture, Index layer, Index heads, Index rows, Index cols);
  /// Allocates the arena; every reserve comes before it.
  void allocate();

  bool has(Capture capture, Index layer) const { return first_entry(capture, layer) >= 0; }
  /// The matrix reserved for it. Only where has() is true.
  MatrixView matrix(Capture capture, Index layer, Index head = 0);

  std::span<const Entry> entries() const { return entries_; }
  ConstVectorView arena() const { return arena_; }

 private:
  int first_entry(Capture capture, Index layer) const;

  std::vector<Entry> entries_;
  std::array<std::vector<int>, kCaptures>
      first_;  // by layer + 1: index of head 0's entry, -1 for none
  std::uint64_t floats_ = 0;
  std::vector<float> arena_;
};

}  // namespace headscope
