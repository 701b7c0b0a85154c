#pragma once

#include <cstdint>

#include "base/view.h"

namespace headscope {

/// How numbers up to `largest` in size become integers up to `limit`: x is about scale * round(x *
/// inverse). Numbers too small for that become 0. Where `largest` is not finite the scale is NaN,
/// and the integers must be 0.
struct Quantiser {
  Quantiser(float largest, std::int32_t limit) {
    constexpr float kSmallest = 1e-30f;  // below, the inverse could overflow
    const float bound = static_cast<float>(limit);
    if (largest < kSmallest) return;
    scale = largest - largest + largest / bound;  // NaN for an infinity, too
    inverse = scale < 0.0f || scale >= 0.0f ? bound / largest : 0.0f;
  }
  float scale = 0.0f;
  float inverse = 0.0f;
};

/// Rows as integers with a scale per row; what is past their end, up to the stride, is 0.
template <class Integer>
struct QuantisedRows {
  Integer* values;
  Index stride;
  float* scales;
  std::int32_t* sums;  // of each row's integers
};

/// Quantises x [M, K] to rows first .. first + M: a row's largest number becomes `limit`, the
/// others the nearest integers. A row with an infinity or a NaN gets the scale NaN. The stride is
/// K, rounded up to a multiple of 4.
template <class Integer>
void quantise_rows(ConstMatrixView x, std::int32_t limit, Index first,
                   const QuantisedRows<Integer>& rows);

/// Plain-loop form of `quantise_rows`, for tests.
template <class Integer>
void quantise_rows_reference(ConstMatrixView x, std::int32_t limit, Index first,
                             const QuantisedRows<Integer>& rows);

}  // namespace headscope
