#pragma once

#include "kernels/panel_product.h"
#include "kernels/simd.h"

namespace headscope {

/// Adds bias and residual to the scaled sums of a tile and writes them. The sums of the left four
/// columns and of the right four are apart, as they lie in registers.
template <int kRows>
inline void write_tile(const PanelOutput& output, F32x4 (&left)[kRows], F32x4 (&right)[kRows]) {
  const F32x4 bias_left = load(output.bias), bias_right = load(output.bias + kLanes);
  const float* residual = output.residual;
  float* c = output.c;
  HEADSCOPE_UNROLL
  for (int i = 0; i < kRows; ++i) {
    left[i] += bias_left;
    right[i] += bias_right;
    if (residual) {
      left[i] += load(residual);
      right[i] += load(residual + kLanes);
      residual += output.residual_stride;
    }
    store(c, left[i]);
    store(c + kLanes, right[i]);
    c += output.c_stride;
  }
}

/// Multiplies `rows` rows in tiles whose heights differ by at most one; kernels[i] does i + 1 rows.
template <class Tile, std::size_t kHeights>
void multiply_tiles(Tile& tile, Index rows, void (*const (&kernels)[kHeights])(const Tile&)) {
  constexpr Index kHighest = static_cast<Index>(kHeights);
  const Index tiles = (rows + kHighest - 1) / kHighest;
  const Index height = rows / tiles, higher = rows % tiles;
  for (Index i = 0; i < tiles; ++i) {
    const Index tile_rows = height + (i < higher ? 1 : 0);
    kernels[tile_rows - 1](tile);
    tile.skip_rows(tile_rows);
  }
}

}  // namespace headscope
