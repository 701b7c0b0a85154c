#include "kernels/int8_matrix.h"

#include <catch_amalgamated.hpp>
#include <cmath>

#include "kernels/int8_gemm.h"
#include "kernels/random_matrix.h"

namespace headscope {
namespace {

constexpr Int8Kernel kKernels[] = {Int8Kernel::kWide, Int8Kernel::kDot};

Matrix unpacked(const Int8Matrix& weight) {
  Matrix out(weight.rows(), weight.cols());
  unpack_columns(weight.view(), 0, view(out));
  return out;
}

}  // namespace

TEST_CASE("an int8 weight is read back within half a step of its column") {
  for (const Int8Kernel kernel : kKernels) {
    for (const Index rows : {1, 2, 3, 5, 16, 21}) {
      for (const Index cols : {1, 8, 13}) {
        const Matrix b = random_matrix(rows, cols, 1, 0.3f);
        Int8Matrix weight(rows, cols, kernel);
        weight.pack_columns(view(b), 0);
        const Matrix got = unpacked(weight);
        CAPTURE(static_cast<int>(kernel), rows, cols);
        for (Index j = 0; j < cols; ++j) {
          const float step = b.col(j).cwiseAbs().maxCoeff() / 127.0f;
          REQUIRE((got.col(j) - b.col(j)).cwiseAbs().maxCoeff() <= 0.501f * step);
        }
      }
    }
  }
}

TEST_CASE("int8 weights packed side by side equal those packed at once") {
  const Matrix b = random_matrix(11, 27, 2);
  for (const Int8Kernel kernel : kKernels) {
    Int8Matrix whole(11, 27, kernel), parts(11, 27, kernel);
    whole.pack_columns(view(b), 0);
    parts.pack_columns(cols_of(view(b), 0, 5), 0);
    parts.pack_columns(cols_of(view(b), 5, 13), 5);
    parts.pack_columns(cols_of(view(b), 18, 9), 18);
    CHECK(same_bits(unpacked(parts), unpacked(whole)));
    Matrix middle(11, 13);
    unpack_columns(whole.view(), 5, view(middle));
    CHECK(same_bits(middle, unpacked(whole).middleCols(5, 13)));
  }
}

TEST_CASE("weights that came from int8 with a scale per column come back as they were") {
  Matrix b(40, 9);
  for (Index j = 0; j < b.cols(); ++j) {
    const float scale = 0.0013f * static_cast<float>(j + 1);
    for (Index k = 0; k < b.rows(); ++k)
      b(k, j) = scale * static_cast<float>((k * 37 + j) % 255 - 127);
    b(7, j) = -127.0f * scale;
  }
  for (const Int8Kernel kernel : kKernels) {
    Int8Matrix weight(40, 9, kernel);
    weight.pack_columns(read(view(b)), 0);
    // the scale is rounded once more
    CHECK(((unpacked(weight) - b).array().abs() <= 2e-7f * b.array().abs()).all());
  }
}

TEST_CASE("int8 weights mean the same where the instruction takes their bytes with a sign") {
  const Matrix a = random_matrix(6, 43, 3), b = random_matrix(43, 19, 4);
  Int8Matrix unsigned_bytes(43, 19, Int8Kernel::kDot, 128),
      signed_bytes(43, 19, Int8Kernel::kDot, 0);
  unsigned_bytes.pack_columns(view(b), 0);
  signed_bytes.pack_columns(view(b), 0);
  CHECK(same_bits(unpacked(signed_bytes), unpacked(unsigned_bytes)));
  Matrix with_sign(6, 19), without(6, 19);
  multiply_reference(view(a), signed_bytes.view(), {}, view(with_sign));
  multiply_reference(view(a), unsigned_bytes.view(), {}, view(without));
  CHECK(same_bits(with_sign, without));
  // Stored as they are, or with 128 more: the first weight of the first panel.
  const auto shifted = static_cast<std::uint8_t>(signed_bytes.view().panels[0] + 128);
  CHECK(static_cast<std::uint8_t>(unsigned_bytes.view().panels[0]) == shifted);
}

}  // namespace headscope
