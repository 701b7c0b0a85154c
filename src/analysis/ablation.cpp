#include "analysis/ablation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"

namespace headscope {
namespace {

double cosine(const std::vector<float>& a, const std::vector<float>& b) {
  const Eigen::Map<const Eigen::VectorXf> x(a.data(), static_cast<Index>(a.size())),
      y(b.data(), static_cast<Index>(b.size()));
  const double product = x.cast<double>().dot(y.cast<double>());
  const double norms = x.cast<double>().norm() * y.cast<double>().norm();
  return norms > 0 ? product / norms : 0;
}

}  // namespace

Ablation::Ablation(Context& context, Encoder& encoder, std::vector<TokenSequence> sequences)
    : context_(context), encoder_(encoder), sequences_(std::move(sequences)) {
  require(encoder.config().pooling != Pooling::kNone, ErrorCode::kBadArgument,
          "analysis: the model's pooling is 'none', expected a model with a sentence vector");
  whole_ = sentence_vectors({});
}

double Ablation::similarity(std::vector<Gate> gates) {
  const auto gated = sentence_vectors(std::move(gates));
  double sum = 0;
  for (std::size_t i = 0; i < gated.size(); ++i) sum += cosine(gated[i], whole_[i]);
  return sum / static_cast<double>(std::max<std::size_t>(gated.size(), 1));
}

std::vector<std::vector<float>> Ablation::sentence_vectors(std::vector<Gate> gates) {
  RunRequest request;
  request.sequences = sequences_;
  request.gates = std::move(gates);
  Run run(context_, encoder_, std::move(request));
  while (run.step()) {
  }
  std::vector<std::vector<float>> vectors;
  for (Index i = 0; i < run.sequences(); ++i) vectors.push_back(run.pooled(i));
  return vectors;
}

}  // namespace headscope
