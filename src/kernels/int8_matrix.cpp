#include "kernels/int8_matrix.h"

#include <algorithm>
#include <cmath>

#include "kernels/panel_product.h"
#include "kernels/quantise.h"
#include "kernels/simd.h"

namespace headscope {
namespace {

/// The largest integer of a weight.
constexpr std::int32_t kLimit = 127;

/// Where a weight lies in the panels.
std::size_t place(Int8View weight, Index row, Index column) {
  const Index group = group_rows(weight.kernel);
  return static_cast<std::size_t>(column / kPanelWidth * weight.panel_bytes() +
                                  row / group * group * kPanelWidth + column % kPanelWidth * group +
                                  row % group);
}

/// The largest size in a column; infinity or NaN where there is one.
float largest_size(const float* column, Index count, Index stride) {
  float largest = 0.0f;
  for (; count > 0 && std::isfinite(largest); --count, column += stride) {
    const float size = std::abs(*column);
    if (!(size <= largest)) largest = size;
  }
  return largest;
}

/// What the weights of the dot kernel are stored with here.
std::int32_t dot_offset() {
  if (!kHasDot) return 0;
  // Volatile: nobody but the engine that runs this knows the answer.
  volatile std::uint32_t ones = 0x01010101, top_bits = 0x80808080;
  const std::uint32_t one = ones, top_bit = top_bits;
  const U32x4 a = {one, one, one, one}, b = {top_bit, top_bit, top_bit, top_bit};
  return dot_add(reinterpret_cast<I8x16>(a), reinterpret_cast<I8x16>(b), I32x4{})[0] > 0 ? 128 : 0;
}

}  // namespace

Index Int8View::panel_bytes() const {
  const Index group = group_rows(kernel);
  return (rows + group - 1) / group * group * kPanelWidth;
}

Int8Matrix::Int8Matrix(Index rows, Index cols, Int8Kernel kernel)
    : Int8Matrix(rows, cols, kernel, kernel == Int8Kernel::kDot ? dot_offset() : 0) {}

Int8Matrix::Int8Matrix(Index rows, Index cols, Int8Kernel kernel, std::int32_t offset)
    : rows_(rows), cols_(cols), kernel_(kernel), offset_(offset) {
  const Index panels = panel_count(cols);
  panels_.assign(static_cast<std::size_t>(panels * view().panel_bytes()),
                 static_cast<std::int8_t>(offset));
  scales_.assign(static_cast<std::size_t>(panels * kPanelWidth), 0.0f);
}

void Int8Matrix::pack_columns(ConstMatrixView b, Index first_column) {
  if (rows_ == 0) return;  // no memory to step through
  for (Index j = 0; j < b.cols(); ++j) {
    const float* from = b.data() + j;
    const Quantiser quantiser(largest_size(from, rows_, b.outerStride()), kLimit);
    scales_[static_cast<std::size_t>(first_column + j)] = quantiser.scale;
    pack_column(from, b.outerStride(), quantiser.inverse, first_column + j);
  }
}

void Int8Matrix::pack_column(const float* from, Index stride, float inverse, Index column) {
  if (inverse == 0.0f) return;  // it is 0 already, and 0 times an infinity would not be
  const Index group = group_rows(kernel_);
  std::int8_t* out = panels_.data() + place(view(), 0, column);
  for (Index k = 0; k < rows_; ++k, from += stride) {
    const auto integer = static_cast<std::int32_t>(std::nearbyint(*from * inverse));
    out[k % group] = static_cast<std::int8_t>(integer + offset_);
    if (k % group == group - 1) out += group * kPanelWidth;
  }
}

std::int32_t integer_at(Int8View weight, Index row, Index column) {
  return static_cast<std::int8_t>(weight.panels[place(weight, row, column)] - weight.offset);
}

void unpack_columns(Int8View weight, Index first_column, MatrixView out) {
  for (Index k = 0; k < out.rows(); ++k) {
    for (Index j = 0; j < out.cols(); ++j) {
      const float scale = weight.scales[first_column + j];
      out(k, j) = scale * static_cast<float>(integer_at(weight, k, first_column + j));
    }
  }
}

}  // namespace headscope
