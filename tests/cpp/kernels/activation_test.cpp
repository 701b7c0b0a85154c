#include "kernels/activation.h"

#include <array>
#include <catch_amalgamated.hpp>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "fixtures.h"
#include "kernels/random_matrix.h"

namespace headscope {
namespace {

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
  const std::map<std::string, Activation> activations = {{"relu", Activation::kRelu},
                                                         {"gelu", Activation::kGelu},
                                                         {"gelu_tanh", Activation::kGeluTanh},
                                                         {"silu", Activation::kSilu},
                                                         {"sigmoid", Activation::kSigmoid}};
  const std::vector<fixtures::Json> cases = fixtures::cases("ffn", "activation-");
  REQUIRE(cases.size() == activations.size());
  for (const fixtures::Json& fixture : cases) {
    Matrix y = fixtures::matrix(fixture["in"]["x"]);
    activate(activations.at(fixture["attrs"]["activation"].get<std::string>()),
             VectorView(y.data(), static_cast<std::size_t>(y.size())));
    fixtures::check_output(fixture, "y", read(view(y)));
    // Sharper than the fixture's own tolerance: arguments reach 10, where an ulp is 1e-6.
    CHECK(fixtures::largest_difference(read(view(y)), fixtures::matrix(fixture["out"]["y"])) <=
          1e-6f);
  }
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
  const Matrix values = random_matrix(1, 27, 71, 6.0f);
  const std::span<const float> x(values.data(), 27);
  for (const Activation activation : kAll) {
    const std::vector<float> all = activated(activation, x);
    for (std::size_t count = 0; count <= x.size(); ++count) {
      const std::vector<float> some = activated(activation, x.first(count));
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
