#include "model/trace.h"

#include "base/error.h"

namespace headscope {
namespace {

/// Floats of the largest arena: 2 GiB, more than a 32-bit heap can give.
constexpr std::uint64_t kLargestArena = std::uint64_t{1} << 29;

constexpr std::array<const char*, kCaptures> kNames = {
    "embeddings",   "query",           "key",     "value",
    "scores",       "attention",       "context", "attention_output",
    "feed_forward", "hidden",          "output",  "normed1",
    "concat",       "after_attention", "normed2", "feed_forward_hidden"};

}  // namespace

Capture capture_named(const std::string& name) {
  std::string known;
  for (int i = 0; i < kCaptures; ++i) {
    if (name == kNames[static_cast<std::size_t>(i)]) return static_cast<Capture>(i);
    known.append(i ? ", " : "").append(kNames[static_cast<std::size_t>(i)]);
  }
  fail(ErrorCode::kBadArgument, {"capture: no name '", name, "', expected one of ", known});
}

void Trace::reserve(Capture capture, Index layer, Index heads, Index rows, Index cols) {
  auto& first = first_[static_cast<std::size_t>(capture)];
  const auto slot = static_cast<std::size_t>(layer + 1);
  if (first.size() <= slot) first.resize(slot + 1, -1);
  first[slot] = static_cast<int>(entries_.size());
  for (Index head = 0; head < std::max<Index>(heads, 1); ++head) {
    entries_.push_back({capture, static_cast<std::int32_t>(layer),
                        heads > 0 ? static_cast<std::int32_t>(head) : -1,
                        static_cast<std::int32_t>(rows), static_cast<std::int32_t>(cols),
                        static_cast<std::int32_t>(floats_)});
    floats_ += static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(cols);
    // before the next offset is narrowed to 32 bits
    require(floats_ < kLargestArena, ErrorCode::kOutOfMemory,
            "capture: more than 2 GiB would be kept; name fewer captures or layers");
  }
}

void Trace::allocate() { arena_.resize(static_cast<std::size_t>(floats_)); }

int Trace::first_entry(Capture capture, Index layer) const {
  const auto& first = first_[static_cast<std::size_t>(capture)];
  const auto slot = static_cast<std::size_t>(layer + 1);
  return slot < first.size() ? first[slot] : -1;
}

MatrixView Trace::matrix(Capture capture, Index layer, Index head) {
  const Entry& entry = entries_[static_cast<std::size_t>(first_entry(capture, layer) + head)];
  return view(arena_.data() + entry.offset, entry.rows, entry.cols);
}

}  // namespace headscope
