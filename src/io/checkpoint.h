#pragma once

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

/// Fills parameters from tensors. Quantised ones come as NAME in I8 and NAME.scale, with one scale
/// per column of a matrix, or one per row of an embedding table; the two may come in any order.
class CheckpointLoader {
 public:
  explicit CheckpointLoader(Parameters& parameters) : parameters_(parameters) {}

  /// Throws bad-checkpoint, naming the tensor, for a name that the model lacks, a shape, dtype or
  /// byte count that disagrees, a number that is not finite, or a tensor that came before. `bytes`
  /// are the tensor's own, little-endian.
  void place(const TensorEntry& entry, std::span<const std::uint8_t> bytes);

  /// Applies the scales. Throws bad-checkpoint, naming the first tensor that never came.
  void finish();

 private:
  void place_scale(const TensorEntry& entry, const std::string& name,
                   std::span<const std::uint8_t> bytes);
  void apply_scale(const std::string& name, const std::vector<float>& scales);

  Parameters& parameters_;
  std::map<std::string, std::string> placed_;  // name -> dtype
  std::map<std::string, std::vector<float>> scales_;
};

}  // namespace headscope
