#include "kernels/panel_product.h"

#include <algorithm>

#include "kernels/simd.h"

namespace headscope {
namespace {

/// Products with fewer multiplications than this are not worth handing to another thread.
constexpr double kSmallProduct = 0x1p17;
/// Pieces of work per thread, so that a thread that is late costs little.
constexpr Index kTasksPerThread = 4;

/// Of a, what may stay in the second-level cache while every panel of b passes over it. With 2 MB
/// of it, 1 MB of a is at most 3% faster than 640 KB; other processors have less.
constexpr Index kBlockBytes = 768 * 1024;

constexpr float kZeros[kPanelWidth] = {};

/// A product on its way to c, of which threads compute parts.
struct Computation {
  const PanelProduct& product;
  const Epilogue& epilogue;
  MatrixView& c;
};

/// Activates the rows in `buffer` [rows, 8], adds the residual and writes their first `cols`
/// columns.
void finish_rows(const Computation& to, Index row, Index rows, Index column, Index cols,
                 float* buffer) {
  activate(to.epilogue.activation,
           VectorView(buffer, static_cast<std::size_t>(rows * kPanelWidth)));
  const float* residual = to.epilogue.residual;
  for (Index i = 0; i < rows; ++i) {
    const float* from = buffer + i * kPanelWidth;
    const float* add =
        residual ? residual + (row + i) * to.epilogue.residual_stride + column : kZeros;
    float* c = to.c.data() + (row + i) * to.c.outerStride() + column;
    if (cols == kPanelWidth) {
      store(c, load(from) + load(add));
      store(c + kLanes, load(from + kLanes) + load(add + kLanes));
    } else {
      for (Index j = 0; j < cols; ++j) c[j] = from[j] + add[j];
    }
  }
}

/// Rows row .. row + rows (at most kRowBlock) of one panel's columns. A panel that is not whole, or
/// whose activation is not the identity, is computed into a buffer and finished from there.
void multiply_panel(const Computation& to, Index row, Index rows, Index panel) {
  const Epilogue& epilogue = to.epilogue;
  const Index column = panel * kPanelWidth,
              cols = std::min(kPanelWidth, to.product.cols() - column);
  const bool direct = cols == kPanelWidth && epilogue.activation == Activation::kIdentity;
  float bias[kPanelWidth] = {};
  if (epilogue.bias) std::copy_n(epilogue.bias + column, cols, bias);
  float buffer[kRowBlock * kPanelWidth];
  PanelOutput output = {bias, nullptr, 0, buffer, kPanelWidth};
  if (direct) {
    output.c = to.c.data() + row * to.c.outerStride() + column;
    output.c_stride = to.c.outerStride();
    if (epilogue.residual)
      output.residual = epilogue.residual + row * epilogue.residual_stride + column;
    output.residual_stride = epilogue.residual_stride;
  }
  to.product.multiply_rows(row, rows, panel, output);
  if (!direct) finish_rows(to, row, rows, column, cols, buffer);
}

Index block_rows(const PanelProduct& product) {
  const Index row_bytes = std::max<Index>(product.row_bytes(), 1);
  return std::clamp<Index>(kBlockBytes / row_bytes, kTileRows, kRowBlock);
}

/// Panels first .. last of the rows first_row .. last_row.
void multiply_part(const Computation& to, Index first_row, Index last_row, Index first,
                   Index last) {
  const Index rows = last_row - first_row, most = block_rows(to.product);
  const Index blocks = (rows + most - 1) / most;
  const Index bytes = to.product.panel_bytes();
  for (Index block = 0; block < blocks; ++block) {
    const Index begin = first_row + rows * block / blocks;
    const Index end = first_row + rows * (block + 1) / blocks;
    for (Index panel = first; panel < last; ++panel) {
      if (panel + 1 < last) start_streams(to.product.panel(panel + 1), bytes);
      touch(to.product.panel(panel), bytes);
      multiply_panel(to, begin, end - begin, panel);
    }
  }
}

}  // namespace

void multiply_panels(const PanelProduct& product, const Epilogue& epilogue, MatrixView c) {
  multiply_part({product, epilogue, c}, 0, c.rows(), 0, panel_count(product.cols()));
}

void multiply_panels(Context& context, const PanelProduct& product, const Epilogue& epilogue,
                     MatrixView c) {
  const Index rows = c.rows(), panels = panel_count(product.cols());
  const double size =
      static_cast<double>(rows) * static_cast<double>(product.cols() * product.depth());
  if (context.threads() == 1 || size < kSmallProduct) {
    return multiply_panels(product, epilogue, c);
  }
  const Computation to = {product, epilogue, c};
  // Threads share out the panels, so that each weight is read by one of them; rows are split only
  // where there are too few panels.
  const Index wanted = kTasksPerThread * context.threads();
  const Index across = std::min(panels, wanted);
  const Index down = std::clamp(wanted / across, Index{1}, (rows + kTileRows - 1) / kTileRows);
  context.parallel(across * down, [&](Index task, int) {
    const Index i = task / across, j = task % across;
    multiply_part(to, rows * i / down, rows * (i + 1) / down, panels * j / across,
                  panels * (j + 1) / across);
  });
}

}  // namespace headscope
