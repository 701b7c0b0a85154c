#pragma once

#include <forward_list>
#include <memory>
#include <utility>
#include <vector>

#include "bindings/fields.h"
#include "model/mask.h"
#include "model/position.h"

namespace headscope::marshal {

/// A mask with the memory that it views.
struct MaskArgument {
  bool causal = false;
  std::vector<std::uint8_t> valid_keys;
  std::vector<ConstMatrixView> additive;

  Mask mask() const { return {causal, valid_keys, additive}; }
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
/// { rows, cols, data }, vectors are Float32Arrays, and shapes that share a letter agree. What is
/// read lives as long as this object, which therefore cannot be copied.
class Arguments : public Fields {
 public:
  explicit Arguments(val object) : Fields(std::move(object)) {}
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;
  ~Arguments();

  Matrix& matrix(const char* name);
  /// No rows where it is not given.
  Matrix& matrix_or_empty(const char* name);
  /// Null where it is not given.
  const float* vector_or_null(const char* name);
  /// Room for a result.
  Matrix& room(Index rows, Index cols);
  /// { causal, valid_keys?: Uint8Array, additive: matrices }; no mask where it is not given.
  const MaskArgument& mask();
  /// Made ready for its tokens; null where it is not given. Throws bad-argument for settings out of
  /// range.
  Position* position(const AttentionShape& shape);

 private:
  Matrix& read(const Fields& fields);
  Matrix& own(Matrix matrix);

  std::forward_list<Matrix> matrices_;
  MaskArgument mask_;
  std::unique_ptr<Position> position_;
};

}  // namespace headscope::marshal
