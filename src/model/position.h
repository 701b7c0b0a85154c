#pragma once

#include <memory>

#include "base/view.h"
#include "model/config.h"

namespace headscope {

class Parameters;

/// Which head is at work.
struct HeadId {
  Index layer;
  Index head;
};

/// A block of query rows of one head, handed to the hooks that act inside attention.
struct QueryBlock {
  HeadId id;
  Index first;            // position of the block's first query
  ConstMatrixView query;  // [rows, K], unscaled
  float scale;            // what the scores were multiplied by
};

/// One positional encoding. Encodings differ in where they act: each overrides the hooks it needs, and
/// the others do nothing. Positions count from 0 in every sequence. Hooks are called from any thread.
class Position {
 public:
  virtual ~Position() = default;

  /// Makes ready for positions 0 .. length - 1; called before a run, from one thread.
  virtual void prepare(Index length);
  /// x [T, D_in]: the (scaled) embeddings of one sequence.
  virtual void add_to_embeddings(MatrixView x) const;
  /// rows [T, K]: all queries, or all keys, of one head.
  virtual void transform(HeadId id, MatrixView rows) const;
  /// scores [rows, T]: scaled, before the mask.
  virtual void add_to_scores(const QueryBlock& block, MatrixView scores) const;
  /// weights [rows, T], each row up to a factor; context [rows, K], with the same factor.
  virtual void add_to_context(const QueryBlock& block, ConstMatrixView weights, MatrixView context) const;
};

/// The encoding that the options name, for an encoder of this shape. Learned tables are read from
/// `parameters` (which must outlive it) under the names that parameter_shapes gives them.
std::unique_ptr<Position> make_position(const PositionOptions& options, const Config& config,
                                        const Parameters& parameters);

}  // namespace headscope
