#include <algorithm>

#include "kernels/gemm.h"
#include "kernels/simd.h"

namespace headscope {
namespace {

/// Where element (row, column) of a matrix of `rows` rows lies in its panels.
Index place(Index rows, Index row, Index column) {
  return (column / kPanelWidth * rows + row) * kPanelWidth + column % kPanelWidth;
}

/// Writes columns first .. first + 4 of one panel out of four rows of b^T.
void pack_four_rows(ConstMatrixView b, Index first, float* out) {
  const Index depth = b.cols(), stride = b.outerStride();
  const float* from = b.data() + first * stride;
  Index k = 0;
  for (; k + kLanes <= depth; k += kLanes) {
    F32x4 rows[4];
    for (int i = 0; i < 4; ++i) rows[i] = load(from + i * stride + k);
    transpose(rows);
    for (int i = 0; i < 4; ++i) store(out + (k + i) * kPanelWidth, rows[i]);
  }
  for (; k < depth; ++k) {
    for (int i = 0; i < 4; ++i) out[k * kPanelWidth + i] = from[i * stride + k];
  }
}

}  // namespace

std::size_t packed_size(Index rows, Index cols) {
  const Index panels = panel_count(cols);
  return static_cast<std::size_t>(panels * kPanelWidth * rows);
}

void pack_columns(ConstMatrixView b, Index first_column, float* panels) {
  for (Index j = 0; j < b.cols();) {
    const Index column = first_column + j;
    const Index count = std::min(kPanelWidth - column % kPanelWidth, b.cols() - j);
    const float* from = b.data() + j;
    float* out = panels + place(b.rows(), 0, column);
    for (Index k = 0; k < b.rows(); ++k, from += b.outerStride(), out += kPanelWidth) {
      if (count == kPanelWidth) {
        store(out, load(from));
        store(out + kLanes, load(from + kLanes));
      } else {
        std::copy_n(from, count, out);
      }
    }
    j += count;
  }
}

void pack(ConstMatrixView b, float* panels) {
  if (b.rows() == 0) return;
  for (Index j = 0; j < b.cols(); j += kPanelWidth) {
    const float* from = b.data() + j;
    const Index count = std::min(kPanelWidth, b.cols() - j);
    for (Index k = 0; k < b.rows(); ++k, from += b.outerStride(), panels += kPanelWidth) {
      if (count == kPanelWidth) {
        store(panels, load(from));
        store(panels + kLanes, load(from + kLanes));
      } else {
        std::fill_n(std::copy_n(from, count, panels), kPanelWidth - count, 0.0f);
      }
    }
  }
}

void pack_transposed(ConstMatrixView b, float* panels) {
  const Index depth = b.cols(), cols = b.rows();
  if (depth == 0) return;
  Index j = 0;
  for (; j + kLanes <= cols; j += kLanes) pack_four_rows(b, j, panels + place(depth, 0, j));
  const Index padded = (cols + kPanelWidth - 1) / kPanelWidth * kPanelWidth;
  for (; j < padded; ++j) {
    for (Index k = 0; k < depth; ++k) panels[place(depth, k, j)] = j < cols ? b(j, k) : 0.0f;
  }
}

void unpack_columns(PackedView packed, Index first_column, MatrixView out) {
  for (Index k = 0; k < out.rows(); ++k) {
    for (Index j = 0; j < out.cols(); ++j) {
      out(k, j) = packed.panels[place(packed.rows, k, first_column + j)];
    }
  }
}

PackedMatrix::PackedMatrix(Index rows, Index cols)
    : rows_(rows),
      cols_(cols),
      panels_(std::make_unique_for_overwrite<float[]>(packed_size(rows, cols))) {
  if (cols % kPanelWidth == 0) return;
  const Index last = rows * kPanelWidth;
  std::fill_n(panels_.get() + panel_count(cols) * last - last, last, 0.0f);
}

}  // namespace headscope
