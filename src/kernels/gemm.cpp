#include "kernels/gemm.h"

#include <algorithm>
#include <utility>

#include "kernels/simd.h"

namespace headscope {
namespace {

/// Rows of a that stay in the second-level cache while every panel of b passes over them.
constexpr Index kRowBlock = 100;
/// Products with fewer multiplications than this are not worth handing to another thread.
constexpr double kSmallProduct = 0x1p17;
/// Pieces of work per thread, so that a thread that is late costs little.
constexpr Index kTasksPerThread = 4;

constexpr float kZeros[kPanelWidth] = {};

/// Rows of a times one panel of b.
struct Strip {
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

using TileKernel = void (*)(const Strip&);

/// c = scale * a b + bias + residual for the first kRows rows of a strip. V8 keeps all sums in
/// registers only if the loop over k stays a loop and is the only one of its function.
template <int kRows>
void multiply_tile(const Strip& strip) {
  F32x4 left[kRows], right[kRows];
  const float* a[kRows];
  HEADSCOPE_UNROLL
  for (int i = 0; i < kRows; ++i) {
    left[i] = right[i] = splat(0.0f);
    a[i] = strip.a + i * strip.a_stride;
  }
  const float* b = strip.panel;
  HEADSCOPE_KEEP_LOOP
  for (Index k = strip.depth; k > 0; --k) {
    const F32x4 b_left = load(b), b_right = load(b + kLanes);
    b += kPanelWidth;
    HEADSCOPE_UNROLL
    for (int i = 0; i < kRows; ++i) {
      const F32x4 x = load_splat(a[i]++);
      left[i] = madd(x, b_left, left[i]);
      right[i] = madd(x, b_right, right[i]);
    }
  }
  const F32x4 scale = splat(strip.scale);
  const F32x4 bias_left = load(strip.bias), bias_right = load(strip.bias + kLanes);
  const float* residual = strip.residual;
  float* c = strip.c;
  HEADSCOPE_UNROLL
  for (int i = 0; i < kRows; ++i) {
    left[i] = left[i] * scale + bias_left;
    right[i] = right[i] * scale + bias_right;
    if (residual) {
      left[i] += load(residual);
      right[i] += load(residual + kLanes);
      residual += strip.residual_stride;
    }
    store(c, left[i]);
    store(c + kLanes, right[i]);
    c += strip.c_stride;
  }
}

template <int... kRows>
TileKernel tile_kernel(Index rows, std::integer_sequence<int, kRows...>) {
  static constexpr TileKernel kKernels[] = {multiply_tile<kRows + 1>...};
  return kKernels[rows - 1];
}

/// Multiplies `tiles` tiles of `height` rows and moves the strip below them.
void multiply_tiles(Strip& strip, Index height, Index tiles) {
  const TileKernel kernel = tile_kernel(height, std::make_integer_sequence<int, kTileRows>());
  for (; tiles > 0; --tiles) {
    kernel(strip);
    strip.a += height * strip.a_stride;
    strip.c += height * strip.c_stride;
    if (strip.residual) strip.residual += height * strip.residual_stride;
  }
}

/// Multiplies `rows` rows in tiles whose heights differ by at most one.
void multiply_strip(Strip& strip, Index rows) {
  const Index tiles = (rows + kTileRows - 1) / kTileRows;
  const Index height = rows / tiles, higher = rows % tiles;
  if (higher > 0) multiply_tiles(strip, height + 1, higher);
  multiply_tiles(strip, height, tiles - higher);
}

/// A product c = epilogue(a b), of which threads compute parts.
struct Product {
  const ConstMatrixView& a;
  const PackedView& b;
  const Epilogue& epilogue;
  MatrixView& c;

  const float* panel(Index index) const { return b.panels + index * b.rows * kPanelWidth; }
};

/// Activates the strip in `buffer` [rows, 8], adds the residual and writes its first `cols`
/// columns.
void finish_strip(const Product& product, Index row, Index rows, Index column, Index cols,
                  float* buffer) {
  activate(product.epilogue.activation,
           VectorView(buffer, static_cast<std::size_t>(rows * kPanelWidth)));
  const float* residual = product.epilogue.residual;
  for (Index i = 0; i < rows; ++i) {
    const float* from = buffer + i * kPanelWidth;
    const float* add =
        residual ? residual + (row + i) * product.epilogue.residual_stride + column : kZeros;
    float* to = product.c.data() + (row + i) * product.c.outerStride() + column;
    if (cols == kPanelWidth) {
      store(to, load(from) + load(add));
      store(to + kLanes, load(from + kLanes) + load(add + kLanes));
    } else {
      for (Index j = 0; j < cols; ++j) to[j] = from[j] + add[j];
    }
  }
}

/// Rows row .. row + rows (at most kRowBlock) of one panel's columns. A strip that is not whole, or
/// whose activation is not the identity, is computed into a buffer and finished from there.
void multiply_panel(const Product& product, Index row, Index rows, Index panel) {
  const Epilogue& epilogue = product.epilogue;
  const Index column = panel * kPanelWidth, cols = std::min(kPanelWidth, product.b.cols - column);
  const bool direct = cols == kPanelWidth && epilogue.activation == Activation::kIdentity;
  float bias[kPanelWidth] = {};
  if (epilogue.bias) std::copy_n(epilogue.bias + column, cols, bias);
  float buffer[kRowBlock * kPanelWidth];
  const Index a_stride = product.a.outerStride(), c_stride = product.c.outerStride();
  Strip strip = {product.a.data() + row * a_stride,
                 a_stride,
                 product.panel(panel),
                 product.b.rows,
                 epilogue.scale,
                 bias,
                 nullptr,
                 0,
                 buffer,
                 kPanelWidth};
  if (direct) {
    strip.c = product.c.data() + row * c_stride + column;
    strip.c_stride = c_stride;
    if (epilogue.residual)
      strip.residual = epilogue.residual + row * epilogue.residual_stride + column;
    strip.residual_stride = epilogue.residual_stride;
  }
  multiply_strip(strip, rows);
  if (!direct) finish_strip(product, row, rows, column, cols, buffer);
}

/// Panels first .. last of the rows first_row .. last_row.
void multiply_part(const Product& product, Index first_row, Index last_row, Index first,
                   Index last) {
  const Index rows = last_row - first_row, blocks = (rows + kRowBlock - 1) / kRowBlock;
  const Index panel_size = product.b.rows * kPanelWidth;
  for (Index block = 0; block < blocks; ++block) {
    const Index begin = first_row + rows * block / blocks;
    const Index end = first_row + rows * (block + 1) / blocks;
    for (Index panel = first; panel < last; ++panel) {
      if (panel + 1 < last) start_streams(product.panel(panel + 1), panel_size);
      touch(product.panel(panel), panel_size);
      multiply_panel(product, begin, end - begin, panel);
    }
  }
}

Index panel_count(PackedView b) { return (b.cols + kPanelWidth - 1) / kPanelWidth; }

}  // namespace

void multiply(ConstMatrixView a, PackedView b, const Epilogue& epilogue, MatrixView c) {
  multiply_part({a, b, epilogue, c}, 0, c.rows(), 0, panel_count(b));
}

void multiply(Context& context, ConstMatrixView a, PackedView b, const Epilogue& epilogue,
              MatrixView c) {
  const Index rows = c.rows(), panels = panel_count(b);
  if (context.threads() == 1 ||
      static_cast<double>(rows) * static_cast<double>(b.cols * b.rows) < kSmallProduct) {
    return multiply(a, b, epilogue, c);
  }
  const Product product = {a, b, epilogue, c};
  // Threads share out the panels, so that each weight is read by one of them; rows are split only
  // where there are too few panels.
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
