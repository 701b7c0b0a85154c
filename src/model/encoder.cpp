#include "model/encoder.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/elementary.h"
#include "kernels/layer_norm.h"

namespace headscope {
namespace {

const Config& checked(const Config& config) {
  check_config(config);
  return config;
}

}  // namespace

Encoder::Encoder(const Config& config, WeightFormat format)
    : config_(checked(config)),
      parameters_(parameter_shapes(config)),
      layers_(static_cast<std::size_t>(config.n_layers)) {
  for (Index layer = 0; layer < config.n_layers; ++layer) {
    home_layer(config, layer, format, parameters_, layers_[static_cast<std::size_t>(layer)]);
  }
  if (!config.pooler) return;
  pooler_ = Weight(config.d_model, config.d_model, format);
  parameters_.set_home("pooler.w", pooler_, 0);
}

void Encoder::finish() {
  parameters_.settle_all();
  for (Index layer = 0; layer < config_.n_layers; ++layer) {
    link_vectors(config_, layer, parameters_, layers_[static_cast<std::size_t>(layer)]);
  }
  position_ = make_position(config_.position, position_setting(config_, parameters_));
}

NormWeights Encoder::final_norm() const {
  return {parameters_.vector_or_null("final_norm.gamma"),
          parameters_.vector_or_null("final_norm.beta")};
}

void Encoder::embed(std::span<const std::int32_t> ids, std::span<const std::int32_t> segments,
                    const Position& position, MatrixView x) const {
  parameters_.read_tokens(ids, x);
  x *= static_cast<float>(config_.embedding_scale);
  if (config_.token_types > 0) {
    const ConstMatrixView types = parameters_.matrix("embeddings.token_type");
    for (Index i = 0; i < x.rows(); ++i) {
      x.row(i) += types.row(segments.empty() ? 0 : segments[static_cast<std::size_t>(i)]);
    }
  }
  position.add_to_embeddings(x);
  if (config_.embedding_norm) {
    layer_norm_rows(read(x), parameters_.vector_or_null("embedding_norm.gamma"),
                    parameters_.vector_or_null("embedding_norm.beta"),
                    static_cast<float>(config_.norm_epsilon), x);
  }
}

std::vector<float> Encoder::pool(Context& context, ConstMatrixView output) const {
  if (config_.pooling == Pooling::kNone) return {};
  Matrix pooled = Matrix::Zero(1, config_.d_model);
  const Index rows =
      config_.pooling == Pooling::kFirst ? std::min<Index>(output.rows(), 1) : output.rows();
  for (Index i = 0; i < rows; ++i) pooled += output.row(i);
  pooled /= static_cast<float>(std::max<Index>(rows, 1));
  if (config_.pooler) {
    Matrix mapped(1, config_.d_model);
    multiply(context, view(std::as_const(pooled)), pooler_,
             {.bias = parameters_.vector_or_null("pooler.b")}, view(mapped));
    for (Index j = 0; j < mapped.cols(); ++j)
      pooled(0, j) = static_cast<float>(hyperbolic_tangent(mapped(0, j)));
  }
  if (config_.normalize) pooled /= std::sqrt(std::max(pooled.squaredNorm(), 1e-12f));
  return {pooled.data(), pooled.data() + pooled.size()};
}

}  // namespace headscope
