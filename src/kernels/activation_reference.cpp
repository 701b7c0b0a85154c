#include <cmath>

#include "kernels/activation.h"

namespace headscope {
namespace {

double activated(Activation activation, double x) {
  const double root_two = 1.4142135623730951;
  const double root_two_over_pi = 0.7978845608028654;
  switch (activation) {
    case Activation::kRelu:
      return x < 0.0 ? 0.0 : x;
    case Activation::kGelu:
      return 0.5 * x * std::erfc(-x / root_two);
    case Activation::kGeluTanh:
      return 0.5 * x * (1.0 + std::tanh(root_two_over_pi * (x + 0.044715 * x * x * x)));
    case Activation::kSilu:
      return x / (1.0 + std::exp(-x));
    case Activation::kSigmoid:
      return 1.0 / (1.0 + std::exp(-x));
    case Activation::kIdentity:
      break;
  }
  return x;
}

}  // namespace

void activate_reference(Activation activation, VectorView x) {
  for (float& value : x) value = static_cast<float>(activated(activation, value));
}

}  // namespace headscope
