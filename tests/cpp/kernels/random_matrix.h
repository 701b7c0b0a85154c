#pragma once

#include <cstdint>
#include <cstring>
#include <random>

#include "base/view.h"

namespace headscope {

/// [rows, cols] numbers, uniform in [-scale, scale), the same for the same seed on every platform.
inline Matrix random_matrix(Index rows, Index cols, std::uint32_t seed, float scale = 1.0f) {
  std::mt19937 bits(seed);
  Matrix m(rows, cols);
  for (Index i = 0; i < m.size(); ++i) {
    m.data()[i] = scale * (static_cast<float>(bits() >> 8) * 0x1p-23f - 1.0f);
  }
  return m;
}

/// Whether two matrices hold the same bits.
inline bool same_bits(const Matrix& a, const Matrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(float)) == 0;
}

}  // namespace headscope
