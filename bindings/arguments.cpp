#include "bindings/arguments.h"

#include "bindings/config_marshal.h"

namespace headscope::marshal {
namespace {

Matrix matrix_in(const val& value) {
  Matrix matrix(integer(value["rows"]), integer(value["cols"]));
  const std::span<float> memory(matrix.data(), static_cast<std::size_t>(matrix.size()));
  view_of(memory).call<void>("set", value["data"]);
  return matrix;
}

void check_relative(const Matrix& table, Index clip, Index width) {
  if (table.rows() == 0 || (table.rows() == 2 * clip + 1 && table.cols() == width)) return;
  throw Error(ErrorCode::kBadShape,
              "position: a relative table has shape [" + std::to_string(table.rows()) + "," +
                  std::to_string(table.cols()) + "], expected [2 clip + 1, d_head] = [" +
                  std::to_string(2 * clip + 1) + "," + std::to_string(width) + "]");
}

void check_tables(const PositionOptions& options, const PositionArgument& argument,
                  const AttentionShape& shape) {
  if (options.kind == PositionKind::kT5 &&
      (argument.table.rows() != options.buckets || argument.table.cols() != shape.heads)) {
    throw Error(ErrorCode::kBadShape,
                "position: table has shape [" + std::to_string(argument.table.rows()) + "," +
                    std::to_string(argument.table.cols()) + "], expected [buckets, heads] = [" +
                    std::to_string(options.buckets) + "," + std::to_string(shape.heads) + "]");
  }
  if (options.kind != PositionKind::kShaw) return;
  check_relative(argument.relative_key, options.clip, shape.head_width);
  check_relative(argument.relative_value, options.clip, shape.value_width);
}

}  // namespace

Matrix Arguments::matrix(const char* name) const { return matrix_in(object_[name]); }

Matrix Arguments::matrix_or_empty(const char* name) const {
  return has(name) ? matrix(name) : Matrix();
}

std::vector<float> Arguments::vector_or_empty(const char* name) const {
  return has(name) ? copy_in<float>(object_[name]) : std::vector<float>{};
}

std::vector<double> Arguments::doubles_or_empty(const char* name) const {
  return has(name) ? copy_in<double>(object_[name]) : std::vector<double>{};
}

double Arguments::number(const char* name, double fallback) const {
  return has(name) ? object_[name].as<double>() : fallback;
}

Index Arguments::count(const char* name, Index fallback) const {
  return static_cast<Index>(number(name, static_cast<double>(fallback)));
}

bool Arguments::flag(const char* name) const { return has(name) && object_[name].as<bool>(); }

std::unique_ptr<MaskArgument> Arguments::mask() const {
  auto mask = std::make_unique<MaskArgument>();
  if (!has("mask")) return mask;
  const val given = object_["mask"];
  mask->causal = given["causal"].as<bool>();
  if (is_given(given["valid_keys"])) mask->valid_keys = copy_in<std::uint8_t>(given["valid_keys"]);
  for (std::size_t i = 0; i < length_of(given["additive"]); ++i) {
    mask->additive.push_back(matrix_in(given["additive"][i]));
  }
  for (const Matrix& matrix : mask->additive) mask->views.push_back(view(matrix));
  return mask;
}

PositionArgument Arguments::position(const AttentionShape& shape) const {
  PositionArgument argument;
  if (!has("position")) return argument;
  const Arguments given(object_["position"]);
  const PositionOptions options = position_in(given.object());
  require(options.kind != PositionKind::kLearned, ErrorCode::kBadArgument,
          "position: 'learned' is a table added to x; add it before the call");
  check_position(options, shape.embedding_width, shape.head_width, "position");
  argument.table = given.matrix_or_empty("table");
  argument.relative_key = given.matrix_or_empty("relative_key");
  argument.relative_value = given.matrix_or_empty("relative_value");
  check_tables(options, argument, shape);
  PositionSetting setting;
  setting.embedding_width = shape.embedding_width;
  setting.head_widths = {shape.head_width};
  setting.heads = shape.heads;
  setting.causal = shape.causal;
  setting.t5_bias.emplace(view(std::as_const(argument.table)));
  setting.shaw.push_back(
      {view(std::as_const(argument.relative_key)), view(std::as_const(argument.relative_value))});
  argument.position = make_position(options, setting);
  argument.position->prepare(shape.tokens);
  return argument;
}

}  // namespace headscope::marshal
