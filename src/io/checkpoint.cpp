#include "io/checkpoint.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "kernels/finite.h"

namespace headscope {
namespace {

[[noreturn]] void refuse(const std::string& name, Pieces what) {
  fail(ErrorCode::kBadCheckpoint, {"checkpoint: \"", name, "\" ", text_of(what)});
}

std::size_t element_bytes(const TensorEntry& entry) {
  if (entry.dtype == "F64") return 8;
  if (entry.dtype == "F32") return 4;
  if (entry.dtype == "F16" || entry.dtype == "BF16") return 2;
  if (entry.dtype == "I8") return 1;
  refuse(entry.name, {"has dtype ", entry.dtype, ", expected F64, F32, F16, BF16 or I8"});
}

template <class T>
T load(const std::uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1fu, fraction = half & 0x3ffu;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  if (exponent == 0) {  // subnormal: fraction * 2^-24
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

float decode(const std::string& dtype, const std::uint8_t* bytes) {
  if (dtype == "F32") return load<float>(bytes);
  if (dtype == "F64") return static_cast<float>(load<double>(bytes));
  if (dtype == "F16") return half_to_float(load<std::uint16_t>(bytes));
  if (dtype == "BF16")
    return std::bit_cast<float>(static_cast<std::uint32_t>(load<std::uint16_t>(bytes)) << 16);
  return static_cast<float>(load<std::int8_t>(bytes));
}

/// One number that is none would be in every result. `first` is the index of the first value.
void check_finite(const std::string& name, std::span<const float> values, std::size_t first = 0) {
  if (all_finite(values)) return;
  std::size_t i = 0;
  while (std::isfinite(values[i])) ++i;
  const char* got = std::isnan(values[i]) ? "NaN" : values[i] > 0 ? "Infinity" : "-Infinity";
  refuse(name, {"has ", got, " at index ", first + i, ", expected finite numbers"});
}

/// Values that are decoded, or looked at, while they are in a cache.
constexpr std::size_t kPart = 16384;

/// Decodes all values of the bytes to `out`, or, where they are only looked at, to scratch of kPart
/// values. The first is the tensor's value number `index`.
void decode_part(const TensorEntry& entry, const TensorBytes& bytes, std::size_t index, float* out,
                 bool look_only = false) {
  const std::size_t size = element_bytes(entry), count = bytes.size() / size;
  const bool plain = entry.dtype == "F32";
  std::vector<std::uint8_t> encoded(plain ? 0 : std::min(kPart, count) * size);
  for (std::size_t first = 0; first < count; first += kPart) {
    const std::span part(look_only ? out : out + first, std::min(kPart, count - first));
    if (plain) {
      bytes.copy(first * size, {reinterpret_cast<std::uint8_t*>(part.data()), part.size_bytes()});
    } else {
      bytes.copy(first * size, std::span(encoded).first(part.size() * size));
      for (std::size_t i = 0; i < part.size(); ++i)
        part[i] = decode(entry.dtype, encoded.data() + i * size);
    }
    check_finite(entry.name, part, index + first);
  }
}

std::string shape_text(const std::vector<Index>& shape) {
  std::string text;
  for (const Index size : shape) text.append(text_of({text.empty() ? "" : ",", size}));
  return text_of({"[", text, "]"});
}

bool is_table(const std::string& name) { return name.starts_with("embeddings."); }

constexpr std::string_view kScale = ".scale";

}  // namespace

void CheckpointLoader::place(const TensorEntry& entry, const TensorBytes& bytes,
                             std::size_t first) {
  if (is_whole(entry.name)) refuse(entry.name, {"comes twice"});
  const Part part{entry, bytes, first};
  if (parameters_.has(entry.name)) return place_values(part);
  if (!entry.name.ends_with(kScale)) refuse(entry.name, {"is not a parameter of this model"});
  const std::string name = entry.name.substr(0, entry.name.size() - kScale.size());
  if (!parameters_.has(name)) refuse(entry.name, {"is not the scale of a parameter of this model"});
  place_scale(part, name);
}

bool CheckpointLoader::inspect(const TensorEntry& entry, const TensorBytes& bytes,
                               std::size_t first) {
  require(entry.name == kTokenTable && entry.dtype == "F32", ErrorCode::kInternal,
          "checkpoint: only a token table in F32 stays where it is");
  if (is_whole(entry.name)) refuse(entry.name, {"comes twice"});
  const ParameterShape& shape = shape_of(entry);
  const Part part{entry, bytes, first};
  const auto rows = static_cast<std::uint64_t>(shape.rows);
  Arrival& arrival = expect(part, rows * static_cast<std::uint64_t>(shape.cols));
  std::vector<float> scratch(kPart);
  decode_part(entry, bytes, first / sizeof(float), scratch.data(), true);
  return note(part, arrival);
}

void CheckpointLoader::place_values(const Part& part) {
  shape_of(part.entry);
  Matrix& values = parameters_.room(part.entry.name);
  const bool whole = receive(part, {values.data(), static_cast<std::size_t>(values.size())});
  if (whole) settle(part.entry.name);
}

/// The shape that the model has of a tensor; the file's is the same.
const ParameterShape& CheckpointLoader::shape_of(const TensorEntry& entry) const {
  const ParameterShape& shape = parameters_.shape(entry.name);
  const std::string expected = headscope::shape_text(shape), got = shape_text(entry.shape);
  if (got != expected) refuse(entry.name, {"has shape ", got, ", expected ", expected});
  return shape;
}

void CheckpointLoader::place_scale(const Part& part, const std::string& name) {
  const ParameterShape& shape = parameters_.shape(name);
  const Index count = is_table(name) ? shape.rows : shape.cols;
  const std::vector<Index>& got = part.entry.shape;
  if (got != std::vector<Index>{count}) {
    refuse(part.entry.name, {"has shape ", shape_text(got), ", expected [", count, "]"});
  }
  std::vector<float>& scales = arrivals_[part.entry.name].scales;
  scales.resize(static_cast<std::size_t>(count));
  if (receive(part, scales) && is_whole(name)) settle(name);
}

/// Decodes a part to its place in `out`, which has room for the whole tensor. True for the last.
bool CheckpointLoader::receive(const Part& part, std::span<float> out) {
  Arrival& arrival = expect(part, out.size());
  const std::size_t index = part.first / element_bytes(part.entry);
  decode_part(part.entry, part.bytes, index, out.data() + index);
  return note(part, arrival);
}

/// What has come of a tensor of `count` values, which this part goes on with.
CheckpointLoader::Arrival& CheckpointLoader::expect(const Part& part, std::uint64_t count) {
  const auto& [entry, bytes, first] = part;
  const std::size_t size = element_bytes(entry);
  const std::uint64_t whole = count * size;
  if (whole > std::numeric_limits<std::size_t>::max()) {
    fail(ErrorCode::kOutOfMemory, {"checkpoint: \"", entry.name, "\" has ", whole,
                                   " bytes: more than can be addressed here"});
  }
  if (entry.end - entry.begin != whole) {
    refuse(entry.name, {"has ", entry.end - entry.begin, " bytes, expected ", whole});
  }
  Arrival& arrival = arrivals_[entry.name];
  if (arrival.bytes == 0) arrival.dtype = entry.dtype;
  const std::uint64_t left = whole - arrival.bytes;
  const bool fits = bytes.size() % size == 0 && bytes.size() <= left;
  if (first == arrival.bytes && fits && entry.dtype == arrival.dtype) return arrival;
  refuse(entry.name, {"has ", bytes.size(), " bytes of ", entry.dtype, " at ", first,
                      ", expected at most ", left, " of ", arrival.dtype, " at ", arrival.bytes});
}

bool CheckpointLoader::note(const Part& part, Arrival& arrival) {
  arrival.bytes += part.bytes.size();
  arrival.whole = arrival.bytes == part.entry.end - part.entry.begin;
  return arrival.whole;
}

bool CheckpointLoader::is_whole(const std::string& name) const {
  const auto known = arrivals_.find(name);
  return known != arrivals_.end() && known->second.whole;
}

/// Values in I8 wait for their scale, unless it has come before them.
void CheckpointLoader::settle(const std::string& name) {
  if (arrivals_[name].dtype == "I8") {
    if (!is_whole(text_of({name, kScale}))) return;
    apply_scale(name);
  } else {
    refuse_scale(name);
  }
  parameters_.settle(name);
}

void CheckpointLoader::refuse_scale(const std::string& name) {
  const std::string scale = text_of({name, kScale});
  if (arrivals_[scale].bytes > 0) refuse(scale, {"is there, but ", name, " is not I8"});
}

void CheckpointLoader::finish() {
  for (const ParameterShape& shape : parameters_.shapes()) {
    if (!is_whole(shape.name))
      refuse(shape.name, {"is missing, expected shape ", headscope::shape_text(shape)});
    const std::string scale = text_of({shape.name, kScale});
    if (arrivals_[shape.name].dtype == "I8" && !is_whole(scale))
      refuse(scale, {"is missing, and ", shape.name, " is I8"});
    if (arrivals_[shape.name].dtype != "I8") refuse_scale(shape.name);
  }
}

void CheckpointLoader::apply_scale(const std::string& name) {
  const std::vector<float>& scales = arrivals_[text_of({name, kScale})].scales;
  Matrix& values = parameters_.values(name);
  const Eigen::Map<const Eigen::ArrayXf> factors(scales.data(), static_cast<Index>(scales.size()));
  if (is_table(name)) {
    values.array().colwise() *= factors;
  } else {
    values.array().rowwise() *= factors.transpose();
  }
  check_finite(name, {values.data(), static_cast<std::size_t>(values.size())});
}

}  // namespace headscope
