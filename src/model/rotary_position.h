#pragma once

#include <span>
#include <vector>

#include "model/position.h"

namespace headscope {

/// Turns the first r columns of rows [T, K] in pairs, row i by positions[i] * theta_p with
/// theta_p = base^(-2p/r): (a, b) -> (a cos - b sin, a sin + b cos) (Su et al. 2021, eq. 14-16,
/// 34). Pairs are (2p, 2p + 1) in the interleaved layout, (p, p + r/2) in half. The other columns
/// stay. Angles in double. r is options.dims, or the even part of K where that is 0.
void rotate_rows(const PositionOptions& options, std::span<const double> positions,
                 MatrixView rows);

/// Rotary position embedding: queries and keys turn, so that their product depends on their offset
/// only.
class RotaryPosition : public Position {
 public:
  /// head_widths: every K that layers of the encoder have.
  RotaryPosition(const PositionOptions& options, std::vector<Index> head_widths);
  void prepare(Index length) override;
  void transform(HeadId id, MatrixView rows) const override;

 private:
  struct Table {
    Index width;
    Matrix cosines;  // [length, r / 2]
    Matrix sines;
  };
  PositionOptions options_;
  std::vector<Table> tables_;
};

}  // namespace headscope
