#include "model/rotary_position.h"

#include "kernels/elementary.h"
#include "model/sinusoidal_position.h"

namespace headscope {
namespace {

Index rotated_columns(const PositionOptions& options, Index width) {
  return options.dims > 0 ? options.dims : width / 2 * 2;
}

/// Of the pairs that turn.
std::vector<double> frequencies_of(const PositionOptions& options, Index width) {
  return sinusoidal_frequencies(rotated_columns(options, width), options.base,
                                PositionLayout::kInterleaved);
}

void set_turns(std::span<const double> frequencies, double position, float* cosines, float* sines) {
  for (std::size_t p = 0; p < frequencies.size(); ++p) {
    const Turn turn = turn_of(position * frequencies[p]);
    cosines[p] = static_cast<float>(turn.cosine);
    sines[p] = static_cast<float>(turn.sine);
  }
}

void turn_row(PositionLayout layout, const float* cosines, const float* sines, Index pairs,
              float* row) {
  const bool half = layout == PositionLayout::kHalf;
  for (Index p = 0; p < pairs; ++p) {
    float& a = row[half ? p : 2 * p];
    float& b = row[half ? p + pairs : 2 * p + 1];
    const float turned = a * cosines[p] - b * sines[p];
    b = a * sines[p] + b * cosines[p];
    a = turned;
  }
}

}  // namespace

void rotate_rows(const PositionOptions& options, std::span<const double> positions,
                 MatrixView rows) {
  const std::vector<double> frequencies = frequencies_of(options, rows.cols());
  std::vector<float> cosines(frequencies.size()), sines(frequencies.size());
  for (Index i = 0; i < rows.rows(); ++i) {
    set_turns(frequencies, positions[static_cast<std::size_t>(i)], cosines.data(), sines.data());
    turn_row(options.layout, cosines.data(), sines.data(), static_cast<Index>(frequencies.size()),
             rows.row(i).data());
  }
}

RotaryPosition::RotaryPosition(const PositionOptions& options, std::vector<Index> head_widths)
    : options_(options) {
  for (const Index width : head_widths) tables_.push_back({width, Matrix(), Matrix()});
}

void RotaryPosition::prepare(Index length) {
  for (Table& table : tables_) {
    if (length <= table.cosines.rows()) continue;
    const std::vector<double> frequencies = frequencies_of(options_, table.width);
    Matrix cosines(length, static_cast<Index>(frequencies.size())), sines(length, cosines.cols());
    for (Index i = 0; i < length; ++i) {
      set_turns(frequencies, static_cast<double>(options_.offset + i), cosines.row(i).data(),
                sines.row(i).data());
    }
    table.cosines.swap(cosines);  // whole or not at all, should memory run out
    table.sines.swap(sines);
  }
}

void RotaryPosition::transform(HeadId, MatrixView rows) const {
  for (const Table& table : tables_) {
    if (table.width != rows.cols()) continue;
    for (Index i = 0; i < rows.rows(); ++i) {
      turn_row(options_.layout, table.cosines.row(i).data(), table.sines.row(i).data(),
               table.cosines.cols(), rows.row(i).data());
    }
    return;
  }
}

}  // namespace headscope
