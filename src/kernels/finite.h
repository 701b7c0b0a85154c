#pragma once

#include "base/view.h"

namespace headscope {

/// Whether no value is infinite or not a number.
bool all_finite(ConstVectorView values);

/// Plain-loop form of `all_finite`, for tests.
bool all_finite_reference(ConstVectorView values);

}  // namespace headscope
