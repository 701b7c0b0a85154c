#include "model/multi_head_attention.h"

#include <utility>

#include "kernels/gemm.h"

namespace headscope {
namespace {

/// x w + bias for a plain w.
Matrix project(Context& context, ConstMatrixView x, ConstMatrixView w, const float* bias) {
  PackedMatrix packed(w.rows(), w.cols());
  pack(w, packed.panels());
  Matrix out(x.rows(), w.cols());
  multiply(context, x, packed.view(), {.bias = bias}, view(out));
  return out;
}

}  // namespace

void multi_head_attention(Context& context, const MultiHeadAttentionInputs& inputs,
                          const AttentionOptions& options, Trace& trace, MatrixView output) {
  const ConstMatrixView memory = inputs.memory.value_or(inputs.x);
  Matrix query = project(context, inputs.x, inputs.wq, inputs.bq);
  Matrix key = project(context, memory, inputs.wk, inputs.bk);
  const Matrix value = project(context, memory, inputs.wv, inputs.bv);
  Matrix concat(inputs.x.rows(), value.cols());
  const Sequence sequence{0, query.rows(), 0, key.rows(), &trace};
  attend(context, options, {&sequence, 1}, view(query), view(key), view(value), view(concat));
  if (trace.has(Capture::kConcat, options.layer))
    trace.matrix(Capture::kConcat, options.layer) = concat;
  output = project(context, view(std::as_const(concat)), inputs.wo, inputs.bo);
}

}  // namespace headscope
