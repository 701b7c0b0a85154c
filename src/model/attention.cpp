#include "model/attention.h"

#include <algorithm>
#include <new>

#include "kernels/gemm.h"
#include "kernels/softmax.h"

namespace headscope {
namespace {

// Rows of one block: a multiple of the product's tile, small enough that a block of scores stays in
// cache.
constexpr Index kBlockRows = 50;

Index padded(Index count) {
  return (count + 15) / 16 * 16;
}  // keeps every part of the scratch aligned

/// The largest head of a batch: what one thread's scratch must hold.
struct HeadShape {
  Index rows;  // of a block of queries
  Index keys;
  Index key_width;
  Index value_width;
};

/// Scratch of one head, carved out of one allocation.
struct HeadScratch {
  float* keys;     // K^T, packed
  float* values;   // packed
  float* scores;   // [rows, keys], rows score_stride apart
  float* inverse;  // [rows]
  Index score_stride;

  /// Floats of the allocation. Throws bad_alloc for more than a 32-bit heap can hold.
  static std::size_t size(const HeadShape& shape) {
    const double floats =
        static_cast<double>(padded(shape.keys)) *
            static_cast<double>(padded(shape.key_width) + padded(shape.value_width) + shape.rows) +
        static_cast<double>(padded(shape.rows));
    if (floats > 0x1p29) throw std::bad_alloc();
    return static_cast<std::size_t>(floats);
  }
  HeadScratch(float* memory, const HeadShape& shape)
      : keys(memory),
        values(keys + padded(shape.keys) * padded(shape.key_width)),
        scores(values + padded(shape.keys) * padded(shape.value_width)),
        inverse(scores + padded(shape.keys) * shape.rows),
        score_stride(padded(shape.keys)) {}
};

/// One head of one sequence.
class Head {
 public:
  Head(const AttentionOptions& options, const Sequence& sequence, Index head, MatrixView query,
       MatrixView key, ConstMatrixView value, MatrixView concat)
      : options_(options),
        sequence_(sequence),
        id_{options.layer, head},
        query_(head_part(rows_of(query, sequence.first_query, sequence.queries))),
        key_(head_part(rows_of(key, sequence.first_key, sequence.keys))),
        value_(cols_of(rows_of(value, sequence.first_key, sequence.keys),
                       head * (value.cols() / options.heads), value.cols() / options.heads)),
        concat_(head_part(rows_of(concat, sequence.first_query, sequence.queries))) {}

  void attend(float* memory) {
    if (options_.position) {
      options_.position->transform(id_, query_);
      options_.position->transform(id_, key_);
    }
    keep(Capture::kQuery, read(query_));
    keep(Capture::kKey, read(key_));
    keep(Capture::kValue, value_);
    const Index rows = std::min(kBlockRows, query_.rows());
    HeadScratch scratch(memory, {rows, key_.rows(), key_.cols(), value_.cols()});
    pack_transposed(read(key_), scratch.keys);
    pack(value_, scratch.values);
    for (Index first = 0; first < query_.rows(); first += kBlockRows) {
      attend_block(first, std::min(kBlockRows, query_.rows() - first), scratch);
    }
  }

 private:
  MatrixView head_part(MatrixView rows) const {
    const Index width = rows.cols() / options_.heads;
    return cols_of(rows, id_.head * width, width);
  }

  void attend_block(Index first, Index count, const HeadScratch& scratch) {
    const ConstMatrixView query = rows_of(read(query_), first, count);
    const QueryBlock block{id_, first, query, options_.scale};
    MatrixView scores = view(scratch.scores, count, key_.rows(), scratch.score_stride);
    MatrixView context = rows_of(concat_, first, count);
    const VectorView inverse(scratch.inverse, static_cast<std::size_t>(count));

    multiply(query, {scratch.keys, key_.cols(), key_.rows()}, {.scale = options_.scale}, scores);
    if (options_.position) options_.position->add_to_scores(block, scores);
    keep_rows(Capture::kScores, first, read(scores));
    apply_mask(options_.mask, id_.head, first, scores);
    exp_rows(scores, inverse);
    keep_scaled(first, read(scores), inverse);
    // the rows are normalised after the product: T K multiplications instead of T T
    multiply(read(scores), {scratch.values, value_.rows(), value_.cols()}, {}, context);
    if (options_.position) options_.position->add_to_context(block, read(scores), context);
    scale_rows(read(context), inverse, context);
    keep_rows(Capture::kContext, first, read(context));
    if (!options_.gates.empty()) context *= options_.gates[static_cast<std::size_t>(id_.head)];
  }

  bool kept(Capture capture) const {
    return sequence_.trace && sequence_.trace->has(capture, id_.layer);
  }
  MatrixView room(Capture capture) { return sequence_.trace->matrix(capture, id_.layer, id_.head); }

  void keep(Capture capture, ConstMatrixView matrix) {
    if (kept(capture)) room(capture) = matrix;
  }
  void keep_rows(Capture capture, Index first, ConstMatrixView rows) {
    if (kept(capture)) rows_of(room(capture), first, rows.rows()) = rows;
  }
  void keep_scaled(Index first, ConstMatrixView exponentials, ConstVectorView inverse) {
    if (!kept(Capture::kAttention)) return;
    scale_rows(exponentials, inverse,
               rows_of(room(Capture::kAttention), first, exponentials.rows()));
  }

  const AttentionOptions& options_;
  const Sequence& sequence_;
  HeadId id_;
  MatrixView query_;
  MatrixView key_;
  ConstMatrixView value_;
  MatrixView concat_;
};

}  // namespace

void attend(Context& context, const AttentionOptions& options, std::span<const Sequence> sequences,
            MatrixView query, MatrixView key, ConstMatrixView value, MatrixView concat) {
  HeadShape largest{0, 0, key.cols() / options.heads, value.cols() / options.heads};
  for (const Sequence& sequence : sequences) {
    largest.rows = std::max(largest.rows, std::min(kBlockRows, sequence.queries));
    largest.keys = std::max(largest.keys, sequence.keys);
  }
  const std::size_t floats = HeadScratch::size(largest);
  for (int thread = 0; thread < context.threads(); ++thread)
    context.scratch(thread, floats);  // tasks must not throw
  const Index tasks = static_cast<Index>(sequences.size()) * options.heads;
  context.parallel(tasks, [&](Index task, int thread) {
    const Sequence& sequence = sequences[static_cast<std::size_t>(task / options.heads)];
    Head head(options, sequence, task % options.heads, query, key, value, concat);
    head.attend(context.scratch(thread, floats));
  });
}

}  // namespace headscope
