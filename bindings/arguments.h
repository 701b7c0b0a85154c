#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings/marshal.h"
#include "model/mask.h"
#include "model/position.h"

namespace headscope::marshal {

/// A mask with the memory that it views.
struct MaskArgument {
  bool causal = false;
  std::vector<std::uint8_t> valid_keys;
  std::vector<Matrix> additive;
  std::vector<ConstMatrixView> views;  // of additive

  Mask mask() const { return {causal, valid_keys, views}; }
};

/// A position with the memory of its tables.
struct PositionArgument {
  Matrix table;
  Matrix relative_key;
  Matrix relative_value;
  std::unique_ptr<Position> position;
};

/// What the attention of a component looks like, for the position that serves it.
struct AttentionShape {
  Index tokens;
  Index embedding_width;
  Index heads;
  Index head_width;
  Index value_width;
  bool causal;
};

/// The arguments of one component as JavaScript's table of signatures flattened them: matrices are
/// { rows, cols, data }, vectors are Float32Arrays, and shapes that share a letter agree.
class Arguments {
 public:
  explicit Arguments(val object) : object_(std::move(object)) {}

  const val& object() const { return object_; }
  bool has(const char* name) const { return is_given(object_[name]); }
  Matrix matrix(const char* name) const;
  /// No rows where it is not given.
  Matrix matrix_or_empty(const char* name) const;
  std::vector<float> vector_or_empty(const char* name) const;
  /// Of a Float64Array.
  std::vector<double> doubles_or_empty(const char* name) const;
  double number(const char* name, double fallback) const;
  Index count(const char* name, Index fallback) const;
  bool flag(const char* name) const;
  /// { causal, valid_keys?: Uint8Array, additive: matrices }; no mask where it is not given.
  /// `views` point into the result, which must not be copied.
  std::unique_ptr<MaskArgument> mask() const;
  /// Made ready for its tokens. Throws bad-argument for settings out of range.
  PositionArgument position(const AttentionShape& shape) const;

 private:
  val object_;
};

}  // namespace headscope::marshal
