#pragma once

#include <vector>

#include "model/position.h"

namespace headscope {

/// Angular frequencies w_i, in radians per position, of the (sine, cosine) pairs of a width-D code.
/// interleaved: base^(-2i/D) for i = 0 .. ceil(D/2) - 1 (Vaswani et al. 2017, section 3.5).
/// concatenated: base^(-i/(P-1)) for i = 0 .. P - 1, P = floor(D/2) (tensor2tensor's timing
/// signal).
std::vector<double> sinusoidal_frequencies(Index width, double base, PositionLayout layout);

/// table [N, D] (out): row r is the code of position first + r; angles in double, since float32
/// angles are off by 4e-5 at position 1000. interleaved: even columns sine, odd columns cosine.
/// concatenated: all sines, then all cosines, and a zero column at the end of an odd width.
void sinusoidal_table(const PositionOptions& options, Index first, MatrixView table);

/// rotation [D, D] (out): R with code(p + offset) = R code(p) for every p, codes as columns.
void sinusoidal_rotation(const PositionOptions& options, double offset, MatrixView rotation);

/// Fixed sines and cosines added to the embeddings.
class SinusoidalPosition : public Position {
 public:
  SinusoidalPosition(const PositionOptions& options, Index width)
      : options_(options), table_(0, width) {}
  void prepare(Index length) override;
  void add_to_embeddings(MatrixView x) const override;

 private:
  PositionOptions options_;
  Matrix table_;
};

}  // namespace headscope
