#include "kernels/int8_gemm.h"

#include <catch_amalgamated.hpp>
#include <cmath>
#include <limits>

#include "kernels/int8_kernel.h"
#include "kernels/random_matrix.h"

namespace headscope {
namespace {

/// Those that this engine computes rightly.
std::vector<Int8Kernel> right_kernels() {
  if (int8_kernel_agrees(Int8Kernel::kDot)) return {Int8Kernel::kWide, Int8Kernel::kDot};
  return {Int8Kernel::kWide};
}

Int8Matrix quantised(const Matrix& b, Int8Kernel kernel) {
  Int8Matrix result(b.rows(), b.cols(), kernel);
  result.pack_columns(view(b), 0);
  return result;
}

Matrix product(const Matrix& a, const Int8Matrix& b, const Epilogue& epilogue = {},
               int threads = 1) {
  Context context(threads);
  Matrix c(a.rows(), b.cols());
  multiply(context, view(a), b.view(), epilogue, view(c));
  return c;
}

Matrix plain_product(const Matrix& a, const Int8Matrix& b, const Epilogue& epilogue = {}) {
  Matrix c(a.rows(), b.cols());
  multiply_reference(view(a), b.view(), epilogue, view(c));
  return c;
}

/// Numbers that quantise to themselves with the scale 1: whole, and the largest is the limit.
Matrix whole_numbers(Index rows, Index cols, std::uint32_t seed, Index limit, bool by_row) {
  Matrix m = random_matrix(rows, cols, seed, static_cast<float>(limit)).array().round();
  if (by_row) m.col(0).setConstant(static_cast<float>(limit));
  if (!by_row) m.row(0).setConstant(static_cast<float>(-limit));
  return m;
}

}  // namespace

TEST_CASE("the dot kernel is right wherever its instruction is stood in for") {
#if !defined(__wasm__)
  CHECK(int8_kernel_agrees(Int8Kernel::kDot));
#elif !defined(__wasm_relaxed_simd__)
  CHECK_FALSE(int8_kernel_agrees(Int8Kernel::kDot));
#endif
  CHECK((best_int8_kernel() == Int8Kernel::kDot) == int8_kernel_agrees(Int8Kernel::kDot));
}

TEST_CASE("an int8 product of whole numbers is exact at every odd size") {
  for (const Int8Kernel kernel : right_kernels()) {
    for (const Index rows : {1, 2, 3, 5, 6, 7, 13, 97}) {
      for (const Index cols : {1, 7, 8, 19}) {
        for (const Index depth : {1, 2, 3, 4, 5, 33}) {
          const Matrix a = whole_numbers(rows, depth, 1, row_limit(kernel, depth), true);
          const Matrix b = whole_numbers(depth, cols, 2, 127, false);
          CAPTURE(static_cast<int>(kernel), rows, cols, depth);
          // sums below 2^24: floats hold them
          REQUIRE(product(a, quantised(b, kernel)) == a * b);
        }
      }
    }
  }
}

TEST_CASE("an int8 product equals the plain loop to the bit") {
  for (const Int8Kernel kernel : right_kernels()) {
    for (const Index rows : {0, 1, 4, 5, 11, 193}) {
      for (const Index cols : {0, 3, 8, 21}) {
        for (const Index depth : {0, 1, 6, 47}) {
          const Matrix a = random_matrix(rows, depth, 3), b = random_matrix(depth, cols, 4);
          const Int8Matrix weight = quantised(b, kernel);
          CAPTURE(static_cast<int>(kernel), rows, cols, depth);
          REQUIRE(product(a, weight) == plain_product(a, weight));
        }
      }
    }
  }
}

TEST_CASE("an int8 product equals the plain loop across its blocks of rows") {
  // blocks of at most 256 rows, and of at most 768 KB
  const std::pair<Index, Index> shapes[] = {{256, 3}, {257, 3}, {600, 5}, {300, 4096}, {24, 40000}};
  for (const Int8Kernel kernel : right_kernels()) {
    for (const auto& [rows, depth] : shapes) {
      const Matrix a = random_matrix(rows, depth, 3), b = random_matrix(depth, 11, 4);
      const Int8Matrix weight = quantised(b, kernel);
      CAPTURE(static_cast<int>(kernel), rows, depth);
      CHECK(product(a, weight) == plain_product(a, weight));
    }
  }
}

TEST_CASE("an int8 product is as close as its bits allow") {
  const Index depth = 256;
  const Matrix a = random_matrix(20, depth, 5), b = random_matrix(depth, 24, 6), exact = a * b;
  for (const Int8Kernel kernel : right_kernels()) {
    // A step is 1/127 of a weight, 1/2047 or 1/127 of an input. Uniform errors of half a step add
    // up like the root of the depth; four standard deviations.
    const float weight_step = 1.0f / 127;
    const float row_step = 1.0f / static_cast<float>(row_limit(kernel, depth));
    const float deviation = std::sqrt(static_cast<float>(depth) / 36 *
                                      (weight_step * weight_step + row_step * row_step));
    CAPTURE(static_cast<int>(kernel));
    CHECK((product(a, quantised(b, kernel)) - exact).cwiseAbs().maxCoeff() <= 4.0f * deviation);
  }
}

TEST_CASE("an int8 epilogue is that of a float product") {
  const Matrix a = random_matrix(9, 14, 7), bias = random_matrix(1, 19, 8),
               residual = random_matrix(9, 20, 9);
  for (const Int8Kernel kernel : right_kernels()) {
    for (const Index cols : {8, 19}) {
      const Int8Matrix b = quantised(random_matrix(14, cols, 10), kernel);
      for (const Activation activation :
           {Activation::kIdentity, Activation::kRelu, Activation::kGelu, Activation::kSilu}) {
        const Epilogue epilogue = {-1.5f, bias.data(), activation, residual.data(), 20};
        CAPTURE(static_cast<int>(kernel), cols, static_cast<int>(activation));
        // rounding and the activation's own error
        CHECK((product(a, b, epilogue) - plain_product(a, b, epilogue)).cwiseAbs().maxCoeff() <=
              2e-6f);
      }
    }
  }
}

TEST_CASE("a row of an int8 product does not depend on the rows or threads it is computed with") {
  for (const Int8Kernel kernel : right_kernels()) {
    const Matrix a = random_matrix(113, 301, 11);
    const Int8Matrix b = quantised(random_matrix(301, 29, 12), kernel);
    const Matrix whole = product(a, b);
    for (const Index count : {1, 2, 3, 5, 6, 7, 64, 97}) {
      REQUIRE(same_bits(product(a.topRows(count), b), whole.topRows(count)));
      REQUIRE(same_bits(product(a.bottomRows(count), b), whole.bottomRows(count)));
    }
    for (const int threads : {2, 3, 4}) REQUIRE(same_bits(product(a, b, {}, threads), whole));
  }
}

TEST_CASE("the largest sums of a deep int8 product do not overflow") {
  for (const Int8Kernel kernel : right_kernels()) {
    for (const Index depth : {8000, 8256, 8257, 40000, 100000}) {
      const Matrix a = Matrix::Constant(3, depth, -2.0f), b = Matrix::Constant(depth, 9, 3.0f);
      const float sum = -6.0f * static_cast<float>(depth);
      CAPTURE(static_cast<int>(kernel), depth);
      // every number is the largest of its row or column, and is kept up to rounding
      CHECK((product(a, quantised(b, kernel)).array() / sum - 1.0f).abs().maxCoeff() <= 1e-6f);
    }
  }
}

TEST_CASE("the limit of a row is what its documentation says") {
  CHECK(row_limit(Int8Kernel::kWide, 8256) == 2047);
  CHECK(row_limit(Int8Kernel::kWide, 8264) < 2047);
  CHECK(row_limit(Int8Kernel::kDot, 66311) == 127);
  CHECK(row_limit(Int8Kernel::kDot, 66312) < 127);
}

TEST_CASE("an int8 residual may be the product's own memory") {
  for (const Int8Kernel kernel : right_kernels()) {
    for (const Index cols : {16, 13}) {
      Context context(1);
      const Matrix a = random_matrix(15, 6, 13), before = random_matrix(15, cols, 14);
      const Int8Matrix b = quantised(random_matrix(6, cols, 15), kernel);
      Matrix c = before;
      multiply(context, view(a), b.view(), {1.0f, nullptr, Activation::kIdentity, c.data(), cols},
               view(c));
      CHECK(
          same_bits(c, product(a, b, {1.0f, nullptr, Activation::kIdentity, before.data(), cols})));
    }
  }
}

TEST_CASE(
    "a NaN reaches the row and the column of an int8 product that it belongs to, and no other") {
  for (const Int8Kernel kernel : right_kernels()) {
    Matrix a = random_matrix(7, 9, 16), b = random_matrix(9, 11, 17);
    a(3, 4) = std::numeric_limits<float>::quiet_NaN();
    const Matrix by_row = product(a, quantised(b, kernel));
    CHECK(by_row.row(3).array().isNaN().all());
    CHECK((by_row.array().isNaN().rowwise().count() == 0).count() == 6);
    a(3, 4) = 0.0f;
    b(2, 10) = std::numeric_limits<float>::infinity();
    const Matrix by_column = product(a, quantised(b, kernel));
    CHECK(by_column.col(10).array().isNaN().all());
    CHECK(by_column.leftCols(10).array().isFinite().all());
  }
}

}  // namespace headscope
