#include "io/checkpoint.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>

#include "base/error.h"

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

/// One number that is none would be in every result.
void check_finite(const std::string& name, std::span<const float> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    const char* got = std::isnan(values[i]) ? "NaN" : values[i] > 0 ? "Infinity" : "-Infinity";
    refuse(name, {"has ", got, " at index ", i, ", expected finite numbers"});
  }
}

void decode_all(const TensorEntry& entry, std::span<const std::uint8_t> bytes,
                std::span<float> out) {
  const std::size_t size = element_bytes(entry);
  if (bytes.size() != out.size() * size) {
    refuse(entry.name, {"has ", bytes.size(), " bytes, expected ", out.size() * size});
  }
  if (entry.dtype == "F32") {
    if (!out.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
  } else {
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = decode(entry.dtype, bytes.data() + i * size);
  }
  check_finite(entry.name, out);
}

std::string shape_text(const std::vector<Index>& shape) {
  std::string text;
  for (const Index size : shape) text.append(text_of({text.empty() ? "" : ",", size}));
  return text_of({"[", text, "]"});
}

bool is_table(const std::string& name) { return name.starts_with("embeddings."); }

constexpr std::string_view kScale = ".scale";

}  // namespace

void CheckpointLoader::place(const TensorEntry& entry, std::span<const std::uint8_t> bytes) {
  if (placed_.contains(entry.name)) refuse(entry.name, {"comes twice"});
  if (!parameters_.has(entry.name)) {
    if (!entry.name.ends_with(kScale)) refuse(entry.name, {"is not a parameter of this model"});
    const std::string name = entry.name.substr(0, entry.name.size() - kScale.size());
    if (!parameters_.has(name))
      refuse(entry.name, {"is not the scale of a parameter of this model"});
    place_scale(entry, name, bytes);
  } else {
    const ParameterShape& shape = parameters_.shape(entry.name);
    const std::string expected = headscope::shape_text(shape), got = shape_text(entry.shape);
    if (got != expected) refuse(entry.name, {"has shape ", got, ", expected ", expected});
    Matrix& values = parameters_.values(entry.name);
    decode_all(entry, bytes, {values.data(), static_cast<std::size_t>(values.size())});
  }
  placed_.emplace(entry.name, entry.dtype);
}

void CheckpointLoader::place_scale(const TensorEntry& entry, const std::string& name,
                                   std::span<const std::uint8_t> bytes) {
  const ParameterShape& shape = parameters_.shape(name);
  const Index count = is_table(name) ? shape.rows : shape.cols;
  if (entry.shape != std::vector<Index>{count}) {
    refuse(entry.name, {"has shape ", shape_text(entry.shape), ", expected [", count, "]"});
  }
  std::vector<float>& scales = scales_[name];
  scales.resize(static_cast<std::size_t>(count));
  decode_all(entry, bytes, scales);
}

void CheckpointLoader::finish() {
  for (const ParameterShape& shape : parameters_.shapes()) {
    const auto placed = placed_.find(shape.name);
    if (placed == placed_.end())
      refuse(shape.name, {"is missing, expected shape ", headscope::shape_text(shape)});
    const auto scales = scales_.find(shape.name);
    const bool quantised = placed->second == "I8";
    if (quantised && scales == scales_.end())
      refuse(text_of({shape.name, kScale}), {"is missing, and ", shape.name, " is I8"});
    if (!quantised && scales != scales_.end())
      refuse(text_of({shape.name, kScale}), {"is there, but ", shape.name, " is not I8"});
    if (quantised) apply_scale(shape.name, scales->second);
  }
}

void CheckpointLoader::apply_scale(const std::string& name, const std::vector<float>& scales) {
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
