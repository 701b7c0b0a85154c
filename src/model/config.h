#pragma once

#include <string>

#include "base/view.h"
#include "kernels/activation.h"

namespace headscope {

enum class NormPlacement { kPre, kPost };
enum class Pooling { kMean, kFirst, kNone };
enum class PositionKind { kNone, kSinusoidal, kLearned, kRotary, kAlibi, kT5, kShaw };
enum class PositionLayout { kInterleaved, kConcatenated, kHalf };

/// A positional encoding and its settings; each kind reads its own and ignores the others.
struct PositionOptions {
  PositionKind kind = PositionKind::kNone;
  double base = 10000.0;                                 // sinusoidal, rotary: of the wavelengths
  PositionLayout layout = PositionLayout::kInterleaved;  // sinusoidal, rotary
  Index dims = 0;            // rotary: columns rotated per head, 0 for all
  Index offset = 0;          // rotary: position of the first token
  Index buckets = 32;        // t5
  Index max_distance = 128;  // t5
  Index clip = 16;           // shaw: largest offset told apart
};

/// What an encoder is made of. Letters: D d_model, H n_heads, K = D / H, F d_ff, L n_layers, V
/// vocab_size.
struct Config {
  Index n_layers = 0;
  Index n_heads = 0;
  Index d_model = 0;
  Index d_input = 0;  // width of layer 0's input
  Index d_ff = 0;
  Index vocab_size = 0;
  Index max_tokens = 0;
  Index token_types = 0;
  Activation activation = Activation::kRelu;
  bool gated = false;  // act(x w_gate) * (x w1), Shazeer 2020
  NormPlacement norm = NormPlacement::kPre;
  double norm_epsilon = 1e-5;
  bool final_norm = false;
  bool embedding_norm = false;
  double embedding_scale = 1.0;
  bool bias = true;
  bool causal = false;
  bool pooler = false;  // tanh(pooled w + b)
  bool normalize = false;
  Pooling pooling = Pooling::kNone;
  double attention_scale = 0.0;  // 0: 1 / sqrt(d_head) of the layer
  PositionOptions position;

  /// Width of the input of one layer: d_input for layer 0, d_model after it.
  Index input_width(Index layer) const { return layer == 0 ? d_input : d_model; }
  /// Head width K of one layer.
  Index head_width(Index layer) const { return input_width(layer) / n_heads; }
};

/// Throws bad-argument, naming the key, where a config contradicts itself or is out of range.
void check_config(const Config& config);

/// Throws bad-argument, beginning with `where`, where a position's own settings are out of range
/// for rows of `width` columns (the embedding's width for sinusoidal, a head's for rotary).
void check_position(const PositionOptions& position, Index embedding_width, Index head_width,
                    const std::string& where = "config: position");

}  // namespace headscope
