#include "model/weight.h"

#include "kernels/int8_gemm.h"

namespace headscope {

Weight::Weight(Index rows, Index cols, WeightFormat format) {
  if (format == WeightFormat::kFloat32) {
    floats_ = PackedMatrix(rows, cols);
  } else {
    integers_ = Int8Matrix(rows, cols,
                           format == WeightFormat::kInt8Dot ? Int8Kernel::kDot : Int8Kernel::kWide);
  }
}

void Weight::pack_columns(ConstMatrixView b, Index first_column) {
  if (in_int8()) return integers_.pack_columns(b, first_column);
  headscope::pack_columns(b, first_column, floats_.panels());
}

void Weight::unpack_columns(Index first_column, MatrixView out) const {
  if (in_int8()) return headscope::unpack_columns(integers_.view(), first_column, out);
  headscope::unpack_columns(floats_.view(), first_column, out);
}

void multiply(Context& context, ConstMatrixView a, const Weight& b, const Epilogue& epilogue,
              MatrixView c) {
  if (b.in_int8()) return multiply(context, a, b.integers_.view(), epilogue, c);
  multiply(context, a, b.floats_.view(), epilogue, c);
}

}  // namespace headscope
