#include "model/rotary_position.h"

#include <cmath>

namespace headscope {
namespace {

Index rotated_columns(const PositionOptions& options, Index width) {
  return options.dims > 0 ? options.dims : width / 2 * 2;
}

double angle(const PositionOptions& options, double position, Index pair, Index columns) {
  return position *
         std::pow(options.base, -2.0 * static_cast<double>(pair) / static_cast<double>(columns));
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
  const Index columns = rotated_columns(options, rows.cols()), pairs = columns / 2;
  std::vector<float> cosines(static_cast<std::size_t>(pairs)), sines(cosines.size());
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index p = 0; p < pairs; ++p) {
      const double turn = angle(options, positions[static_cast<std::size_t>(i)], p, columns);
      cosines[static_cast<std::size_t>(p)] = static_cast<float>(std::cos(turn));
      sines[static_cast<std::size_t>(p)] = static_cast<float>(std::sin(turn));
    }
    turn_row(options.layout, cosines.data(), sines.data(), pairs, rows.row(i).data());
  }
}

RotaryPosition::RotaryPosition(const PositionOptions& options, std::vector<Index> head_widths)
    : options_(options) {
  for (const Index width : head_widths) tables_.push_back({width, Matrix(), Matrix()});
}

void RotaryPosition::prepare(Index length) {
  for (Table& table : tables_) {
    if (length <= table.cosines.rows()) continue;
    const Index columns = rotated_columns(options_, table.width), pairs = columns / 2;
    Matrix cosines(length, pairs), sines(length, pairs);
    for (Index i = 0; i < length; ++i) {
      for (Index p = 0; p < pairs; ++p) {
        const double turn = angle(options_, static_cast<double>(options_.offset + i), p, columns);
        cosines(i, p) = static_cast<float>(std::cos(turn));
        sines(i, p) = static_cast<float>(std::sin(turn));
      }
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
