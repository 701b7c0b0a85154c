#pragma once

#include <cstdint>
#include <vector>

#include "base/view.h"

namespace headscope {

/// How a product in int8 is computed. Wide: rows of 12 bits, multiplied in 16 bits, in every build.
/// Dot: rows of 8 bits, in the instruction for it (relaxed SIMD), where the engine computes that of
/// whole bytes: kernels/int8_kernel.h tells. Weights have 8 bits in both.
enum class Int8Kernel { kWide, kDot };

/// Rows of a weight that lie side by side in a panel: as many as one lane of the kernel's sums
/// takes in.
inline Index group_rows(Int8Kernel kernel) { return kernel == Int8Kernel::kDot ? 4 : 2; }

/// A weight [K, N] as integers with a scale per column, stored as panels [ceil(N / 8)][ceil(K /
/// G)][8][G]; G = group_rows. What is past K and N counts zero.
struct Int8View {
  const std::int8_t* panels;
  const float* scales;  // [N], padded with zeros to a multiple of 8
  Index rows;           // K
  Index cols;           // N
  Int8Kernel kernel;
  std::int32_t offset;  // added to the integers: 128 where dot takes bytes without a sign, else 0

  Index panel_bytes() const;
};

/// An int8 weight that owns its panels (zero at first).
class Int8Matrix {
 public:
  Int8Matrix() = default;
  Int8Matrix(Index rows, Index cols, Int8Kernel kernel);
  Int8Matrix(Index rows, Index cols, Int8Kernel kernel, std::int32_t offset);

  Int8View view() const { return {panels_.data(), scales_.data(), rows_, cols_, kernel_, offset_}; }
  Index rows() const { return rows_; }
  Index cols() const { return cols_; }

  /// Quantises b [K, N'] to columns first_column .. first_column + N': a column's largest number
  /// becomes 127, the others the nearest integers. A column with an infinity or a NaN becomes NaN.
  void pack_columns(ConstMatrixView b, Index first_column);

 private:
  void pack_column(const float* from, Index stride, float inverse, Index column);

  Index rows_ = 0;
  Index cols_ = 0;
  Int8Kernel kernel_ = Int8Kernel::kWide;
  std::int32_t offset_ = 0;
  std::vector<std::int8_t> panels_;
  std::vector<float> scales_;
};

/// The integer of a weight, without offset.
std::int32_t integer_at(Int8View weight, Index row, Index column);

/// Reads columns first_column .. first_column + out.cols() as floats into out [K, N'].
void unpack_columns(Int8View weight, Index first_column, MatrixView out);

}  // namespace headscope
