#include "model/parameters.h"

#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/random.h"

namespace headscope {
namespace {

/// Collects table lines under one prefix.
class Table {
 public:
  Table(std::vector<ParameterShape>& shapes, std::string prefix)
      : shapes_(shapes), prefix_(std::move(prefix)) {}
  void matrix(std::string_view name, Index rows, Index cols, Initial initial = Initial::kXavier) {
    add({text_of({prefix_, name}), rows, cols, initial, false});
  }
  void vector(std::string_view name, Index size, Initial initial = Initial::kZero) {
    add({text_of({prefix_, name}), 1, size, initial, true});
  }
  /// A weight and, in models with biases, its bias.
  void linear(std::string_view weight, std::string_view bias, Index in, Index out, bool has_bias) {
    matrix(weight, in, out);
    if (has_bias) vector(bias, out);
  }
  void norm(std::string_view name, Index size) {
    vector(text_of({name, ".gamma"}), size, Initial::kOne);
    vector(text_of({name, ".beta"}), size);
  }

 private:
  void add(ParameterShape shape) { shapes_.push_back(std::move(shape)); }

  std::vector<ParameterShape>& shapes_;
  std::string prefix_;
};

}  // namespace

std::string shape_text(const ParameterShape& shape) {
  if (shape.is_vector) return text_of({"[", shape.cols, "]"});
  return text_of({"[", shape.rows, ",", shape.cols, "]"});
}

std::vector<ParameterShape> layer_shapes(const Config& config, Index layer) {
  std::vector<ParameterShape> shapes;
  Table table(shapes, text_of({"layers.", layer, "."}));
  const Index in = config.input_width(layer);
  const Index d = config.d_model;
  for (const char* name : {"q", "k", "v"}) {
    table.linear(text_of({"attention.w", name}), text_of({"attention.b", name}), in, in,
                 config.bias);
  }
  table.linear("attention.wo", "attention.bo", in, d, config.bias);
  if (in != d) table.linear("attention.w_residual", "attention.b_residual", in, d, config.bias);
  if (config.position.kind == PositionKind::kShaw) {
    table.matrix("attention.relative_key", 2 * config.position.clip + 1, in / config.n_heads,
                 Initial::kUnitRows);
    table.matrix("attention.relative_value", 2 * config.position.clip + 1, in / config.n_heads,
                 Initial::kUnitRows);
  }
  table.norm("norm1", config.norm == NormPlacement::kPre ? in : d);
  table.linear("feed_forward.w1", "feed_forward.b1", d, config.d_ff, config.bias);
  if (config.gated)
    table.linear("feed_forward.w_gate", "feed_forward.b_gate", d, config.d_ff, config.bias);
  table.linear("feed_forward.w2", "feed_forward.b2", config.d_ff, d, config.bias);
  table.norm("norm2", d);
  return shapes;
}

std::vector<ParameterShape> parameter_shapes(const Config& config) {
  std::vector<ParameterShape> shapes;
  Table table(shapes, "");
  table.matrix(kTokenTable, config.vocab_size, config.d_input, Initial::kUnitRows);
  if (config.position.kind == PositionKind::kLearned) {
    table.matrix("embeddings.position", config.max_tokens, config.d_input, Initial::kUnitRows);
  }
  if (config.token_types > 0) {
    table.matrix("embeddings.token_type", config.token_types, config.d_input, Initial::kUnitRows);
  }
  if (config.embedding_norm) table.norm("embedding_norm", config.d_input);
  if (config.position.kind == PositionKind::kT5) {
    table.matrix("position.bias", config.position.buckets, config.n_heads, Initial::kUnitRows);
  }
  for (Index layer = 0; layer < config.n_layers; ++layer) {
    for (auto& shape : layer_shapes(config, layer)) shapes.push_back(std::move(shape));
  }
  if (config.final_norm) table.norm("final_norm", config.d_model);
  if (config.pooler)
    table.linear("pooler.w", "pooler.b", config.d_model, config.d_model, config.bias);
  return shapes;
}

Parameters::Parameters(std::vector<ParameterShape> shapes)
    : shapes_(std::move(shapes)), homes_(shapes_.size()) {
  for (std::size_t i = 0; i < shapes_.size(); ++i) index_.emplace(shapes_[i].name, i);
}

std::size_t Parameters::index_of(const std::string& name) const {
  const auto found = index_.find(name);
  if (found != index_.end()) return found->second;
  fail(ErrorCode::kNotFound, {"parameter: no name \"", name, "\" in this model"});
}

const ParameterShape& Parameters::shape(const std::string& name) const {
  return shapes_[index_of(name)];
}

Matrix& Parameters::values(const std::string& name) {
  const bool is_new = homes_[index_of(name)].values.size() == 0;
  Matrix& values = room(name);
  if (is_new) values.setZero();
  return values;
}

Matrix& Parameters::room(const std::string& name) {
  const std::size_t i = index_of(name);
  require(!(homes_[i].weight && homes_[i].settled) && !homes_[i].rows, ErrorCode::kInternal,
          "parameter: it lives elsewhere, and cannot be written any more");
  homes_[i].values.resize(shapes_[i].rows, shapes_[i].cols);
  return homes_[i].values;
}

const float* Parameters::vector_or_null(const std::string& name) const {
  return has(name) ? homes_[index_of(name)].values.data() : nullptr;
}

void Parameters::read_tokens(std::span<const std::int32_t> ids, MatrixView out) const {
  const Home& home = homes_[index_of(kTokenTable)];
  const auto width = static_cast<std::size_t>(out.cols());
  for (Index i = 0; i < out.rows(); ++i) {
    const std::int32_t id = ids[static_cast<std::size_t>(i)];
    if (home.rows) {
      home.rows->read(static_cast<std::size_t>(id) * width, {out.row(i).data(), width});
    } else {
      out.row(i) = home.values.row(id);
    }
  }
}

ConstMatrixView Parameters::matrix(const std::string& name) const {
  return view(homes_[index_of(name)].values);
}

void Parameters::initialise(std::uint32_t seed) {
  for (std::size_t index = 0; index < shapes_.size(); ++index) {
    fill(index, seed);
    settle(homes_[index]);
  }
}

void Parameters::fill(std::size_t index, std::uint32_t seed) {
  const ParameterShape& shape = shapes_[index];
  Matrix& out = values(shape.name);
  if (shape.initial == Initial::kZero) return;
  if (shape.initial == Initial::kOne) {
    out.setOnes();
    return;
  }
  const double fan = static_cast<double>(shape.rows + shape.cols);
  const double limit = shape.initial == Initial::kXavier
                           ? std::sqrt(6.0 / fan)
                           : std::sqrt(3.0 / static_cast<double>(shape.cols));
  const UniformSequence numbers(seed, static_cast<std::uint32_t>(index));
  for (Index i = 0; i < out.size(); ++i) {
    out.data()[i] = static_cast<float>(limit * numbers.at(static_cast<std::uint32_t>(i)));
  }
}

void Parameters::set_home(const std::string& name, Weight& weight, Index first_column) {
  Home& home = homes_[index_of(name)];
  home.weight = &weight;
  home.first_column = first_column;
}

void Parameters::set_rows(std::unique_ptr<TableRows> rows) {
  Home& home = homes_[index_of(kTokenTable)];
  home.rows = std::move(rows);
  home.settled = true;
}

void Parameters::settle(const std::string& name) { settle(homes_[index_of(name)]); }

void Parameters::settle_all() {
  for (Home& home : homes_) settle(home);
}

void Parameters::settle(Home& home) {
  if (home.settled) return;
  if (home.weight) {
    home.weight->pack_columns(view(std::as_const(home.values)), home.first_column);
    home.values = Matrix();
  }
  home.settled = true;
}

Matrix Parameters::read(const std::string& name) const {
  const std::size_t i = index_of(name);
  const Home& home = homes_[i];
  if (!home.rows && (!home.weight || !home.settled)) return home.values;
  Matrix out(shapes_[i].rows, shapes_[i].cols);
  if (home.rows) {
    home.rows->read(0, {out.data(), static_cast<std::size_t>(out.size())});
    return out;
  }
  home.weight->unpack_columns(home.first_column, view(out));
  return out;
}

}  // namespace headscope
