#pragma once

#include "base/view.h"

namespace headscope {

/// Replaces each row s by exp(s - max s) and writes 1 / (sum of the new row) to inverse_sums
/// [rows]. A row whose entries are all -infinity (or which has no entry) becomes 0 with inverse sum
/// 0.
void exp_rows(MatrixView scores, VectorView inverse_sums);

/// out[r][j] = factors[r] * in[r][j]. `in` and `out` may be the same memory.
void scale_rows(ConstMatrixView in, ConstVectorView factors, MatrixView out);

/// Softmax of each row, in place, in the plain-loop form that tests compare with: the row maximum
/// is subtracted; a row of -infinity becomes 0.
void softmax_rows_reference(MatrixView scores);

}  // namespace headscope
