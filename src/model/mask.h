#pragma once

#include <cstdint>
#include <span>

#include "base/view.h"

namespace headscope {

/// Which keys a query may see. All parts apply together.
struct Mask {
  bool causal = false;                       // query i sees keys j <= i
  std::span<const std::uint8_t> valid_keys;  // [M], 0 hides a key; empty: all may be seen
  std::span<const ConstMatrixView>
      additive;  // [T, M] each, added to the scores; one for all heads or one per head
};

/// Applies the mask to the scores [rows, M] of queries first .. first + rows - 1 of one head: what
/// is forbidden becomes -infinity.
void apply_mask(const Mask& mask, Index head, Index first, MatrixView scores);

}  // namespace headscope
