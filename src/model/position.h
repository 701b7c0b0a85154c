#pragma once

#include <memory>
#include <optional>
#include <vector>

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

/// One positional encoding. Encodings differ in where they act: each overrides the hooks it needs,
/// and the others do nothing. Positions count from 0 in every sequence. Hooks are called from any
/// thread.
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
  virtual void add_to_context(const QueryBlock& block, ConstMatrixView weights,
                              MatrixView context) const;
};

/// Vectors of the clipped offsets -k .. k: row r stands for offset r - k. Either may be empty (0
/// rows).
struct ShawTables {
  ConstMatrixView key;    // [2k + 1, K]
  ConstMatrixView value;  // [2k + 1, K]
};

/// What an encoding must know of the attention that it serves, and its learned tables. The memory
/// of the tables must outlive the position.
struct PositionSetting {
  Index embedding_width = 0;
  std::vector<Index> head_widths;  // every K that occurs
  Index heads = 0;
  bool causal = false;                     // t5: buckets for keys behind the query only
  std::optional<ConstMatrixView> learned;  // [max_tokens, D_in]
  std::optional<ConstMatrixView> t5_bias;  // [buckets, H]
  std::vector<ShawTables> shaw;            // one per layer
};

/// The setting that an encoder gives its positions; the parameters must have been filled.
PositionSetting position_setting(const Config& config, const Parameters& parameters);

/// The encoding that the options name. Its table is in the setting where the kind has one.
std::unique_ptr<Position> make_position(const PositionOptions& options,
                                        const PositionSetting& setting);

}  // namespace headscope
