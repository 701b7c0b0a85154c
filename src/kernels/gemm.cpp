#include "kernels/gemm.h"

#include <algorithm>
#include <utility>

#include "kernels/simd.h"

namespace headscope {
namespace {

/// Rows of a that stay in the second-level cache while every panel of b passes over them.
constexpr Index kRowBlock = 96;
/// Products with fewer multiplications than this are not worth handing to another thread.
constexpr Index kSmallProduct = Index{1} << 17;
/// Pieces of work per thread, so that a thread that is late costs little.
constexpr Index kTasksPerThread = 4;

constexpr float kZeros[kPanelWidth] = {};

/// One tile: `rows` rows of a times one panel of b.
struct Tile {
  const float* a;
  Index a_stride;
  const float* panel;
  Index depth;  // K
  float scale;
  const float* bias;      // [8]
  const float* residual;  // [rows, 8] or null
  Index residual_stride;
  float* c;  // [rows, 8]
  Index c_stride;
};

using TileKernel = void (*)(const Tile&);

/// c = scale * a b + bias + residual for a tile of kRows rows. The loop over k must stay a loop: V8 spills
/// the registers of an unrolled one.
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
  const F32x4 bias_left = load(tile.bias), bias_right = load(tile.bias + kLanes);
  const float* residual = tile.residual;
  float* c = tile.c;
  HEADSCOPE_UNROLL
  for (int i = 0; i < kRows; ++i) {
    left[i] = left[i] * scale + bias_left;
    right[i] = right[i] * scale + bias_right;
    if (residual) {
      left[i] += load(residual);
      right[i] += load(residual + kLanes);
      residual += tile.residual_stride;
    }
    store(c, left[i]);
    store(c + kLanes, right[i]);
    c += tile.c_stride;
  }
}

template <int... kRows>
TileKernel tile_kernel(Index rows, std::integer_sequence<int, kRows...>) {
  static constexpr TileKernel kKernels[] = {multiply_tile<kRows + 1>...};
  return kKernels[rows - 1];
}

TileKernel tile_kernel(Index rows) {
  return tile_kernel(rows, std::make_integer_sequence<int, kTileRows>());
}

/// A product c = epilogue(a b), of which threads compute parts.
struct Product {
  const ConstMatrixView& a;
  const PackedView& b;
  const Epilogue& epilogue;
  MatrixView& c;
};

/// A tile that is not whole, or whose activation is not the identity, is computed into a buffer and
/// finished from there.
void finish_tile(const Product& product, Index row, Index rows, Index column, Index cols, float* buffer) {
  activate(product.epilogue.activation, VectorView(buffer, static_cast<std::size_t>(rows * kPanelWidth)));
  const float* residual = product.epilogue.residual;
  for (Index i = 0; i < rows; ++i) {
    const float* from = buffer + i * kPanelWidth;
    const float* add = residual ? residual + (row + i) * product.epilogue.residual_stride + column : kZeros;
    float* to = product.c.data() + (row + i) * product.c.outerStride() + column;
    if (cols == kPanelWidth) {
      store(to, load(from) + load(add));
      store(to + kLanes, load(from + kLanes) + load(add + kLanes));
    } else {
      for (Index j = 0; j < cols; ++j) to[j] = from[j] + add[j];
    }
  }
}

/// Rows first_row .. first_row + rows of one panel's columns, in tiles of nearly equal height.
void multiply_panel(const Product& product, Index first_row, Index rows, Index panel) {
  const Epilogue& epilogue = product.epilogue;
  const Index depth = product.b.rows, column = panel * kPanelWidth;
  const Index cols = std::min(kPanelWidth, product.b.cols - column);
  const bool direct = cols == kPanelWidth && epilogue.activation == Activation::kIdentity;
  float bias[kPanelWidth] = {};
  if (epilogue.bias) std::copy_n(epilogue.bias + column, cols, bias);
  float buffer[kTileRows * kPanelWidth];
  Tile tile = {};
  tile.a_stride = product.a.outerStride();
  tile.panel = product.b.panels + panel * depth * kPanelWidth;
  tile.depth = depth;
  tile.scale = epilogue.scale;
  tile.bias = bias;
  tile.residual_stride = epilogue.residual_stride;
  tile.c = buffer;
  tile.c_stride = direct ? product.c.outerStride() : kPanelWidth;
  touch(tile.panel, depth * kPanelWidth);
  const Index tiles = (rows + kTileRows - 1) / kTileRows;
  for (Index i = 0, row = first_row; i < tiles; ++i) {
    const Index height = rows / tiles + (i < rows % tiles ? 1 : 0);
    tile.a = product.a.data() + row * tile.a_stride;
    if (direct) {
      tile.c = product.c.data() + row * tile.c_stride + column;
      if (epilogue.residual) tile.residual = epilogue.residual + row * tile.residual_stride + column;
    }
    tile_kernel(height)(tile);
    if (!direct) finish_tile(product, row, height, column, cols, buffer);
    row += height;
  }
}

/// Panels first .. last of the rows first_row .. last_row.
void multiply_part(const Product& product, Index first_row, Index last_row, Index first, Index last) {
  const Index rows = last_row - first_row, blocks = (rows + kRowBlock - 1) / kRowBlock;
  for (Index block = 0; block < blocks; ++block) {
    const Index begin = first_row + rows * block / blocks;
    const Index end = first_row + rows * (block + 1) / blocks;
    for (Index panel = first; panel < last; ++panel) multiply_panel(product, begin, end - begin, panel);
  }
}

Index panel_count(PackedView b) { return (b.cols + kPanelWidth - 1) / kPanelWidth; }

}  // namespace

void multiply(ConstMatrixView a, PackedView b, const Epilogue& epilogue, MatrixView c) {
  multiply_part({a, b, epilogue, c}, 0, c.rows(), 0, panel_count(b));
}

void multiply(Context& context, ConstMatrixView a, PackedView b, const Epilogue& epilogue, MatrixView c) {
  const Index rows = c.rows(), panels = panel_count(b);
  if (context.threads() == 1 || rows * b.cols * b.rows < kSmallProduct) {
    return multiply(a, b, epilogue, c);
  }
  const Product product = {a, b, epilogue, c};
  // Threads share out the panels, so that each weight is read by one of them; rows are split only where
  // there are too few panels.
  const Index wanted = kTasksPerThread * context.threads();
  const Index across = std::min(panels, wanted);
  const Index down = std::clamp(wanted / across, Index{1}, (rows + kTileRows - 1) / kTileRows);
  context.parallel(across * down, [&](Index task, int) {
    const Index i = task / across, j = task % across;
    multiply_part(product, rows * i / down, rows * (i + 1) / down, panels * j / across,
                  panels * (j + 1) / across);
  });
}

}  // namespace headscope
