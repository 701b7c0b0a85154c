#include "kernels/finite.h"

#include <cmath>

#include "kernels/simd.h"

namespace headscope {

bool all_finite(ConstVectorView values) {
  const float* x = values.data();
  const Index count = static_cast<Index>(values.size());
  // zero times a finite value is zero; times any other it is not a number, which stays in the sum
  const F32x4 zero = splat(0.0f);
  F32x4 sum = zero;
  Index i = 0;
  for (; i + kLanes <= count; i += kLanes) sum += zero * load(x + i);
  float rest = 0.0f;
  for (; i < count; ++i) rest += 0.0f * x[i];
  for (int lane = 0; lane < kLanes; ++lane) rest += sum[lane];
  return !std::isnan(rest);
}

}  // namespace headscope
