// A checkpoint out of arbitrary bytes: a config, lines of safetensors headers and data, through the
// loader into an encoder that runs once.

#include <cstring>
#include <memory>
#include <span>

#include "fuzzed_model.h"
#include "io/checkpoint.h"

namespace headscope::fuzz {
namespace {

/// Larger models say nothing that small ones do not, and take the fuzzer's time.
constexpr double kMostFloats = 1 << 16;

struct Tensor {
  TensorEntry entry;
  std::vector<std::uint8_t> bytes;
};

std::size_t width_of(const std::string& dtype) {
  if (dtype == "F64") return 8;
  if (dtype == "F32") return 4;
  return dtype == "I8" || dtype == "U8" ? 1 : 2;
}

/// `count` numbers of the type: of the fuzzer's own bytes, or one small number again and again.
std::vector<std::uint8_t> any_values(FuzzedDataProvider& data, const std::string& dtype,
                                     std::size_t count) {
  std::vector<std::uint8_t> bytes(count * width_of(dtype));
  if (is_rare(data, 4)) {
    if (!bytes.empty()) data.ConsumeData(bytes.data(), bytes.size());
    return bytes;
  }
  const auto small = data.ConsumeIntegral<std::int8_t>();
  const float value = static_cast<float>(small) / 64;
  const double wide = value;
  std::uint8_t pattern[8] = {};
  if (dtype == "F64") std::memcpy(pattern, &wide, sizeof wide);
  if (dtype == "F32") std::memcpy(pattern, &value, sizeof value);
  if (dtype == "BF16") std::memcpy(pattern, reinterpret_cast<const char*>(&value) + 2, 2);
  const auto half = static_cast<_Float16>(value);
  if (dtype == "F16") std::memcpy(pattern, &half, sizeof half);
  if (dtype == "I8") std::memcpy(pattern, &small, 1);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = pattern[i % width_of(dtype)];
  return bytes;
}

/// The file's line for a parameter, right as a rule.
Tensor any_tensor(FuzzedDataProvider& data, std::string name, std::vector<Index> shape,
                  std::string dtype) {
  if (is_rare(data, 128)) dtype = data.ConsumeRandomLengthString(5);
  if (is_rare(data, 128)) name = data.ConsumeRandomLengthString(40);
  if (is_rare(data, 128)) shape.push_back(data.ConsumeIntegral<Index>());
  std::size_t count = 1;
  for (const Index size : shape) {
    const bool is_small = size >= 0 && size < 1 << 16 && count < 1 << 16;
    count = is_small ? count * static_cast<std::size_t>(size) : 0;
  }
  if (is_rare(data, 128)) count = data.ConsumeIntegralInRange<std::size_t>(0, 99);
  std::vector<std::uint8_t> bytes = any_values(data, dtype, count);
  return {{std::move(name), std::move(dtype), std::move(shape), 0, bytes.size()}, std::move(bytes)};
}

/// The tensors of a file for this model: all of them as a rule, some in int8 with their scales.
std::vector<Tensor> any_tensors(FuzzedDataProvider& data, const Parameters& parameters) {
  std::vector<Tensor> tensors;
  const bool all_same = data.ConsumeBool();
  const auto any_dtype = [&] {
    return std::string(data.PickValueInArray({"F32", "F16", "BF16", "F64", "I8"}));
  };
  const std::string common = any_dtype();
  for (const ParameterShape& shape : parameters.shapes()) {
    if (is_rare(data, 256)) continue;
    const std::string dtype = all_same ? common : any_dtype();
    std::vector<Index> dims = {shape.cols};
    if (!shape.is_vector) dims.insert(dims.begin(), shape.rows);
    if (dtype == "I8" && !is_rare(data, 256)) {
      const bool per_row = shape.name.starts_with("embeddings.");
      tensors.push_back(
          any_tensor(data, shape.name + ".scale", {per_row ? shape.rows : shape.cols}, "F32"));
    }
    tensors.push_back(any_tensor(data, shape.name, std::move(dims), dtype));
    if (is_rare(data, 256)) tensors.push_back(tensors.back());
  }
  return tensors;
}

class KeptRows final : public TableRows {
 public:
  explicit KeptRows(std::span<const std::uint8_t> bytes) : bytes_(bytes.begin(), bytes.end()) {}
  void read(std::size_t first, std::span<float> out) const override {
    std::memcpy(out.data(), bytes_.data() + first * sizeof(float), out.size_bytes());
  }

 private:
  std::vector<std::uint8_t> bytes_;
};

bool are_tame(const Parameters& parameters) {
  for (const ParameterShape& shape : parameters.shapes()) {
    const Matrix values = parameters.read(shape.name);
    check_finite({values.data(), static_cast<std::size_t>(values.size())}, shape.name.c_str());
    if (values.cwiseAbs().maxCoeff() > kTame) return false;
  }
  return true;
}

void load_and_run(FuzzedDataProvider& data) {
  static Context context(1);
  const Config config = any_config(data);
  check_config(config);
  if (count_floats(config) > kMostFloats) return;
  const auto format = data.PickValueInArray(
      {WeightFormat::kFloat32, WeightFormat::kInt8Wide, WeightFormat::kInt8Dot});
  Encoder encoder(config, format);
  CheckpointLoader loader(encoder.parameters());
  const bool may_stay = data.ConsumeBool();
  std::unique_ptr<TableRows> rows;
  for (const Tensor& tensor : any_tensors(data, encoder.parameters())) {
    const std::span<const std::uint8_t> bytes = tensor.bytes;
    const std::size_t cut =
        is_rare(data, 4) ? data.ConsumeIntegralInRange<std::size_t>(0, bytes.size()) : bytes.size();
    const bool stays = may_stay && tensor.entry.name == kTokenTable && tensor.entry.dtype == "F32";
    const auto give = [&](std::span<const std::uint8_t> part, std::size_t first) {
      if (!stays) return loader.place(tensor.entry, SpanBytes(part), first);
      if (loader.inspect(tensor.entry, SpanBytes(part), first))
        rows = std::make_unique<KeptRows>(bytes);
    };
    give(bytes.first(cut), 0);
    if (cut < bytes.size()) give(bytes.subspan(cut), cut);
  }
  loader.finish();
  if (rows) encoder.parameters().set_rows(std::move(rows));
  encoder.finish();
  const bool tame = is_tame(config) && are_tame(encoder.parameters());
  run_model(context, encoder, any_request(data, config), config.n_layers, tame);
}

}  // namespace
}  // namespace headscope::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  FuzzedDataProvider data(bytes, size);
  headscope::fuzz::attempt([&] { headscope::fuzz::load_and_run(data); });
  return 0;
}
