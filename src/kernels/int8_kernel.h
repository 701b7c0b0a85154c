#pragma once

#include "kernels/int8_matrix.h"

namespace headscope {

/// Compares a kernel with its plain loop, at every height of its tiles and with the largest sums.
/// The dot kernel exists in some builds only. On x86 its instruction is right for whole bytes where
/// the processor has it; where the engine makes it of older ones, pairs of products are added in 16
/// bits, which they do not fit in. On ARM it is right either way. Node 20 gives twice the sum.
bool int8_kernel_agrees(Int8Kernel kernel);

/// The kernel that int8 weights should be made for here: dot where it is right. With the
/// processor's own instruction it is more than twice as fast as wide.
Int8Kernel best_int8_kernel();

}  // namespace headscope
