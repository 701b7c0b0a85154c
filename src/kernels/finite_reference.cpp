#include <algorithm>
#include <cmath>

#include "kernels/finite.h"

namespace headscope {

bool all_finite_reference(ConstVectorView values) {
  return std::all_of(values.begin(), values.end(),
                     [](float value) { return std::isfinite(value); });
}

}  // namespace headscope
