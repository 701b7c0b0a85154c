#include "kernels/quantise.h"

#include <bit>

#include "kernels/simd.h"

namespace headscope {
namespace {

/// The bits of the largest size in a row. As integers they are ordered like the numbers, with
/// infinity and NaN on top.
std::int32_t largest_bits(const float* x, Index count) {
  I32x4 largest = {};
  const auto take = [&](F32x4 v) {
    const I32x4 bits = reinterpret_cast<I32x4>(abs(v));
    largest = bits > largest ? bits : largest;
  };
  Index k = 0;
  for (; k + kLanes <= count; k += kLanes) take(load(x + k));
  take(load_partial(x + k, count - k, 0.0f));
  return std::max(std::max(largest[0], largest[1]), std::max(largest[2], largest[3]));
}

/// Returns the sum of the integers. Writes whole fours.
template <class Integer>
std::int32_t quantise_row(const float* x, Index count, float inverse, Integer* out) {
  const F32x4 factor = splat(inverse);
  const NearestInteger nearest;
  I32x4 sums = {};
  Index k = 0;
  for (; k + kLanes <= count; k += kLanes) {
    const I32x4 integers = nearest(load(x + k) * factor);
    sums += integers;
    store_narrowed(out + k, integers);
  }
  if (k < count) {
    const I32x4 integers = nearest(load_partial(x + k, count - k, 0.0f) * factor);
    sums += integers;
    store_narrowed(out + k, integers);
  }
  return sums[0] + sums[1] + sums[2] + sums[3];
}

}  // namespace

template <class Integer>
void quantise_rows(ConstMatrixView x, std::int32_t limit, Index first,
                   const QuantisedRows<Integer>& rows) {
  for (Index i = 0; i < x.rows(); ++i) {
    const Index row = first + i;
    const float* from = x.data() + i * x.outerStride();
    Integer* to = rows.values + row * rows.stride;
    const Quantiser quantiser(std::bit_cast<float>(largest_bits(from, x.cols())), limit);
    rows.scales[row] = quantiser.scale;
    if (quantiser.inverse == 0.0f) {  // not the product: 0 times an infinity
      rows.sums[row] = 0;
      std::fill_n(to, rows.stride, Integer{0});
    } else {
      rows.sums[row] = quantise_row(from, x.cols(), quantiser.inverse, to);
    }
  }
}

template void quantise_rows(ConstMatrixView, std::int32_t, Index,
                            const QuantisedRows<std::int8_t>&);
template void quantise_rows(ConstMatrixView, std::int32_t, Index,
                            const QuantisedRows<std::int16_t>&);

}  // namespace headscope
