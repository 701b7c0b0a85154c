#pragma once

namespace headscope {

/// Runs every optimised kernel on small odd sizes and compares it with known results; false where
/// one is off. It takes well below a millisecond: relaxed SIMD differs between engines, so a build
/// that uses it is tried before it is trusted.
bool kernels_agree();

}  // namespace headscope
