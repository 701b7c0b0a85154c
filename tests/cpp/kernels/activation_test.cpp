#include "kernels/activation.h"

#include <array>
#include <catch_amalgamated.hpp>
#include <cmath>
#include <span>
#include <vector>

namespace headscope {
namespace {

// Arguments, and what PyTorch 1.13 gives for them in float64, rounded to eight digits.
constexpr std::array<float, 27> kX = {-10.0f, -6.0f,  -4.0f, -3.0f,  -2.5f, -2.0f,   -1.5f,
                                      -1.0f,  -0.75f, -0.5f, -0.25f, -0.1f, -0.001f, 0.0f,
                                      0.001f, 0.1f,   0.25f, 0.5f,   0.75f, 1.0f,    1.5f,
                                      2.0f,   2.5f,   3.0f,  4.0f,   6.0f,  10.0f};
constexpr std::array<float, 27> kRelu = {0.0f,  0.0f, 0.0f, 0.0f, 0.0f, 0.0f,   0.0f, 0.0f,  0.0f,
                                         0.0f,  0.0f, 0.0f, 0.0f, 0.0f, 0.001f, 0.1f, 0.25f, 0.5f,
                                         0.75f, 1.0f, 1.5f, 2.0f, 2.5f, 3.0f,   4.0f, 6.0f,  10.0f};
constexpr std::array<float, 27> kGelu = {0.0f,
                                         -5.9195258e-09f,
                                         -0.00012668497f,
                                         -0.0040496942f,
                                         -0.015524163f,
                                         -0.045500264f,
                                         -0.1002108f,
                                         -0.15865526f,
                                         -0.16997051f,
                                         -0.15426877f,
                                         -0.10032342f,
                                         -0.046017218f,
                                         -0.00049960107f,
                                         0.0f,
                                         0.00050039898f,
                                         0.053982783f,
                                         0.14967658f,
                                         0.34573123f,
                                         0.58002949f,
                                         0.84134477f,
                                         1.3997892f,
                                         1.9544997f,
                                         2.4844759f,
                                         2.9959502f,
                                         3.9998734f,
                                         6.0f,
                                         10.0f};
constexpr std::array<float, 27> kGeluTanh = {
    0.0f,          -8.439649e-11f, -7.0245951e-05f, -0.0036373921f, -0.015084266f,
    -0.045402307f, -0.10042842f,   -0.15880801f,    -0.17003945f,   -0.154286f,
    -0.10032465f,  -0.046017248f,  -0.00049960107f, 0.0f,           0.00050039898f,
    0.053982753f,  0.14967535f,    0.345714f,       0.57996058f,    0.84119201f,
    1.3995715f,    1.9545977f,     2.4849157f,      2.9963627f,     3.9999297f,
    6.0f,          10.0f};
constexpr std::array<float, 27> kSilu = {
    -0.00045397869f, -0.014835739f, -0.07194484f,   -0.14227761f, -0.18964545f, -0.23840584f,
    -0.27363828f,    -0.26894143f,  -0.24061598f,   -0.18877034f, -0.10945588f, -0.047502082f,
    -0.00049975002f, 0.0f,          0.00050025003f, 0.05249792f,  0.14054413f,  0.31122968f,
    0.50938404f,     0.7310586f,    1.2263618f,     1.7615942f,   2.3103545f,   2.8577223f,
    3.928055f,       5.9851642f,    9.9995461f};
constexpr std::array<float, 27> kSigmoid = {
    4.5397868e-05f, 0.0024726233f, 0.01798621f, 0.047425874f, 0.075858183f, 0.11920292f,
    0.18242553f,    0.26894143f,   0.32082132f, 0.37754068f,  0.4378235f,   0.47502083f,
    0.49974999f,    0.5f,          0.50024998f, 0.52497917f,  0.56217653f,  0.62245935f,
    0.67917871f,    0.7310586f,    0.8175745f,  0.88079709f,  0.92414182f,  0.95257413f,
    0.98201376f,    0.99752736f,   0.99995458f};

constexpr Activation kAll[] = {Activation::kIdentity, Activation::kRelu, Activation::kGelu,
                               Activation::kGeluTanh, Activation::kSilu, Activation::kSigmoid};

std::vector<float> activated(Activation activation, std::span<const float> x) {
  std::vector<float> y(x.begin(), x.end());
  activate(activation, y);
  return y;
}

/// The largest absolute error against the plain loop in double, over a fine grid of [-8, 8].
float largest_error(Activation activation) {
  std::vector<float> x;
  for (float value = -8.0f; value <= 8.0f; value += 0.00137f) x.push_back(value);
  std::vector<float> expected = x;
  activate_reference(activation, expected);
  const std::vector<float> y = activated(activation, x);
  float largest = 0.0f;
  for (std::size_t i = 0; i < x.size(); ++i)
    largest = std::fmax(largest, std::abs(y[i] - expected[i]));
  return largest;
}

}  // namespace

TEST_CASE("activations equal PyTorch's") {
  const auto check = [](Activation activation, std::span<const float> expected) {
    const std::vector<float> y = activated(activation, kX);
    for (std::size_t i = 0; i < kX.size(); ++i) {
      CAPTURE(static_cast<int>(activation), kX[i]);
      // Arguments reach 10, where a float's ulp is 1e-6.
      CHECK(std::abs(y[i] - expected[i]) <= 1e-6f);
    }
  };
  check(Activation::kRelu, kRelu);
  check(Activation::kGelu, kGelu);
  check(Activation::kGeluTanh, kGeluTanh);
  check(Activation::kSilu, kSilu);
  check(Activation::kSigmoid, kSigmoid);
}

TEST_CASE("activations stay within 1e-6 of the plain loop between -8 and 8") {
  CHECK(largest_error(Activation::kIdentity) == 0.0f);
  CHECK(largest_error(Activation::kRelu) == 0.0f);
  CHECK(largest_error(Activation::kGelu) < 1e-6f);
  CHECK(largest_error(Activation::kGeluTanh) < 1e-6f);
  CHECK(largest_error(Activation::kSilu) < 1e-6f);
  CHECK(largest_error(Activation::kSigmoid) < 2e-7f);
}

TEST_CASE("activations of huge arguments are what the limits say") {
  const std::array<float, 5> x = {-1e30f, -100.0f, 100.0f, 1e30f, 3e38f};
  CHECK(activated(Activation::kSigmoid, x) == std::vector<float>{0.0f, 0.0f, 1.0f, 1.0f, 1.0f});
  for (const Activation activation :
       {Activation::kRelu, Activation::kGelu, Activation::kGeluTanh, Activation::kSilu}) {
    CAPTURE(static_cast<int>(activation));
    CHECK(activated(activation, x) == std::vector<float>{0.0f, 0.0f, 100.0f, 1e30f, 3e38f});
  }
}

TEST_CASE("an activation does not depend on where its element lies") {
  for (const Activation activation : kAll) {
    const std::vector<float> all = activated(activation, kX);
    for (std::size_t count = 0; count <= kX.size(); ++count) {
      const std::vector<float> some = activated(activation, std::span(kX).first(count));
      REQUIRE(std::equal(some.begin(), some.end(), all.begin()));
    }
  }
}

TEST_CASE("a NaN passes through every activation") {
  for (const Activation activation : kAll) {
    CAPTURE(static_cast<int>(activation));
    CHECK(std::isnan(activated(activation, std::array{std::nanf("")})[0]));
    CHECK(std::isnan(activated(activation, std::array{0.0f, 0.0f, 0.0f, std::nanf("")})[3]));
  }
}

}  // namespace headscope
