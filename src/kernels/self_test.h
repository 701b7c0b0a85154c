#pragma once

namespace headscope {

/// Runs every optimised kernel on small odd sizes and compares it with known results; false where
/// one is off. Relaxed SIMD differs between engines, so a build that uses it is tried before it is
/// trusted. It takes 0.2 ms, and in its first run what the engine needs to compile the kernels.
bool kernels_agree();

}  // namespace headscope
