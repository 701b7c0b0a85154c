#include "kernels/gemm.h"

#include <catch_amalgamated.hpp>
#include <limits>

#include "kernels/random_matrix.h"

namespace headscope {
namespace {

constexpr float kCanary = 12345.0f;

PackedMatrix packed(const Matrix& b) {
  PackedMatrix p(b.rows(), b.cols());
  pack(view(b), p.panels());
  return p;
}

Matrix product(const Matrix& a, const Matrix& b, const Epilogue& epilogue = {}) {
  Matrix c(a.rows(), b.cols());
  multiply(view(a), packed(b).view(), epilogue, view(c));
  return c;
}

Matrix plain_product(const Matrix& a, const Matrix& b, const Epilogue& epilogue = {}) {
  Matrix c(a.rows(), b.cols());
  multiply_reference(view(a), view(b), epilogue, view(c));
  return c;
}

float difference(const Matrix& a, const Matrix& b) {
  return a.size() == 0 ? 0.0f : (a - b).cwiseAbs().maxCoeff();
}

/// Two sums of `depth` products of numbers below 1 in the same order, one perhaps fused: half an
/// ulp of at most `depth` for every step.
float rounding(Index depth) { return 6e-8f * static_cast<float>(1 + depth * depth); }

}  // namespace

TEST_CASE("a product equals the plain loop at every odd size") {
  for (const Index rows : {0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 97, 193}) {
    for (const Index cols : {0, 1, 3, 7, 8, 9, 16, 19}) {
      for (const Index depth : {0, 1, 2, 5, 33}) {
        const Matrix a = random_matrix(rows, depth, 1), b = random_matrix(depth, cols, 2);
        CAPTURE(rows, cols, depth);
        REQUIRE(difference(product(a, b), plain_product(a, b)) <= rounding(depth));
      }
    }
  }
}

TEST_CASE("a product of many or of deep rows equals the plain loop across its blocks of rows") {
  // blocks of at most 256 rows, and of at most 768 KB
  const std::pair<Index, Index> shapes[] = {{256, 3}, {257, 3}, {600, 5}, {300, 1024}, {12, 40000}};
  for (const auto& [rows, depth] : shapes) {
    const Matrix a = random_matrix(rows, depth, 1), b = random_matrix(depth, 11, 2);
    CAPTURE(rows, depth);
    const Matrix whole = product(a, b);
    // partial sums of the root of the depth in size, as many roundings
    CHECK(difference(whole, plain_product(a, b)) <= 1e-6f + 1e-7f * static_cast<float>(depth));
    for (const Index count : {Index{1}, rows / 2}) {
      CHECK(same_bits(product(a.bottomRows(count), b), whole.bottomRows(count)));
    }
  }
}

TEST_CASE("a product writes nothing outside its rows and columns") {
  for (const Index cols : {1, 5, 8, 13}) {
    const Index rows = 7, stride = 21;
    const Matrix a = random_matrix(rows, 10, 3), b = random_matrix(10, cols, 4);
    Matrix around = Matrix::Constant(rows + 2, stride, kCanary);
    multiply(view(a), packed(b).view(), {}, cols_of(rows_of(view(around), 1, rows), 3, cols));
    CAPTURE(cols);
    CHECK(same_bits(around.block(1, 3, rows, cols), product(a, b)));
    around.block(1, 3, rows, cols).setConstant(kCanary);
    CHECK((around.array() == kCanary).all());
  }
}

TEST_CASE("a product reads rows that lie apart") {
  const Matrix wide = random_matrix(9, 40, 5), b = random_matrix(11, 12, 6);
  Matrix c(9, 12);
  multiply(cols_of(view(wide), 13, 11), packed(b).view(), {}, view(c));
  CHECK(same_bits(c, product(wide.middleCols(13, 11), b)));
}

TEST_CASE("a row of a product does not depend on the rows computed with it") {
  const Matrix a = random_matrix(113, 53, 7), b = random_matrix(53, 29, 8);
  const Matrix whole = product(a, b);
  for (Index i = 0; i < a.rows(); ++i) REQUIRE(same_bits(product(a.row(i), b), whole.row(i)));
  for (const Index count : {2, 3, 5, 6, 7, 64, 97}) {
    REQUIRE(same_bits(product(a.topRows(count), b), whole.topRows(count)));
  }
}

TEST_CASE("a column of a product does not depend on the columns computed with it") {
  const Matrix a = random_matrix(13, 53, 9), b = random_matrix(53, 29, 10);
  const Matrix whole = product(a, b);
  for (Index j = 0; j < b.cols(); ++j) REQUIRE(same_bits(product(a, b.col(j)), whole.col(j)));
}

TEST_CASE("any number of threads gives the bits of one") {
  for (const int threads : {1, 2, 3, 4}) {
    Context context(threads);
    for (const Index rows : {1, 7, 64, 211}) {
      for (const Index cols : {5, 64, 203}) {
        const Matrix a = random_matrix(rows, 301, 11), b = random_matrix(301, cols, 12);
        const Matrix bias = random_matrix(1, cols, 13);
        const Epilogue epilogue = {0.5f, bias.data(), Activation::kGelu, nullptr, 0};
        Matrix c(rows, cols);
        multiply(context, view(a), packed(b).view(), epilogue, view(c));
        CAPTURE(threads, rows, cols);
        REQUIRE(same_bits(c, product(a, b, epilogue)));
      }
    }
  }
}

TEST_CASE("an epilogue scales, adds the bias, activates and adds the residual, in this order") {
  for (const Activation activation :
       {Activation::kIdentity, Activation::kRelu, Activation::kGelu, Activation::kGeluTanh,
        Activation::kSilu, Activation::kSigmoid}) {
    for (const Index cols : {8, 11}) {
      for (const bool with_bias : {false, true}) {
        for (const bool with_residual : {false, true}) {
          const Index rows = 9, depth = 14;
          const Matrix a = random_matrix(rows, depth, 14), b = random_matrix(depth, cols, 15);
          const Matrix bias = random_matrix(1, cols, 16), residual = random_matrix(rows, 20, 17);
          const Epilogue epilogue = {-1.5f, with_bias ? bias.data() : nullptr, activation,
                                     with_residual ? residual.data() : nullptr, 20};
          CAPTURE(static_cast<int>(activation), cols, with_bias, with_residual);
          // Activations are off by less than 1e-6; no slope exceeds 1.2.
          REQUIRE(difference(product(a, b, epilogue), plain_product(a, b, epilogue)) <=
                  1e-6f + 2.0f * rounding(depth));
        }
      }
    }
  }
}

TEST_CASE("a residual may be the product's own memory") {
  for (const Activation activation : {Activation::kIdentity, Activation::kRelu}) {
    for (const Index cols : {16, 13}) {
      const Matrix a = random_matrix(15, 6, 18), b = random_matrix(6, cols, 19);
      const Matrix before = random_matrix(15, cols, 20);
      Matrix c = before;
      multiply(view(a), packed(b).view(), {1.0f, nullptr, activation, c.data(), cols}, view(c));
      CHECK(same_bits(c, product(a, b, {1.0f, nullptr, activation, before.data(), cols})));
    }
  }
}

TEST_CASE("a product of depth 0 is the activated bias") {
  const Matrix a(3, 0), b(0, 9), bias = random_matrix(1, 9, 21);
  const Matrix c = product(a, b, {1.0f, bias.data(), Activation::kRelu, nullptr, 0});
  for (Index i = 0; i < 3; ++i) CHECK(c.row(i) == bias.cwiseMax(0.0f));
}

TEST_CASE("a NaN reaches the row and the column it belongs to, and no other") {
  const Index rows = 7, depth = 9, cols = 11;
  Matrix a = random_matrix(rows, depth, 22), b = random_matrix(depth, cols, 23);
  a(3, 4) = std::numeric_limits<float>::quiet_NaN();
  const Matrix by_row = product(a, b, {1.0f, nullptr, Activation::kRelu, nullptr, 0});
  CHECK((by_row.array().isNaN().rowwise().count() == 0).count() == rows - 1);
  CHECK(by_row.row(3).array().isNaN().all());
  a(3, 4) = 0.0f;
  b(2, 10) = std::numeric_limits<float>::quiet_NaN();
  const Matrix by_column = product(a, b);
  CHECK(by_column.col(10).array().isNaN().all());
  CHECK(by_column.leftCols(10).array().isFinite().all());
}

}  // namespace headscope
