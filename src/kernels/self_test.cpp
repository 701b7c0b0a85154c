#include "kernels/self_test.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "kernels/gemm.h"
#include "kernels/int8_kernel.h"
#include "kernels/layer_norm.h"
#include "kernels/simd.h"
#include "kernels/softmax.h"

namespace headscope {
namespace {

// What is compared with is known without a math library, whose functions would be a fifth of the
// module if only this test used them.

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

/// Rounding alone stays below half of this for results of about 1.
bool close(float got, float expected) {
  const float difference = got < expected ? expected - got : got - expected;
  return difference <= 1e-6f;
}

constexpr Index kLongest = 2 * kTileRows, kDepth = 13, kCols = 11;

/// Small whole numbers: their products and sums are exact, fused or not.
constexpr int left(Index row, Index k) { return static_cast<int>((row * 7 + k * 3) % 9) - 4; }
constexpr int right(Index k, Index column) {
  return static_cast<int>((k * 5 + column * 2) % 7) - 3;
}

/// The product of `rows` rows with scale 1/2, the column as bias, and relu; or with the row as
/// residual.
bool products_agree(Index rows, bool with_relu) {
  float a[kLongest * kDepth], b[kDepth * kCols], c[kLongest * kCols], bias[kCols];
  float panels[2 * kPanelWidth * kDepth];
  for (Index k = 0; k < kDepth; ++k) {
    for (Index i = 0; i < rows; ++i) a[i * kDepth + k] = static_cast<float>(left(i, k));
    for (Index j = 0; j < kCols; ++j) b[k * kCols + j] = static_cast<float>(right(k, j));
  }
  for (Index j = 0; j < kCols; ++j) {
    bias[j] = static_cast<float>(j);
    for (Index i = 0; i < rows; ++i) c[i * kCols + j] = static_cast<float>(i);
  }
  pack(view(std::as_const(b), kDepth, kCols), panels);
  const Activation activation = with_relu ? Activation::kRelu : Activation::kIdentity;
  const Epilogue epilogue = {0.5f, bias, activation, with_relu ? nullptr : c, kCols};
  multiply(view(std::as_const(a), rows, kDepth), {panels, kDepth, kCols}, epilogue,
           view(c, rows, kCols));
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < kCols; ++j) {
      int sum = 0;
      for (Index k = 0; k < kDepth; ++k) sum += left(i, k) * right(k, j);
      const float value = static_cast<float>(sum) / 2 + static_cast<float>(j);
      const float expected = with_relu ? std::max(value, 0.0f) : value + static_cast<float>(i);
      if (c[i * kCols + j] != expected) return false;
    }
  }
  return true;
}

bool activation_agrees(Activation activation, std::array<float, 5> expected) {
  std::array<float, 5> x = {-3.0f, -0.5f, 0.25f, 1.0f, 2.0f};
  activate(activation, x);
  return std::equal(x.begin(), x.end(), expected.begin(), close);
}

/// The arguments are those of activation_agrees.
bool activations_agree() {
  return activation_agrees(Activation::kRelu, {0, 0, 0.25f, 1, 2}) &&
         activation_agrees(Activation::kGelu,
                           {-0.00404969f, -0.15426877f, 0.14967657f, 0.84134475f, 1.9544997f}) &&
         activation_agrees(Activation::kGeluTanh,
                           {-0.0036373920f, -0.15428599f, 0.14967534f, 0.84119199f, 1.9545977f}) &&
         activation_agrees(Activation::kSilu,
                           {-0.14227762f, -0.18877033f, 0.14054413f, 0.73105858f, 1.7615942f}) &&
         activation_agrees(Activation::kSigmoid,
                           {0.047425873f, 0.37754067f, 0.56217650f, 0.73105858f, 0.88079708f});
}

bool softmax_agrees() {
  // The logarithms of 1/2, 1/4, 1/8 and 1/8, in the upper row shifted by a large maximum.
  constexpr float kLn2 = 0.693147181f;
  std::array<float, 15> scores = {-kLn2, kMinusInfinity, -2 * kLn2, -3 * kLn2, -3 * kLn2,
                                  1e4f,  1e4f,           -1e4f,     1e4f,      1e4f};
  std::fill(scores.begin() + 10, scores.end(), kMinusInfinity);
  constexpr std::array<float, 15> kExpected = {0.5f,  0,     0.25f, 0.125f, 0.125f,
                                               0.25f, 0.25f, 0,     0.25f,  0.25f};
  std::array<float, 3> inverse_sums;
  exp_rows(view(scores.data(), 3, 5), inverse_sums);
  scale_rows(view(static_cast<const float*>(scores.data()), 3, 5), inverse_sums,
             view(scores.data(), 3, 5));
  return std::equal(scores.begin(), scores.end(), kExpected.begin(), close) && scores[1] == 0.0f;
}

/// The numbers 0 to 12 have mean 6 and variance 14.
bool layer_norm_agrees() {
  constexpr float kInverseRoot14 = 0.267261242f;
  std::array<float, 13> x, y, gamma;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i);
    gamma[i] = i % 2 == 0 ? 0.5f : -0.5f;
  }
  layer_norm_rows(view(static_cast<const float*>(x.data()), 1, 13), gamma.data(), x.data(), 0.0f,
                  view(y.data(), 1, 13));
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!close(y[i] - x[i], (x[i] - 6) * kInverseRoot14 * gamma[i])) return false;
  }
  return true;
}

}  // namespace

bool kernels_agree() {
  for (Index rows = 1; rows <= kLongest; ++rows) {
    if (!products_agree(rows, false) || !products_agree(rows, true)) return false;
  }
  return activations_agree() && softmax_agrees() && layer_norm_agrees() &&
         int8_kernel_agrees(Int8Kernel::kWide);
}

}  // namespace headscope
