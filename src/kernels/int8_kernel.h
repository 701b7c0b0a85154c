#pragma once

#include "kernels/int8_matrix.h"

namespace headscope {

/// Compares a kernel with its plain loop, at every height of its tiles and with the largest sums.
/// The dot kernel exists in some builds only. Its instruction is right for whole bytes where the
/// processor has it; engines that make it of others' add pairs of products in 16 bits, which their
/// sums do not fit in, and Node 20 gives twice the sum.
bool int8_kernel_agrees(Int8Kernel kernel);

/// The kernel that int8 weights should be made for here: dot where it is right, which is also where
/// it is fast.
Int8Kernel best_int8_kernel();

}  // namespace headscope
