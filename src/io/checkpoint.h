#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/parameters.h"

namespace headscope {

/// One line of a safetensors header: where the bytes of a tensor lie in the file's data section.
struct TensorEntry {
  std::string name;
  std::string dtype;  // F64, F32, F16, BF16 or I8
  std::vector<Index> shape;
  std::uint64_t begin;
  std::uint64_t end;
};

/// The bytes of one tensor, or of a part of it, wherever they lie.
class TensorBytes {
 public:
  virtual ~TensorBytes() = default;
  virtual std::size_t size() const = 0;
  /// Copies out.size() of them, from `first` on.
  virtual void copy(std::size_t first, std::span<std::uint8_t> out) const = 0;
};

/// Bytes in this memory.
class SpanBytes final : public TensorBytes {
 public:
  explicit SpanBytes(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::size_t size() const override { return bytes_.size(); }
  void copy(std::size_t first, std::span<std::uint8_t> out) const override {
    std::copy_n(bytes_.data() + first, out.size(), out.data());
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

/// Fills parameters from tensors, each settled as soon as it is complete. Quantised ones come as
/// NAME in I8 and NAME.scale, with one scale per column of a matrix, or one per row of an embedding
/// table; the two may come in any order. A tensor may come in parts, from its first byte to its
/// last.
class CheckpointLoader {
 public:
  explicit CheckpointLoader(Parameters& parameters) : parameters_(parameters) {}

  /// Throws bad-checkpoint, naming the tensor, for a name that the model lacks, a shape, dtype or
  /// byte count that disagrees, a number that is not finite, or bytes out of turn. `bytes` are the
  /// tensor's from its byte `first` on, little-endian.
  void place(const TensorEntry& entry, const TensorBytes& bytes, std::size_t first = 0);

  /// Looks at F32 values of the token table, which stay where they are, and holds them to the same.
  /// True for the last of them: its rows may be set.
  bool inspect(const TensorEntry& entry, const TensorBytes& bytes, std::size_t first);

  /// Throws bad-checkpoint, naming the first tensor that never came.
  void finish();

 private:
  /// Some bytes of a tensor: those from `first` on.
  struct Part {
    const TensorEntry& entry;
    const TensorBytes& bytes;
    std::size_t first;
  };
  /// What has come of a tensor.
  struct Arrival {
    std::string dtype;
    std::size_t bytes = 0;
    bool whole = false;
    std::vector<float> scales;  // of a scale
  };

  void place_values(const Part& part);
  void place_scale(const Part& part, const std::string& name);
  const ParameterShape& shape_of(const TensorEntry& entry) const;
  Arrival& expect(const Part& part, std::uint64_t count);
  bool receive(const Part& part, std::span<float> out);
  bool note(const Part& part, Arrival& arrival);
  bool is_whole(const std::string& name) const;
  void settle(const std::string& name);
  void apply_scale(const std::string& name);
  void refuse_scale(const std::string& name);

  Parameters& parameters_;
  std::map<std::string, Arrival> arrivals_;
};

}  // namespace headscope
