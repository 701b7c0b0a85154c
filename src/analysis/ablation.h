#pragma once

#include <vector>

#include "model/run.h"

namespace headscope {

/// What an encoder's sentence vectors lose when heads are gated (Michel et al. 2019): the whole
/// model's vectors are computed once and every ablation is compared with them.
class Ablation {
 public:
  /// Throws bad-argument where the model has no sentence vector, or for a request that Run refuses.
  /// The encoder must outlive the ablation.
  Ablation(Context& context, Encoder& encoder, std::vector<TokenSequence> sequences);

  /// Mean over the sequences of the cosine between the sentence vector under these gates and the
  /// whole model's; 0 for no sequences.
  double similarity(std::vector<Gate> gates);

 private:
  std::vector<std::vector<float>> sentence_vectors(std::vector<Gate> gates);

  Context& context_;
  Encoder& encoder_;
  std::vector<TokenSequence> sequences_;
  std::vector<std::vector<float>> whole_;
};

}  // namespace headscope
