#include "bindings/arguments.h"

#include "bindings/config_marshal.h"

namespace headscope::marshal {
namespace {

void check_table(const char* name, const Matrix& table, const char* letters, Index rows,
                 Index cols) {
  if (table.rows() == rows && table.cols() == cols) return;
  fail(ErrorCode::kBadShape, {"position: ", name, " has shape [", table.rows(), ",", table.cols(),
                              "], expected ", letters, " = [", rows, ",", cols, "]"});
}

void check_relative(const Matrix& table, Index clip, Index width) {
  if (table.rows() > 0)
    check_table("a relative table", table, "[2 clip + 1, d_head]", 2 * clip + 1, width);
}

}  // namespace

Arguments::~Arguments() = default;

Matrix& Arguments::own(Matrix matrix) { return matrices_.emplace_front(std::move(matrix)); }

Matrix& Arguments::room(Index rows, Index cols) { return own(Matrix(rows, cols)); }

Matrix& Arguments::read(const Fields& fields) {
  Matrix& matrix = room(fields.count("rows", 0), fields.count("cols", 0));
  copy_in(fields.at("data"), {matrix.data(), static_cast<std::size_t>(matrix.size())});
  return matrix;
}

Matrix& Arguments::matrix(const char* name) { return read(Fields(at(name))); }

Matrix& Arguments::matrix_or_empty(const char* name) {
  return has(name) ? matrix(name) : room(0, 0);
}

const float* Arguments::vector_or_null(const char* name) {
  if (!has(name)) return nullptr;
  const val given = at(name);
  Matrix& vector = room(1, static_cast<Index>(length_of(given)));
  copy_in(given, {vector.data(), static_cast<std::size_t>(vector.size())});
  return vector.data();
}

const MaskArgument& Arguments::mask() {
  if (!has("mask")) return mask_;
  const Fields given(at("mask"));
  mask_.causal = given.flag("causal", false);
  if (given.has("valid_keys")) mask_.valid_keys = copy_in<std::uint8_t>(given.at("valid_keys"));
  const val additive = given.at("additive");
  for (std::size_t i = 0; i < length_of(additive); ++i) {
    mask_.additive.push_back(view(std::as_const(read(Fields(additive[i])))));
  }
  return mask_;
}

Position* Arguments::position(const AttentionShape& shape) {
  if (!has("position")) return nullptr;
  const Fields given(at("position"));
  const PositionOptions options = position_in(given);
  require(options.kind != PositionKind::kLearned, ErrorCode::kBadArgument,
          "position: 'learned' is a table added to x; add it before the call");
  check_position(options, shape.embedding_width, shape.head_width, "position");
  const auto table = [&](const char* name) -> const Matrix& {
    return given.has(name) ? read(Fields(given.at(name))) : room(0, 0);
  };
  const Matrix &bias = table("table"), &key = table("relative_key"),
               &value = table("relative_value");
  if (options.kind == PositionKind::kT5)
    check_table("table", bias, "[buckets, heads]", options.buckets, shape.heads);
  if (options.kind == PositionKind::kShaw) {
    check_relative(key, options.clip, shape.head_width);
    check_relative(value, options.clip, shape.value_width);
  }
  PositionSetting setting;
  setting.embedding_width = shape.embedding_width;
  setting.head_widths = {shape.head_width};
  setting.heads = shape.heads;
  setting.causal = shape.causal;
  setting.t5_bias.emplace(view(bias));
  setting.shaw.push_back({view(key), view(value)});
  position_ = make_position(options, setting);
  position_->prepare(shape.tokens);
  return position_.get();
}

}  // namespace headscope::marshal
