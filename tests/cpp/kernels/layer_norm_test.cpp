#include "kernels/layer_norm.h"

#include <catch_amalgamated.hpp>
#include <cmath>

#include "kernels/random_matrix.h"

namespace headscope {
namespace {

Matrix normed(const Matrix& x, const Matrix& gamma, const Matrix& beta, float epsilon) {
  Matrix y(x.rows(), x.cols());
  layer_norm_rows(view(x), gamma.data(), beta.data(), epsilon, view(y));
  return y;
}

float largest_error(const Matrix& x, float epsilon) {
  const Matrix gamma = random_matrix(1, x.cols(), 52), beta = random_matrix(1, x.cols(), 53);
  Matrix expected(x.rows(), x.cols());
  layer_norm_rows_reference(view(x), gamma.data(), beta.data(), epsilon, view(expected));
  return (normed(x, gamma, beta, epsilon) - expected).cwiseAbs().maxCoeff();
}

}  // namespace

TEST_CASE("layer norm equals the plain loop at every width") {
  for (const Index cols : {1, 2, 3, 4, 5, 7, 8, 9, 12, 31, 64, 257, 512}) {
    for (const float epsilon : {1e-5f, 1e-12f}) {
      CAPTURE(cols, epsilon);
      // Normed values reach about 3; each of the four roundings is 6e-8 of that.
      REQUIRE(largest_error(random_matrix(4, cols, 51, 3.0f), epsilon) <= 1e-6f);
    }
  }
}

TEST_CASE("constant rows give exactly beta, whatever the constant and the width") {
  for (const Index cols : {1, 3, 6, 7, 64, 500}) {
    const Matrix gamma = random_matrix(1, cols, 54, 2.0f), beta = random_matrix(1, cols, 55);
    for (const float constant : {0.0f, 0.1f, -7.3f, 1e-3f, 12345.678f, 1e30f}) {
      for (const float epsilon : {1e-5f, 1e-12f}) {
        CAPTURE(cols, constant, epsilon);
        REQUIRE((normed(Matrix::Constant(2, cols, constant), gamma, beta, epsilon).row(1) - beta)
                    .isZero(0.0f));
      }
    }
  }
}

TEST_CASE("a mean that is large against the spread costs no accuracy") {
  for (const float mean : {1e3f, -1e5f, 1e6f}) {
    // x itself is rounded; what follows is measured against the rounded x.
    const Matrix x = random_matrix(3, 65, 56).array() + mean;
    CAPTURE(mean);
    CHECK(largest_error(x, 1e-5f) <= 1e-6f);
  }
}

TEST_CASE("values of 1e30 do not turn into NaN") {
  const Matrix ones = Matrix::Ones(1, 9), x = random_matrix(2, 9, 57, 1e30f);
  CHECK(normed(x, ones, ones, 1e-5f).array().isFinite().all());
}

TEST_CASE("without gamma and beta a row has mean 0 and variance 1") {
  const Matrix x = random_matrix(3, 70, 58, 5.0f);
  Matrix y(3, 70);
  layer_norm_rows(view(x), nullptr, nullptr, 1e-12f, view(y));
  CHECK(y.rowwise().mean().cwiseAbs().maxCoeff() <= 1e-6f);
  CHECK((y.rowwise().squaredNorm().array() / 70.0f - 1.0f).abs().maxCoeff() <= 1e-6f);
}

TEST_CASE("layer norm may write over its input, and only over its columns") {
  const Matrix x = random_matrix(4, 13, 59), gamma = random_matrix(1, 13, 60);
  const Matrix beta = random_matrix(1, 13, 61);
  Matrix around = Matrix::Constant(4, 20, 12345.0f);
  around.middleCols(2, 13) = x;
  const MatrixView inside = cols_of(view(around), 2, 13);
  layer_norm_rows(read(inside), gamma.data(), beta.data(), 1e-5f, inside);
  CHECK(same_bits(around.middleCols(2, 13), normed(x, gamma, beta, 1e-5f)));
  CHECK((around.leftCols(2).array() == 12345.0f).all());
  CHECK((around.rightCols(5).array() == 12345.0f).all());
}

}  // namespace headscope
