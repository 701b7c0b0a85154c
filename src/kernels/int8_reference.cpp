#include <cmath>

#include "kernels/int8_gemm.h"

namespace headscope {

template <class Integer>
void quantise_rows_reference(ConstMatrixView x, std::int32_t limit, Index first,
                             const QuantisedRows<Integer>& rows) {
  for (Index i = 0; i < x.rows(); ++i) {
    float largest = 0.0f;
    for (Index k = 0; k < x.cols() && std::isfinite(largest); ++k) {
      if (!(std::abs(x(i, k)) <= largest)) largest = std::abs(x(i, k));
    }
    const Quantiser quantiser(largest, limit);
    rows.scales[first + i] = quantiser.scale;
    rows.sums[first + i] = 0;
    for (Index k = 0; k < rows.stride; ++k) {
      const bool counts = k < x.cols() && quantiser.inverse > 0.0f;
      const float integer = counts ? std::nearbyint(x(i, k) * quantiser.inverse) : 0.0f;
      rows.values[(first + i) * rows.stride + k] = static_cast<Integer>(integer);
      rows.sums[first + i] += static_cast<std::int32_t>(integer);
    }
  }
}

template void quantise_rows_reference(ConstMatrixView, std::int32_t, Index,
                                      const QuantisedRows<std::int8_t>&);
template void quantise_rows_reference(ConstMatrixView, std::int32_t, Index,
                                      const QuantisedRows<std::int16_t>&);

void multiply_reference(ConstMatrixView a, Int8View b, const Epilogue& epilogue, MatrixView c) {
  const Index depth = a.cols();
  std::vector<std::int16_t> values(static_cast<std::size_t>(depth));
  float scale;
  std::int32_t row_sum;
  for (Index i = 0; i < c.rows(); ++i) {
    quantise_rows_reference<std::int16_t>(rows_of(a, i, 1), row_limit(b.kernel, depth), 0,
                                          {values.data(), depth, &scale, &row_sum});
    for (Index j = 0; j < c.cols(); ++j) {
      std::int32_t sum = 0;
      for (Index k = 0; k < depth; ++k)
        sum += values[static_cast<std::size_t>(k)] * integer_at(b, k, j);
      c(i, j) = finish_reference(epilogue, i, j, static_cast<float>(sum) * (scale * b.scales[j]));
    }
  }
}

}  // namespace headscope
