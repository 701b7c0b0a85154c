#include "kernels/int8_gemm.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "kernels/tile.h"

namespace headscope {
namespace {

/// Multiplies two rows of a weight at a time; a product in 16 bits needs a register of its own,
/// which leaves room for one row less.
struct Wide {
  using Integer = std::int16_t;
  static constexpr Int8Kernel kKernel = Int8Kernel::kWide;
  static constexpr int kHighest = kTileRows - 1;
  static constexpr Index kGroup = 2;
  static I16x8 load_panel(const std::int8_t* p) { return load_widened(p); }
  static I16x8 load_row(const std::int16_t* p) { return load_splat_pair(p); }
};

/// Multiplies four rows of a weight at a time.
struct Dot {
  using Integer = std::int8_t;
  static constexpr Int8Kernel kKernel = Int8Kernel::kDot;
  static constexpr int kHighest = kTileRows;
  static constexpr Index kGroup = 4;
  static I8x16 load_panel(const std::int8_t* p) { return load(p); }
  static I8x16 load_row(const std::int8_t* p) { return load_splat_four(p); }
};

/// Some quantised rows and one panel of b.
template <class Kernel>
struct Int8Tile {
  const typename Kernel::Integer* a;
  Index a_stride;
  const std::int8_t* panel;
  Index depth;         // K
  std::int32_t* sums;  // [rows, 8] (out)

  void skip_rows(Index rows) {
    a += rows * a_stride;
    sums += rows * kPanelWidth;
  }
};

/// sums = a b for the first kRows rows of a tile; see multiply_tile of gemm.cpp for the shape of
/// the loop.
template <class Kernel, int kRows>
void multiply_tile(const Int8Tile<Kernel>& tile) {
  I32x4 left[kRows], right[kRows];
  const typename Kernel::Integer* a[kRows];
  HEADSCOPE_UNROLL
  for (int i = 0; i < kRows; ++i) {
    left[i] = right[i] = I32x4{};
    a[i] = tile.a + i * tile.a_stride;
  }
  const std::int8_t* b = tile.panel;
  HEADSCOPE_KEEP_LOOP
  for (Index k = tile.depth; k > 0; k -= Kernel::kGroup) {
    const auto b_left = Kernel::load_panel(b);
    const auto b_right = Kernel::load_panel(b + kLanes * Kernel::kGroup);
    b += kPanelWidth * Kernel::kGroup;
    HEADSCOPE_UNROLL
    for (int i = 0; i < kRows; ++i) {
      const auto x = Kernel::load_row(a[i]);
      a[i] += Kernel::kGroup;
      left[i] = dot_add(x, b_left, left[i]);
      right[i] = dot_add(x, b_right, right[i]);
    }
  }
  HEADSCOPE_UNROLL
  for (int i = 0; i < kRows; ++i) {
    store(tile.sums + i * kPanelWidth, left[i]);
    store(tile.sums + i * kPanelWidth + kLanes, right[i]);
  }
}

template <class Kernel, int... kRows>
void multiply_all_tiles(Int8Tile<Kernel>& tile, Index rows, std::integer_sequence<int, kRows...>) {
  static constexpr void (*kKernels[])(const Int8Tile<Kernel>&) = {
      multiply_tile<Kernel, kRows + 1>...};
  multiply_tiles(tile, rows, kKernels);
}

/// Scales the sums [rows, 8] of quantised rows and one panel, and writes them.
struct Int8Scaling {
  float scale;
  const float* row_scales;
  const std::int32_t* row_sums;
  const float* panel_scales;  // [8]
  std::int32_t offset;        // that the weights were stored with

  void write(const std::int32_t* sums, Index rows, PanelOutput output) const {
    const F32x4 scales_left = load(panel_scales), scales_right = load(panel_scales + kLanes);
    for (Index i = 0; i < rows; ++i) {
      // The offset adds as much to every sum of the row.
      const std::int32_t excess = offset * row_sums[i];
      const I32x4 excesses = {excess, excess, excess, excess};
      const F32x4 row_scale = splat(scale * row_scales[i]);
      F32x4 left[] = {to_float(load(sums) - excesses) * (row_scale * scales_left)};
      F32x4 right[] = {to_float(load(sums + kLanes) - excesses) * (row_scale * scales_right)};
      write_tile(output, left, right);
      output.skip_rows(1);
      sums += kPanelWidth;
    }
  }
};

template <class Kernel>
class Int8Product final : public PanelProduct {
 public:
  using Rows = QuantisedRows<typename Kernel::Integer>;

  Int8Product(const Rows& rows, Int8View b, float scale)
      : PanelProduct(b.panels, {.panel_bytes = b.panel_bytes(),
                                .row_bytes = rows.stride * kIntegerBytes,
                                .depth = b.rows,
                                .cols = b.cols}),
        rows_(rows),
        scales_(b.scales),
        offset_(b.offset),
        scale_(scale) {}

  void multiply_rows(Index row, Index rows, Index index, PanelOutput output) const override {
    std::int32_t sums[kRowBlock * kPanelWidth];
    Int8Tile<Kernel> tile = {rows_.values + row * rows_.stride, rows_.stride,
                             static_cast<const std::int8_t*>(panel(index)), depth(), sums};
    multiply_all_tiles(tile, rows, std::make_integer_sequence<int, Kernel::kHighest>());
    const Int8Scaling scaling = {scale_, rows_.scales + row, rows_.sums + row,
                                 scales_ + index * kPanelWidth, offset_};
    scaling.write(sums, rows, output);
  }

 private:
  static constexpr Index kIntegerBytes = sizeof(typename Kernel::Integer);
  Rows rows_;
  const float* scales_;
  std::int32_t offset_;
  float scale_;
};

/// Rows in the scratch of the calling thread, which nobody else touches during a product.
template <class Integer>
QuantisedRows<Integer> reserve_rows(Context& context, Index rows, Index depth) {
  constexpr Index kAlign = 4;  // integers; the largest group
  const Index stride = (depth + kAlign - 1) / kAlign * kAlign;
  const Index words =
      rows * stride * static_cast<Index>(sizeof(Integer)) / static_cast<Index>(sizeof(float));
  float* scratch = context.scratch(0, static_cast<std::size_t>(words + 2 * rows));
  return {reinterpret_cast<Integer*>(scratch + 2 * rows), stride, scratch,
          reinterpret_cast<std::int32_t*>(scratch + rows)};
}

template <class Kernel>
void multiply_quantised(Context& context, ConstMatrixView a, Int8View b, const Epilogue& epilogue,
                        MatrixView c) {
  constexpr Index kRows = 8;  // of one task
  const auto rows = reserve_rows<typename Kernel::Integer>(context, a.rows(), a.cols());
  const std::int32_t limit = row_limit(Kernel::kKernel, a.cols());
  context.parallel((a.rows() + kRows - 1) / kRows, [&](Index task, int) {
    const Index first = task * kRows;
    quantise_rows(rows_of(a, first, std::min(kRows, a.rows() - first)), limit, first, rows);
  });
  multiply_panels(context, Int8Product<Kernel>(rows, b, epilogue.scale), epilogue, c);
}

}  // namespace

std::int32_t row_limit(Int8Kernel kernel, Index depth) {
  const bool dot = kernel == Int8Kernel::kDot;
  // dot's weights may be stored without a sign
  const Index weight = dot ? 255 : 127, most = dot ? 127 : 2047;
  const Index largest_sum = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(
      std::min(most, largest_sum / (weight * std::max<Index>(depth, 1))));
}

void multiply(Context& context, ConstMatrixView a, Int8View b, const Epilogue& epilogue,
              MatrixView c) {
  if (kHasDot && b.kernel == Int8Kernel::kDot)
    return multiply_quantised<Dot>(context, a, b, epilogue, c);
  multiply_quantised<Wide>(context, a, b, epilogue, c);
}

}  // namespace headscope
