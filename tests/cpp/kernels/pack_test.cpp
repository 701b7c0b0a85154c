#include <catch_amalgamated.hpp>

#include "kernels/gemm.h"
#include "kernels/random_matrix.h"

namespace headscope {
namespace {

std::vector<float> garbage(Index rows, Index cols) {
  return std::vector<float>(packed_size(rows, cols), 7.0f);
}

}  // namespace

TEST_CASE("panels hold eight columns each, row by row, and zeros past the last column") {
  Matrix b(2, 9);
  for (Index i = 0; i < b.size(); ++i) b.data()[i] = static_cast<float>(i);
  std::vector<float> panels = garbage(2, 9);
  REQUIRE(panels.size() == 32);
  pack(read(view(b)), panels.data());
  CHECK(panels == std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 9,  10, 11, 12, 13, 14, 15, 16,
                                     8, 0, 0, 0, 0, 0, 0, 0, 17, 0,  0,  0,  0,  0,  0,  0});
}

TEST_CASE("packing a transposed matrix gives the panels of its transpose") {
  for (const Index rows : {0, 1, 3, 4, 5, 8, 30}) {
    for (const Index cols : {0, 1, 3, 4, 7, 8, 9, 12, 13, 21}) {
      const Matrix wide = random_matrix(cols + 1, rows + 3, 31);
      const ConstMatrixView b = rows_of(cols_of(view(wide), 2, rows), 1, cols);
      std::vector<float> panels = garbage(rows, cols), expected = garbage(rows, cols);
      pack_transposed(b, panels.data());
      pack(view(Matrix(b.transpose())), expected.data());
      CAPTURE(rows, cols);
      REQUIRE(panels == expected);
    }
  }
}

TEST_CASE("columns packed one part after the other make the same panels and come back unchanged") {
  const Matrix b = random_matrix(5, 27, 32);
  PackedMatrix parts(5, 27);
  std::vector<float> expected = garbage(5, 27);
  pack(view(b), expected.data());
  for (Index first = 0, count = 1; first < 27; first += count, count += 2) {
    const Index some = std::min<Index>(count, 27 - first);
    pack_columns(cols_of(view(b), first, some), first, parts.panels());
    Matrix back(5, some);
    unpack_columns(parts.view(), first, view(back));
    CHECK(same_bits(back, b.middleCols(first, some)));
  }
  CHECK(std::equal(expected.begin(), expected.end(), parts.panels()));
}

}  // namespace headscope
