#include "kernels/int8_kernel.h"

#include <algorithm>
#include <ctime>

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

/// Not <chrono>: its failures bring the texts of all system errors into the module.
double now_s() {
  std::timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Products per second while the clock moves on by a window at least: of clocks with coarse steps,
/// whole steps.
double measure_rate(Context& context, const Matrix& a, const Int8Matrix& weight, Matrix& c) {
  constexpr double kWindowSeconds = 280e-6;
  double products = 0.0, passed_s = 0.0;
  const double start_s = now_s();
  do {
    multiply(context, view(a), weight.view(), {}, view(c));
    ++products;
    passed_s = now_s() - start_s;
  } while (passed_s < kWindowSeconds);
  return products / passed_s;
}

/// Whether dot is faster by half: it is less exact, and without an instruction of the processor's
/// own it gains a quarter at best. The best windows count: other programs disturb some.
bool dot_is_faster() {
  constexpr double kPatienceSeconds = 1200e-6;  // for beginning once more
  constexpr Index kRows = 20, kDepth = 256, kCols = 64;
  Context context(1);
  const Matrix a = sample(kRows, kDepth, 1), b = sample(kDepth, kCols, 2);
  const Int8Matrix wide = quantised(b, Int8Kernel::kWide), dot = quantised(b, Int8Kernel::kDot);
  Matrix c(kRows, kCols);
  double wide_rate = 0.0, dot_rate = 0.0;
  const double before_s = now_s();
  while (now_s() == before_s) {  // the first window begins with a step of the clock, too
  }
  const double start_s = now_s();
  do {
    wide_rate = std::max(wide_rate, measure_rate(context, a, wide, c));
    dot_rate = std::max(dot_rate, measure_rate(context, a, dot, c));
  } while (now_s() - start_s < kPatienceSeconds);
  return dot_rate > 1.5 * wide_rate;
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
  const bool dot = int8_kernel_agrees(Int8Kernel::kDot) && dot_is_faster();
  return dot ? Int8Kernel::kDot : Int8Kernel::kWide;
}

}  // namespace headscope
