#include "kernels/int8_kernel.h"

#include <algorithm>
#include <utility>

#include "base/random.h"
#include "kernels/int8_gemm.h"
#include "kernels/simd.h"

namespace headscope {
namespace {

Matrix sample(Index rows, Index cols, std::uint32_t seed) {
  const UniformSequence numbers(seed);
  Matrix m(rows, cols);
  for (Index i = 0; i < m.size(); ++i) {
    m.data()[i] = static_cast<float>(numbers.at(static_cast<std::uint32_t>(i)));
  }
  return m;
}

Int8Matrix quantised(const Matrix& b, Int8Kernel kernel) {
  Int8Matrix result(b.rows(), b.cols(), kernel);
  result.pack_columns(view(b), 0);
  return result;
}

/// Rows (or columns) 0 and 1 become the largest numbers there are: the one's product with itself is
/// the largest, with the other the smallest.
void set_extremes(float* numbers, Index count, Index stride, Index other) {
  for (; count > 0; --count, numbers += stride) {
    numbers[0] = 1.0f;
    numbers[other] = -1.0f;
  }
}

}  // namespace

bool int8_kernel_agrees(Int8Kernel kernel) {
  if (kernel == Int8Kernel::kDot && !kHasDot) return false;
  constexpr Index kRows = 2 * kTileRows, kDepth = 71, kCols = 19;
  Context context(1);
  Matrix a = sample(kRows, kDepth, 3), b = sample(kDepth, kCols, 4);
  set_extremes(a.data(), kDepth, 1, kDepth);
  set_extremes(b.data(), kDepth, kCols, 1);
  const ConstMatrixView inputs = view(std::as_const(a));
  const Int8Matrix weight = quantised(b, kernel);
  Matrix got(kRows, kCols), expected(kRows, kCols);
  multiply_reference(inputs, weight.view(), {}, view(expected));
  for (Index rows = 1; rows <= kRows; ++rows) {
    multiply(context, rows_of(inputs, 0, rows), weight.view(), {}, rows_of(view(got), 0, rows));
    // sums are exact
    if (!std::equal(got.data(), got.data() + rows * kCols, expected.data())) return false;
  }
  return true;
}

Int8Kernel best_int8_kernel() {
  return int8_kernel_agrees(Int8Kernel::kDot) ? Int8Kernel::kDot : Int8Kernel::kWide;
}

}  // namespace headscope
