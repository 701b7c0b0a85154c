#pragma once

#include <memory>

#include "base/context.h"
#include "base/view.h"
#include "kernels/epilogue.h"
#include "kernels/panel_product.h"

namespace headscope {

/// The right-hand side B [K, N] of a product, stored as panels [ceil(N / 8)][K][8]; the columns
/// past N in the last panel are zero.
struct PackedView {
  const float* panels;
  Index rows;  // K
  Index cols;  // N
};

/// Floats that the panels of a [rows, cols] matrix take.
std::size_t packed_size(Index rows, Index cols);

/// Writes b [K, N'] into the panels of a K-row matrix at columns first_column .. first_column + N'.
/// The panels must have been zeroed before the first call where the total width is no multiple
/// of 8.
void pack_columns(ConstMatrixView b, Index first_column, float* panels);

/// Packs b^T: b is [N, K], the packed matrix [K, N]. Writes every float of the panels.
void pack_transposed(ConstMatrixView b, float* panels);

/// Packs b [K, N]. Writes every float of the panels.
void pack(ConstMatrixView b, float* panels);

/// Reads columns first_column .. first_column + out.cols() of the packed matrix into out [K, N'].
void unpack_columns(PackedView packed, Index first_column, MatrixView out);

/// A packed matrix that owns its panels: undefined at first, but for the columns past the last one.
class PackedMatrix {
 public:
  PackedMatrix() = default;
  PackedMatrix(Index rows, Index cols);
  PackedView view() const { return {panels_.get(), rows_, cols_}; }
  float* panels() { return panels_.get(); }
  Index rows() const { return rows_; }
  Index cols() const { return cols_; }

 private:
  Index rows_ = 0;
  Index cols_ = 0;
  std::unique_ptr<float[]> panels_;
};

/// c = activation(scale * a b + bias) + residual. a [M, K], b [K, N], c [M, N].
/// One thread. Every element is summed over k in ascending order, whatever M and N are.
void multiply(ConstMatrixView a, PackedView b, const Epilogue& epilogue, MatrixView c);

/// The same, spread over the threads of the context: equal to the bit for any number of them.
void multiply(Context& context, ConstMatrixView a, PackedView b, const Epilogue& epilogue,
              MatrixView c);

/// Plain-loop form of `multiply`, for tests; b [K, N] is not packed.
void multiply_reference(ConstMatrixView a, ConstMatrixView b, const Epilogue& epilogue,
                        MatrixView c);

}  // namespace headscope
