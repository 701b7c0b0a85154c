#include "kernels/activation.h"

#include "kernels/exp.h"
#include "kernels/simd.h"

namespace headscope {
namespace {

F32x4 relu(F32x4 x) { return max(x, splat(0.0f)); }

/// 1 / (1 + e^-x), through e^-|x| so that nothing overflows.
F32x4 sigmoid(F32x4 x) {
  const F32x4 e = exp_nonpositive(-abs(x));
  return select(x < splat(0.0f), e, splat(1.0f)) / (splat(1.0f) + e);
}

F32x4 silu(F32x4 x) { return x * sigmoid(x); }

/// (1 + tanh u) / 2 is the logistic function of 2u.
F32x4 gelu_tanh(F32x4 x) {
  const float twice_root_two_over_pi = 1.5957691216f;
  const F32x4 cubic = madd(x * x, splat(0.044715f), splat(1.0f));
  return x * sigmoid(x * cubic * splat(twice_root_two_over_pi));
}

/// erfc(z) for z >= 0, to 1.5e-7: Abramowitz & Stegun 7.1.26.
F32x4 erfc_nonnegative(F32x4 z) {
  const F32x4 t = splat(1.0f) / madd(z, splat(0.3275911f), splat(1.0f));
  F32x4 p = splat(1.061405429f);
  p = madd(p, t, splat(-1.453152027f));
  p = madd(p, t, splat(1.421413741f));
  p = madd(p, t, splat(-0.284496736f));
  p = madd(p, t, splat(0.254829592f));
  return p * t * exp_nonpositive(-(z * z));
}

/// x/2 (1 + erf(x / sqrt 2)) = max(x, 0) - |x|/2 erfc(|x| / sqrt 2): small errors of erfc stay small in
/// the tails, where 1 + erf would cancel.
F32x4 gelu(F32x4 x) {
  const F32x4 size = abs(x);
  return relu(x) - splat(0.5f) * size * erfc_nonnegative(size * splat(0.70710678f));
}

template <class Function>
void apply(Function function, VectorView x) {
  const Index count = static_cast<Index>(x.size());
  float* p = x.data();
  Index i = 0;
  for (; i + kLanes <= count; i += kLanes) store(p + i, function(load(p + i)));
  if (i < count) store_partial(p + i, function(load_partial(p + i, count - i, 0.0f)), count - i);
}

}  // namespace

void activate(Activation activation, VectorView x) {
  switch (activation) {
    case Activation::kIdentity:
      return;
    case Activation::kRelu:
      return apply([](F32x4 v) { return relu(v); }, x);
    case Activation::kGelu:
      return apply([](F32x4 v) { return gelu(v); }, x);
    case Activation::kGeluTanh:
      return apply([](F32x4 v) { return gelu_tanh(v); }, x);
    case Activation::kSilu:
      return apply([](F32x4 v) { return silu(v); }, x);
    case Activation::kSigmoid:
      return apply([](F32x4 v) { return sigmoid(v); }, x);
  }
}

}  // namespace headscope
