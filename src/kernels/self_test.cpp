#include "kernels/self_test.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "kernels/gemm.h"
#include "kernels/int8_kernel.h"
#include "kernels/layer_norm.h"
#include "kernels/simd.h"
#include "kernels/softmax.h"

namespace headscope {
namespace {

/// Rounding errors stay below a tenth of this at the sizes used here; a wrong lane or a wrong fused
/// operation is off by far more.
constexpr float kTolerance = 2e-5f;

constexpr Index kDepth = 37;
constexpr Index kCols = 19;

/// Numbers in [-2, 2) that look random and are the same everywhere.
Matrix sample(Index rows, Index cols, std::uint32_t seed) {
  Matrix m(rows, cols);
  for (Index i = 0; i < m.size(); ++i) {
    seed = seed * 1664525u + 1013904223u;
    m.data()[i] = static_cast<float>(seed >> 8) * 0x1p-22f - 2.0f;
  }
  return m;
}

/// False for a NaN as well.
bool close(const Matrix& got, const Matrix& expected) {
  return std::equal(got.data(), got.data() + got.size(), expected.data(), [](float a, float b) {
    const float difference = a < b ? b - a : a - b;
    return difference <= kTolerance;
  });
}

bool products_agree(Index rows, Activation activation) {
  const Matrix a = sample(rows, kDepth, 1), b = sample(kDepth, kCols, 2),
               bias = sample(1, kCols, 3);
  const Matrix residual = sample(rows, kCols, 4);
  PackedMatrix packed(kDepth, kCols);
  pack(view(b), packed.panels());
  const Epilogue epilogue = {0.25f, bias.data(), activation, residual.data(), kCols};
  Matrix got(rows, kCols), expected(rows, kCols);
  multiply(view(a), packed.view(), epilogue, view(got));
  multiply_reference(view(a), view(b), epilogue, view(expected));
  return close(got, expected);
}

bool softmax_agrees() {
  Matrix got = sample(3, kCols, 5);
  got(0, 7) = -std::numeric_limits<float>::infinity();
  got.row(1).setConstant(-std::numeric_limits<float>::infinity());
  got.row(2) *= 1e4f;
  Matrix expected = got;
  float inverse_sums[3];
  exp_rows(view(got), inverse_sums);
  scale_rows(view(std::as_const(got)), inverse_sums, view(got));
  softmax_rows_reference(view(expected));
  return close(got, expected) && got(0, 7) == 0.0f && (got.row(1).array() == 0.0f).all();
}

bool layer_norm_agrees() {
  const Matrix x = sample(3, kCols, 6), gamma = sample(1, kCols, 7), beta = sample(1, kCols, 8);
  Matrix got(3, kCols), expected(3, kCols);
  layer_norm_rows(view(x), gamma.data(), beta.data(), 1e-5f, view(got));
  layer_norm_rows_reference(view(x), gamma.data(), beta.data(), 1e-5f, view(expected));
  return close(got, expected);
}

}  // namespace

bool kernels_agree() {
  for (Index rows = 1; rows <= 2 * kTileRows; ++rows) {
    if (!products_agree(rows, Activation::kIdentity)) return false;
  }
  for (const Activation activation : {Activation::kRelu, Activation::kGelu, Activation::kGeluTanh,
                                      Activation::kSilu, Activation::kSigmoid}) {
    if (!products_agree(kTileRows, activation)) return false;
  }
  return softmax_agrees() && layer_norm_agrees() && int8_kernel_agrees(Int8Kernel::kWide);
}

}  // namespace headscope
