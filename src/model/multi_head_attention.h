#pragma once

#include <optional>

#include "model/attention.h"

namespace headscope {

/// The matrices of multi-head attention by itself; weights are [in, out], biases may be null.
struct MultiHeadAttentionInputs {
  ConstMatrixView x;  // [T, D]
  std::optional<ConstMatrixView>
      memory;                  // [M, D_memory]: keys and values come from it instead of x
  ConstMatrixView wq, wk, wv;  // [D, D'], [D or D_memory, D'], [D or D_memory, D'']
  ConstMatrixView wo;          // [D'', D_out]
  const float* bq = nullptr;
  const float* bk = nullptr;
  const float* bv = nullptr;
  const float* bo = nullptr;
};

/// output [T, D_out] (out) = concat(head_0 .. head_{H-1}) W^O + b_O (Vaswani et al. 2017,
/// section 3.2.2). `trace` keeps what it has room for, per head and, as kConcat, the gated contexts
/// side by side. A query with no key to see gives the row b_O.
void multi_head_attention(Context& context, const MultiHeadAttentionInputs& inputs,
                          const AttentionOptions& options, Trace& trace, MatrixView output);

}  // namespace headscope
