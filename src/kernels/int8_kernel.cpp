#include "kernels/int8_kernel.h"

#include <algorithm>
#include <chrono>

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

using Clock = std::chrono::steady_clock;

/// Whether dot is clearly faster, by a quarter: it is less exact. Both run in turns of about 50 us,
/// and the turns count, not their times: other programs disturb some, and coarse clocks leave many
/// undecided, but neither prefers a side.
bool dot_is_faster() {
  constexpr std::chrono::microseconds kPatience{1800};
  constexpr Index kRows = 24, kDepth = 256, kCols = 64;
  Context context(1);
  const Matrix a = sample(kRows, kDepth, 1), b = sample(kDepth, kCols, 2);
  const Int8Matrix wide = quantised(b, Int8Kernel::kWide), dot = quantised(b, Int8Kernel::kDot);
  Matrix c(kRows, kCols);
  const auto time = [&](const Int8Matrix& weight) {
    const auto start = Clock::now();
    multiply(context, view(a), weight.view(), {}, view(c));
    return Clock::now() - start;
  };
  int wins = 0, losses = 0;
  const auto start = Clock::now();
  do {
    const auto wide_time = time(wide), dot_time = time(dot);
    if (5 * dot_time < 4 * wide_time) ++wins;
    if (5 * dot_time > 4 * wide_time) ++losses;
  } while (Clock::now() - start < kPatience);
  return 4 * wins > 5 * losses;
}

}  // namespace

bool int8_kernel_agrees(Int8Kernel kernel) {
  if (kernel == Int8Kernel::kDot && !kHasDot) return false;
  constexpr Index kMostRows = 2 * kTileRows, kDepth = 71, kCols = 19;
  Context context(1);
  const Matrix a = sample(kMostRows, kDepth, 3);
  const Int8Matrix weight = quantised(sample(kDepth, kCols, 4), kernel);
  Matrix got(kMostRows, kCols), expected(kMostRows, kCols);
  multiply_reference(view(a), weight.view(), {}, view(expected));
  for (Index rows = 1; rows <= kMostRows; ++rows) {
    multiply(context, rows_of(view(a), 0, rows), weight.view(), {}, rows_of(view(got), 0, rows));
    // sums are exact
    if (!std::equal(got.data(), got.data() + rows * kCols, expected.data())) return false;
  }
  return true;
}

Int8Kernel fastest_int8_kernel() {
  static const Int8Kernel kernel = int8_kernel_agrees(Int8Kernel::kDot) && dot_is_faster()
                                       ? Int8Kernel::kDot
                                       : Int8Kernel::kWide;
  return kernel;
}

}  // namespace headscope
