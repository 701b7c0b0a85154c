#include "kernels/softmax.h"

#include <array>
#include <catch_amalgamated.hpp>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/random_matrix.h"

namespace headscope {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

Matrix softmax(Matrix scores) {
  std::vector<float> inverse_sums(static_cast<std::size_t>(scores.rows()));
  exp_rows(view(scores), inverse_sums);
  scale_rows(view(std::as_const(scores)), inverse_sums, view(scores));
  return scores;
}

Matrix plain_softmax(Matrix scores) {
  softmax_rows_reference(view(scores));
  return scores;
}

}  // namespace

TEST_CASE("softmax equals the plain loop at every width") {
  for (Index cols = 1; cols <= 37; ++cols) {
    const Matrix scores = random_matrix(5, cols, 41, 10.0f);
    const Matrix got = softmax(scores), expected = plain_softmax(scores);
    CAPTURE(cols);
    // A weight is at most 1; exp, the sum and its inverse are each off by about 1e-7.
    REQUIRE((got - expected).cwiseAbs().maxCoeff() <= 5e-7f);
    REQUIRE((got.rowwise().sum().array() - 1.0f).abs().maxCoeff() <= 1e-6f);
  }
}

TEST_CASE("exp has a relative error below 2e-7 down to where it leaves the normal floats") {
  for (float x = -87.0f; x < 0.0f; x += 0.0137f) {
    Matrix row(1, 5);
    row << 0.0f, x, x, x, x;
    std::array<float, 1> inverse_sum;
    exp_rows(view(row), inverse_sum);
    const double expected = std::exp(static_cast<double>(x));
    CAPTURE(x);
    REQUIRE(row(0, 0) == 1.0f);
    REQUIRE(std::abs(row(0, 1) / expected - 1.0) < 2e-7);
    // The last column takes the path for the rest of a row.
    REQUIRE(row(0, 4) == row(0, 1));
  }
}

TEST_CASE("a masked key has weight exactly 0") {
  for (const Index cols : {2, 4, 7, 12, 13}) {
    for (Index masked = 0; masked < cols; ++masked) {
      Matrix scores = random_matrix(1, cols, 42, 100.0f);
      scores(0, masked) = kMinusInfinity;
      const Matrix weights = softmax(scores);
      CAPTURE(cols, masked);
      REQUIRE(weights(0, masked) == 0.0f);
      REQUIRE((weights - plain_softmax(scores)).cwiseAbs().maxCoeff() <= 5e-7f);
    }
  }
}

TEST_CASE("a row whose keys are all masked becomes 0 with inverse sum 0") {
  for (const Index cols : {0, 1, 3, 4, 9}) {
    Matrix scores = Matrix::Constant(3, cols, kMinusInfinity);
    if (cols > 0) scores(1, cols - 1) = -3.0f;
    std::array<float, 3> inverse_sums = {7.0f, 7.0f, 7.0f};
    exp_rows(view(scores), inverse_sums);
    CAPTURE(cols);
    CHECK(inverse_sums[0] == 0.0f);
    CHECK(inverse_sums[2] == 0.0f);
    CHECK(inverse_sums[1] == (cols > 0 ? 1.0f : 0.0f));
    CHECK((scores.row(0).array() == 0.0f).all());
    CHECK((scores.row(2).array() == 0.0f).all());
  }
}

TEST_CASE("scores of 1e4 give a one-hot row, and equal scores of any size equal weights") {
  Matrix scores(3, 5);
  scores << 1e4f, 9e3f, -1e4f, 0.0f, 9.9e3f,  //
      -1e4f, -1e4f, -1e4f, -1e4f, -1e4f,      //
      3e38f, 3e38f, 3e38f, 3e38f, -3e38f;
  const Matrix weights = softmax(scores);
  CHECK(weights(0, 0) == 1.0f);
  CHECK((weights.row(0).tail(4).array() == 0.0f).all());
  CHECK((weights.row(1).array() == 0.2f).all());
  CHECK((weights.row(2).head(4).array() == 0.25f).all());
  CHECK(weights(2, 4) == 0.0f);
}

TEST_CASE("adding a constant to a row of scores does not change its weights") {
  // Multiples of 1/64 below 2^17: the sums are exact.
  Matrix scores(1, 21);
  for (Index j = 0; j < 21; ++j) scores(0, j) = static_cast<float>((j * 37) % 101) / 64.0f;
  const Matrix shifted = scores.array() + 4096.0f;
  CHECK(same_bits(softmax(scores), softmax(shifted)));
}

TEST_CASE("the weights of a row do not depend on the other rows, nor on where the row lies") {
  const Matrix scores = random_matrix(9, 23, 43, 4.0f);
  const Matrix together = softmax(scores);
  for (Index i = 0; i < scores.rows(); ++i)
    REQUIRE(same_bits(softmax(scores.row(i)), together.row(i)));

  Matrix around = Matrix::Constant(9, 40, 12345.0f);
  around.middleCols(5, 23) = scores;
  const MatrixView inside = cols_of(view(around), 5, 23);
  std::array<float, 9> inverse_sums;
  exp_rows(inside, inverse_sums);
  scale_rows(read(inside), inverse_sums, inside);
  CHECK(same_bits(around.middleCols(5, 23), together));
  CHECK((around.leftCols(5).array() == 12345.0f).all());
  CHECK((around.rightCols(12).array() == 12345.0f).all());
}

TEST_CASE("a NaN among the scores stays visible") {
  for (const Index cols : {1, 4, 6, 9}) {
    for (Index place = 0; place < cols; ++place) {
      for (const float others : {1.0f, kMinusInfinity}) {
        Matrix scores = Matrix::Constant(1, cols, others);
        scores(0, place) = std::numeric_limits<float>::quiet_NaN();
        CAPTURE(cols, place, others);
        REQUIRE(std::isnan(softmax(scores)(0, place)));
      }
    }
  }
}

}  // namespace headscope
