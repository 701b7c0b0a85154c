#pragma once

#include <emscripten/val.h>

#include <string>

#include "base/context.h"

namespace headscope {

/// Computes the component of this name on flattened arguments (bindings/arguments.h). The answer is
/// an object of matrices { rows, cols, data }, arrays of them, Float32Arrays and numbers; where a
/// component has one result only, it is `output`. Throws not-found for an unknown name,
/// bad-argument and bad-shape.
emscripten::val compute_component(Context& context, const std::string& name,
                                  const emscripten::val& arguments);

}  // namespace headscope
