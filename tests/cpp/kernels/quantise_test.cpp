#include "kernels/quantise.h"

#include <catch_amalgamated.hpp>
#include <cmath>
#include <limits>

#include "kernels/random_matrix.h"

namespace headscope {
namespace {

/// Memory of quantised rows.
template <class Integer>
struct Rows {
  Rows(Index rows, Index depth)
      : stride((depth + 3) / 4 * 4),
        values(static_cast<std::size_t>(rows * stride), Integer{99}),
        scales(static_cast<std::size_t>(rows)),
        sums(scales.size()) {}
  QuantisedRows<Integer> view() { return {values.data(), stride, scales.data(), sums.data()}; }
  bool operator==(const Rows&) const = default;

  Index stride;
  std::vector<Integer> values;
  std::vector<float> scales;
  std::vector<std::int32_t> sums;
};

template <class Integer>
void check_against_reference(std::int32_t limit) {
  for (const Index depth : {0, 1, 2, 3, 4, 5, 7, 8, 33, 64}) {
    const Matrix x = random_matrix(5, depth, 1, 17.0f);
    Rows<Integer> got(5, depth), expected(5, depth);
    quantise_rows(rows_of(view(x), 0, 2), limit, 0, got.view());
    quantise_rows(rows_of(view(x), 2, 3), limit, 2, got.view());
    quantise_rows_reference(view(x), limit, 0, expected.view());
    CAPTURE(depth);
    REQUIRE(got == expected);
  }
}

}  // namespace

TEST_CASE("quantised rows equal the plain loop at every odd size") {
  check_against_reference<std::int8_t>(127);
  check_against_reference<std::int16_t>(2047);
}

TEST_CASE(
    "the largest number of a row becomes the limit, and none is off by more than half a step") {
  const Matrix x = random_matrix(6, 45, 2, 3.0f);
  Rows<std::int16_t> rows(6, 45);
  quantise_rows(view(x), 2047, 0, rows.view());
  for (Index i = 0; i < 6; ++i) {
    const float scale = rows.scales[static_cast<std::size_t>(i)];
    std::int32_t largest = 0;
    for (Index k = 0; k < 45; ++k) {
      const std::int32_t integer = rows.values[static_cast<std::size_t>(i * rows.stride + k)];
      largest = std::max(largest, std::abs(integer));
      // a little more than half: the product with the inverse is rounded
      CHECK(std::abs(x(i, k) - scale * static_cast<float>(integer)) <= 0.501f * scale);
    }
    CHECK(largest == 2047);
  }
}

TEST_CASE("a row of zeros or of numbers next to zero is zeros with the scale 0") {
  Matrix x = Matrix::Zero(2, 7);
  x.row(1).setConstant(1e-40f);
  Rows<std::int8_t> rows(2, 7);
  quantise_rows(read(view(x)), 127, 0, rows.view());
  CHECK(rows.scales == std::vector<float>{0.0f, 0.0f});
  CHECK(rows.values == std::vector<std::int8_t>(16, 0));
}

TEST_CASE(
    "a row with an infinity or a NaN is zeros with the scale NaN, and no other row is touched") {
  for (const float odd :
       {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
        std::numeric_limits<float>::quiet_NaN()}) {
    for (const Index column : {0, 5, 10}) {
      Matrix x = random_matrix(3, 11, 3);
      x(1, column) = odd;
      Rows<std::int16_t> rows(3, 11), expected(3, 11);
      quantise_rows(read(view(x)), 2047, 0, rows.view());
      quantise_rows_reference(read(view(x)), 2047, 0, expected.view());
      CHECK(std::isnan(rows.scales[1]));
      CHECK(std::isnan(expected.scales[1]));
      CHECK(rows.values == expected.values);
      CHECK(rows.scales[0] == expected.scales[0]);
      CHECK(rows.scales[2] == expected.scales[2]);
    }
  }
}

}  // namespace headscope
