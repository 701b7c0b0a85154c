#pragma once

#include <utility>

#include "base/context.h"
#include "base/view.h"
#include "kernels/gemm.h"
#include "kernels/int8_matrix.h"

namespace headscope {

/// How an encoder keeps and multiplies its weights.
enum class WeightFormat { kFloat32, kInt8Wide, kInt8Dot };

/// The right-hand side [K, N] of a product, packed: in float32, or in int8 with a scale per column.
class Weight {
 public:
  Weight() = default;
  Weight(PackedMatrix packed) : floats_(std::move(packed)) {}  // wherever one is wanted
  Weight(Index rows, Index cols, WeightFormat format);

  Index rows() const { return floats_.rows() + integers_.rows(); }
  Index cols() const { return floats_.cols() + integers_.cols(); }

  /// Packs b [K, N'] as columns first_column .. first_column + N'.
  void pack_columns(ConstMatrixView b, Index first_column);
  /// Reads columns first_column .. first_column + out.cols(), from int8 as they are computed with.
  void unpack_columns(Index first_column, MatrixView out) const;

  /// c = epilogue(a b); see kernels/gemm.h.
  friend void multiply(Context& context, ConstMatrixView a, const Weight& b,
                       const Epilogue& epilogue, MatrixView c);

 private:
  bool in_int8() const { return integers_.cols() > 0; }

  // one of them is empty
  PackedMatrix floats_;
  Int8Matrix integers_;
};

}  // namespace headscope
