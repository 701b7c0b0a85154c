#include "kernels/gemm.h"

#include <utility>

#include "kernels/tile.h"

namespace headscope {
namespace {

/// Some rows of a and one panel of b.
struct Tile {
  const float* a;
  Index a_stride;
  const float* panel;
  Index depth;  // K
  float scale;
  PanelOutput output;

  void skip_rows(Index rows) {
    a += rows * a_stride;
    output.skip_rows(rows);
  }
};

/// c = scale * a b + bias + residual for the first kRows rows of a tile. V8 keeps all sums in
/// registers only if the loop over k stays a loop and is the only one of its function.
template <int kRows>
void multiply_tile(const Tile& tile) {
  F32x4 left[kRows], right[kRows];
  const float* a[kRows];
  HEADSCOPE_UNROLL
  for (int i = 0; i < kRows; ++i) {
    left[i] = right[i] = splat(0.0f);
    a[i] = tile.a + i * tile.a_stride;
  }
  const float* b = tile.panel;
  HEADSCOPE_KEEP_LOOP
  for (Index k = tile.depth; k > 0; --k) {
    const F32x4 b_left = load(b), b_right = load(b + kLanes);
    b += kPanelWidth;
    HEADSCOPE_UNROLL
    for (int i = 0; i < kRows; ++i) {
      const F32x4 x = load_splat(a[i]++);
      left[i] = madd(x, b_left, left[i]);
      right[i] = madd(x, b_right, right[i]);
    }
  }
  const F32x4 scale = splat(tile.scale);
  HEADSCOPE_UNROLL
  for (int i = 0; i < kRows; ++i) {
    left[i] *= scale;
    right[i] *= scale;
  }
  write_tile(tile.output, left, right);
}

template <int... kRows>
void multiply_all_tiles(Tile& tile, Index rows, std::integer_sequence<int, kRows...>) {
  static constexpr void (*kKernels[])(const Tile&) = {multiply_tile<kRows + 1>...};
  multiply_tiles(tile, rows, kKernels);
}

class Product final : public PanelProduct {
 public:
  Product(ConstMatrixView a, PackedView b, float scale)
      : PanelProduct(b.panels, {.panel_bytes = b.rows * kPanelWidth * kFloatBytes,
                                .row_bytes = b.rows * kFloatBytes,
                                .depth = b.rows,
                                .cols = b.cols}),
        a_(a),
        scale_(scale) {}

  void multiply_rows(Index row, Index rows, Index index, PanelOutput output) const override {
    const Index stride = a_.outerStride();
    Tile tile = {a_.data() + row * stride,
                 stride,
                 static_cast<const float*>(panel(index)),
                 depth(),
                 scale_,
                 output};
    multiply_all_tiles(tile, rows, std::make_integer_sequence<int, kTileRows>());
  }

 private:
  static constexpr Index kFloatBytes = sizeof(float);
  ConstMatrixView a_;
  float scale_;
};

}  // namespace

void multiply(ConstMatrixView a, PackedView b, const Epilogue& epilogue, MatrixView c) {
  multiply_panels(Product(a, b, epilogue.scale), epilogue, c);
}

void multiply(Context& context, ConstMatrixView a, PackedView b, const Epilogue& epilogue,
              MatrixView c) {
  multiply_panels(context, Product(a, b, epilogue.scale), epilogue, c);
}

}  // namespace headscope
