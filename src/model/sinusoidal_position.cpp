#include "model/sinusoidal_position.h"

#include <cmath>

#include "kernels/elementary.h"

namespace headscope {
namespace {

/// Columns of the sine and the cosine of pair i; cosine is -1 where an odd width leaves none.
struct PairColumns {
  Index sine;
  Index cosine;
};
PairColumns pair_columns(Index i, Index width, PositionLayout layout) {
  if (layout == PositionLayout::kConcatenated) return {i, i + width / 2};
  return {2 * i, 2 * i + 1 < width ? 2 * i + 1 : -1};
}

}  // namespace

std::vector<double> sinusoidal_frequencies(Index width, double base, PositionLayout layout) {
  const bool concatenated = layout == PositionLayout::kConcatenated;
  const Index pairs = concatenated ? width / 2 : (width + 1) / 2;
  std::vector<double> frequencies(static_cast<std::size_t>(pairs));
  for (Index i = 0; i < pairs; ++i) {
    const double exponent =
        concatenated ? static_cast<double>(i) / static_cast<double>(std::max<Index>(pairs - 1, 1))
                     : static_cast<double>(2 * i) / static_cast<double>(width);
    frequencies[static_cast<std::size_t>(i)] = exponential(-exponent * std::log(base));
  }
  return frequencies;
}

void sinusoidal_table(const PositionOptions& options, Index first, MatrixView table) {
  const auto frequencies = sinusoidal_frequencies(table.cols(), options.base, options.layout);
  table.setZero();
  for (Index r = 0; r < table.rows(); ++r) {
    for (Index i = 0; i < static_cast<Index>(frequencies.size()); ++i) {
      const double angle =
          static_cast<double>(first + r) * frequencies[static_cast<std::size_t>(i)];
      const auto [sine, cosine] = pair_columns(i, table.cols(), options.layout);
      const Turn turn = turn_of(angle);
      table(r, sine) = static_cast<float>(turn.sine);
      if (cosine >= 0) table(r, cosine) = static_cast<float>(turn.cosine);
    }
  }
}

void sinusoidal_rotation(const PositionOptions& options, double offset, MatrixView rotation) {
  const Index width = rotation.rows();
  const auto frequencies = sinusoidal_frequencies(width, options.base, options.layout);
  rotation.setZero();
  for (Index i = 0; i < static_cast<Index>(frequencies.size()); ++i) {
    const double angle = offset * frequencies[static_cast<std::size_t>(i)];
    const auto [a, b] = pair_columns(i, width, options.layout);
    if (b < 0)
      continue;  // a sine without its cosine cannot be turned; check_position refuses odd widths
    const Turn turn = turn_of(angle);
    rotation(a, a) = rotation(b, b) = static_cast<float>(turn.cosine);
    rotation(a, b) = static_cast<float>(turn.sine);
    rotation(b, a) = static_cast<float>(-turn.sine);
  }
}

void SinusoidalPosition::prepare(Index length) {
  if (length <= table_.rows()) return;
  Matrix longer(length, table_.cols());
  sinusoidal_table(options_, 0, view(longer));
  table_.swap(longer);  // whole or not at all, should memory run out
}

void SinusoidalPosition::add_to_embeddings(MatrixView x) const { x += table_.topRows(x.rows()); }

}  // namespace headscope
