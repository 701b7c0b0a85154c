#include "kernels/gemm.h"

namespace headscope {

float finish_reference(const Epilogue& epilogue, Index i, Index j, float sum) {
  float value = epilogue.scale * sum + (epilogue.bias ? epilogue.bias[j] : 0.0f);
  // The activations have plain loops and tests of their own. Here those would bring a math library
  // into the module, whose self test runs the plain loops of products.
  activate(epilogue.activation, VectorView(&value, 1));
  return epilogue.residual ? value + epilogue.residual[i * epilogue.residual_stride + j] : value;
}

void multiply_reference(ConstMatrixView a, ConstMatrixView b, const Epilogue& epilogue,
                        MatrixView c) {
  for (Index i = 0; i < c.rows(); ++i) {
    for (Index j = 0; j < c.cols(); ++j) {
      float sum = 0.0f;
      for (Index k = 0; k < a.cols(); ++k) sum += a(i, k) * b(k, j);
      c(i, j) = finish_reference(epilogue, i, j, sum);
    }
  }
}

}  // namespace headscope
