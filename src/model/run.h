#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/encoder.h"
#include "model/trace.h"

namespace headscope {

struct TokenSequence {
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> segments;  // empty: all 0
};

/// Multiplies one head's context before W^O; 0 removes the head (Michel et al. 2019).
struct Gate {
  Index layer;
  Index head;
  float gate;
};

enum class MaskChoice { kModel, kBidirectional, kCausal };

/// One forward pass: what goes in and what is kept.
struct RunRequest {
  std::vector<TokenSequence> sequences;
  std::vector<Capture> capture;
  std::optional<std::vector<Index>> layers;  // capture only these; all without it
  std::vector<Gate> gates;
  MaskChoice mask = MaskChoice::kModel;
  std::optional<PositionOptions>
      position;  // instead of the model's own; kinds without parameters only
};

/// A forward pass over a batch, layer by layer, so that its owner can stop between layers.
/// Sequences of different lengths lie one behind the other, without padding: each gives the numbers
/// of a single run.
class Run {
 public:
  /// Checks the request (bad-argument, too-long) and embeds the tokens. The encoder must outlive
  /// the run.
  Run(Context& context, Encoder& encoder, RunRequest request);

  /// Computes one layer, and after the last one the final norm and the pooling. True while more
  /// remain.
  bool step();

  Index sequences() const { return static_cast<Index>(traces_.size()); }
  const Trace& trace(Index sequence) const { return traces_[static_cast<std::size_t>(sequence)]; }
  /// The sentence vector [D]; empty where pooling is none. Once step() has returned false.
  const std::vector<float>& pooled(Index sequence) const {
    return pooled_[static_cast<std::size_t>(sequence)];
  }

 private:
  void check() const;
  void place_sequences();
  void reserve_traces();
  void embed();
  void finish();
  Position& position() { return replaced_ ? *replaced_ : encoder_.position(); }

  Context& context_;
  Encoder& encoder_;
  RunRequest request_;
  std::unique_ptr<Position> replaced_;
  std::vector<Sequence> sequences_;
  std::vector<Trace> traces_;
  std::vector<std::vector<float>> pooled_;
  std::vector<float> gates_;  // [L, H]
  Index rows_ = 0;
  Index next_layer_ = 0;
  Matrix input_;   // [N, D_in]
  Matrix hidden_;  // [N, D]
  std::optional<LayerBuffers> buffers_;
};

}  // namespace headscope
