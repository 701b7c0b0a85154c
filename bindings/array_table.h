#pragma once

#include <vector>

#include "bindings/fields.h"
#include "io/checkpoint.h"
#include "model/parameters.h"

namespace headscope::marshal {

/// Some of a tensor's bytes, in a Uint8Array.
class ArrayBytes final : public TensorBytes {
 public:
  /// `piece` says `at` what index of the array they begin, and their `length`. Throws
  /// bad-checkpoint for a range that is not within the array, which its owner may have given away
  /// meanwhile.
  ArrayBytes(const val& array, const Fields& piece);
  std::size_t size() const override { return size_; }
  void copy(std::size_t first, std::span<std::uint8_t> out) const override;
  /// The array, if there is nothing else in it; or a copy out of it, which does not keep the rest.
  val alone() const;

 private:
  const val& array_;
  std::size_t begin_;
  std::size_t size_;
};

/// A table in JavaScript's memory, of which a run copies the rows that it needs: the heap, which
/// can be no larger than its maximum and never shrinks, does without it.
class ArrayTable final : public TableRows {
 public:
  /// The bytes behind those that there are. An array of nothing else is the table's from now on.
  void append(const ArrayBytes& bytes);
  void read(std::size_t first, std::span<float> out) const override;

 private:
  struct Chunk {
    val bytes;
    std::size_t begin;
  };
  std::vector<Chunk> chunks_;
  std::size_t size_ = 0;
};

}  // namespace headscope::marshal
