#pragma once

#include <cstdint>

namespace headscope {

/// Counter-based uniform numbers: the i-th number of a seed is a pure function of both, so that
/// every build and language gives the same parameters. The mixing steps are those of Wellons'
/// "lowbias32" family (hash-prospector).
class UniformSequence {
 public:
  explicit UniformSequence(std::uint32_t seed) : key_(mix(seed ^ kGolden)) {}

  /// The sequence of one stream of a seed; streams of one seed, and of different seeds, do not
  /// overlap.
  UniformSequence(std::uint32_t seed, std::uint32_t stream)
      : key_(mix(mix(seed ^ kGolden) ^ mix(stream + kGolden))) {}

  /// The i-th number, in [-1, 1), a multiple of 2^-23.
  double at(std::uint32_t i) const {
    return (static_cast<double>(mix(key_ + mix(i)) >> 8) - 8388608.0) / 8388608.0;
  }

 private:
  static constexpr std::uint32_t kGolden = 0x9e3779b9u;
  static std::uint32_t mix(std::uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
  }
  std::uint32_t key_;
};

}  // namespace headscope
