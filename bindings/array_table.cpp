#include "bindings/array_table.h"

#include <algorithm>
#include <iterator>

namespace headscope::marshal {
namespace {

val view(const val& array, std::size_t first, std::size_t count) {
  const auto begin = static_cast<double>(first);
  return array.call<val>("subarray", begin, begin + static_cast<double>(count));
}

}  // namespace

ArrayBytes::ArrayBytes(const val& array, const Fields& piece) : array_(array) {
  const double begin = piece.number("at", 0), end = begin + piece.number("length", 0);
  const auto there = static_cast<double>(length_of(array));
  if (begin < 0 || end < begin || end > there) {
    fail(ErrorCode::kBadCheckpoint,
         {"checkpoint: \"", piece.word("name"), "\" lies at bytes ", begin, " to ", end,
          ", expected a range within the ", there, " that there are"});
  }
  begin_ = static_cast<std::size_t>(begin);
  size_ = static_cast<std::size_t>(end - begin);
}

void ArrayBytes::copy(std::size_t first, std::span<std::uint8_t> out) const {
  copy_in(view(array_, begin_ + first, out.size()), out);
}

val ArrayBytes::alone() const {
  if (size_ == length_of(array_)) return array_;
  const auto begin = static_cast<double>(begin_);
  return array_.call<val>("slice", begin, begin + static_cast<double>(size_));
}

void ArrayTable::append(const ArrayBytes& bytes) {
  chunks_.push_back({bytes.alone(), size_});
  size_ += bytes.size();
}

void ArrayTable::read(std::size_t first, std::span<float> out) const {
  std::span left(reinterpret_cast<std::uint8_t*>(out.data()), out.size_bytes());
  std::size_t at = first * sizeof(float);
  // A row may begin in one chunk and end in the next.
  while (!left.empty()) {
    const auto next =
        std::upper_bound(chunks_.begin(), chunks_.end(), at,
                         [](std::size_t place, const Chunk& chunk) { return place < chunk.begin; });
    const std::size_t end = next == chunks_.end() ? size_ : next->begin;
    const Chunk& chunk = *std::prev(next);
    const std::size_t count = std::min(left.size(), end - at);
    copy_in(view(chunk.bytes, at - chunk.begin, count), left.first(count));
    left = left.subspan(count);
    at += count;
  }
}

}  // namespace headscope::marshal
