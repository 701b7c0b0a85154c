#pragma once

#include "kernels/int8_matrix.h"

namespace headscope {

/// Compares a kernel with its plain loop, at every height of its tiles. The dot kernel exists in
/// some builds only, and is wrong in some engines: Node 20's instruction gives twice the sum.
bool int8_kernel_agrees(Int8Kernel kernel);

/// The kernel that int8 weights should be made for here: wide, or dot where it is right and clearly
/// faster. Measures for 2 ms (3 where the clock has steps of 1 ms). An engine that compiles in the
/// background runs slow code at first: there a second call, some milliseconds later, tells.
Int8Kernel fastest_int8_kernel();

}  // namespace headscope
