#pragma once

#include "base/view.h"

namespace headscope {

enum class Activation { kIdentity, kRelu, kGelu, kGeluTanh, kSilu, kSigmoid };

/// Applies the activation to every element, in place.
/// gelu = x/2 (1 + erf(x/sqrt 2)) (Hendrycks & Gimpel 2016); gelu_tanh is its tanh form; silu = x
/// sigmoid(x).
void activate(Activation activation, VectorView x);

/// Plain-loop form of `activate`, for tests.
void activate_reference(Activation activation, VectorView x);

}  // namespace headscope
