#pragma once

#include <memory>
#include <vector>

#include "base/context.h"
#include "model/config.h"
#include "model/encoder_layer.h"
#include "model/parameters.h"
#include "model/position.h"

namespace headscope {

/// A whole Transformer encoder: parameters that are filled first, each packed as soon as it is
/// settled, then read-only.
class Encoder {
 public:
  /// Throws bad-argument for a config that check_config refuses.
  explicit Encoder(const Config& config, WeightFormat format = WeightFormat::kFloat32);
  Encoder(const Encoder&) = delete;  // parameters point to their weights
  Encoder& operator=(const Encoder&) = delete;

  const Config& config() const { return config_; }
  Parameters& parameters() { return parameters_; }
  const Parameters& parameters() const { return parameters_; }

  /// Settles what has not been settled; every parameter must have been filled. The encoder can run
  /// from here on.
  void finish();
  bool finished() const { return position_ != nullptr; }

  const LayerWeights& layer(Index index) const { return layers_[static_cast<std::size_t>(index)]; }
  Position& position() { return *position_; }
  NormWeights final_norm() const;

  /// x [T, D_in] (out): embedding_scale * token (+ token type) + position, normalised where the
  /// config has an embedding norm. ids and segments [T] (segments may be empty) are in range.
  void embed(std::span<const std::int32_t> ids, std::span<const std::int32_t> segments,
             const Position& position, MatrixView x) const;

  /// The sentence vector of output rows [T, D] (after the final norm): pooled, through the pooler,
  /// and of length 1 where the config says so. Empty for pooling none; from zeros for T = 0.
  std::vector<float> pool(Context& context, ConstMatrixView output) const;

 private:
  Config config_;
  Parameters parameters_;
  std::vector<LayerWeights> layers_;
  Weight pooler_;
  std::unique_ptr<Position> position_;
};

}  // namespace headscope
