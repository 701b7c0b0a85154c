#include "model/encoder_layer.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "kernels/layer_norm.h"

namespace headscope {
namespace {

/// Copies what each sequence's trace has room for out of the batch's rows.
void keep_rows(std::span<const Sequence> sequences, Capture capture, Index layer,
               ConstMatrixView rows) {
  for (const Sequence& sequence : sequences) {
    if (!sequence.trace || !sequence.trace->has(capture, layer)) continue;
    sequence.trace->matrix(capture, layer) = rows_of(rows, sequence.first_query, sequence.queries);
  }
}

bool keeps(std::span<const Sequence> sequences, Capture capture, Index layer) {
  return std::any_of(sequences.begin(), sequences.end(),
                     [&](const Sequence& s) { return s.trace && s.trace->has(capture, layer); });
}

/// Layer norm of all rows, spread over the threads.
void normalise(Context& context, const NormWeights& norm, float epsilon, ConstMatrixView x,
               MatrixView y) {
  constexpr Index kRows = 8;
  context.parallel((x.rows() + kRows - 1) / kRows, [&](Index task, int) {
    const Index first = task * kRows, count = std::min(kRows, x.rows() - first);
    layer_norm_rows(rows_of(x, first, count), norm.gamma, norm.beta, epsilon,
                    rows_of(y, first, count));
  });
}

/// The steps of one layer; each reads and writes the buffers in place.
class LayerRun {
 public:
  LayerRun(Context& context, const LayerWeights& weights, const LayerOptions& options,
           std::span<const Sequence> sequences, LayerBuffers& buffers, ConstMatrixView x)
      : context_(context),
        weights_(weights),
        options_(options),
        sequences_(sequences),
        buffers_(buffers),
        x_(x),
        rows_(x.rows()),
        width_(buffers.stream.cols()) {}

  void run(MatrixView y) {
    const bool pre = options_.norm == NormPlacement::kPre;
    MatrixView stream = rows_of(view(buffers_.stream), 0, rows_);
    MatrixView normed = view(buffers_.normed.data(), rows_, pre ? x_.cols() : width_);
    if (pre) {
      normalise(context_, weights_.norm1, options_.epsilon, x_, normed);
      keep(Capture::kNormed1, read(normed));
    }
    attend_heads(pre ? read(normed) : x_);
    add_attention(stream);
    if (!pre) normalise(context_, weights_.norm1, options_.epsilon, read(stream), stream);
    keep(Capture::kAfterAttention, read(stream));
    MatrixView normed2 = view(buffers_.normed.data(), rows_, width_);
    if (pre) {
      normalise(context_, weights_.norm2, options_.epsilon, read(stream), normed2);
      keep(Capture::kNormed2, read(normed2));
    }
    add_feed_forward(pre ? read(normed2) : read(stream), read(stream), y);
    if (!pre) normalise(context_, weights_.norm2, options_.epsilon, read(y), y);
    keep(Capture::kHidden, read(y));
  }

 private:
  Index layer() const { return options_.attention.layer; }
  void keep(Capture capture, ConstMatrixView rows) {
    keep_rows(sequences_, capture, layer(), rows);
  }

  void attend_heads(ConstMatrixView input) {
    const Index in = input.cols();
    MatrixView qkv = view(buffers_.qkv.data(), rows_, 3 * in);
    multiply(context_, input, weights_.qkv,
             {.bias = weights_.qkv_bias.empty() ? nullptr : weights_.qkv_bias.data()}, qkv);
    MatrixView concat = view(buffers_.concat.data(), rows_, in);
    attend(context_, options_.attention, sequences_, cols_of(qkv, 0, in), cols_of(qkv, in, in),
           cols_of(read(qkv), 2 * in, in), concat);
    keep(Capture::kConcat, read(concat));
  }

  /// stream = r(x) + concat W^O + b_O. The sum is the same whether or not the product is kept by
  /// itself: float addition commutes, and the product is rounded before the residual is added.
  void add_attention(MatrixView stream) {
    const ConstMatrixView concat =
        view(static_cast<const float*>(buffers_.concat.data()), rows_, x_.cols());
    const bool projected = weights_.w_residual.cols() > 0;
    if (projected)
      multiply(context_, x_, weights_.w_residual, {.bias = weights_.b_residual}, stream);
    add_product(Capture::kAttentionOutput, concat, weights_.wo, weights_.bo,
                projected ? read(stream) : x_, stream);
  }

  void add_feed_forward(ConstMatrixView input, ConstMatrixView residual, MatrixView y) {
    const Index f = weights_.feed_forward.w1.cols();
    MatrixView hidden = view(buffers_.hidden.data(), rows_, f);
    compute_hidden(context_, weights_.feed_forward, options_.activation, input,
                   {hidden, view(buffers_.gate.data(), buffers_.gate.rows() ? rows_ : 0, f)});
    keep(Capture::kFeedForwardHidden, read(hidden));
    add_product(Capture::kFeedForward, read(hidden), weights_.feed_forward.w2,
                weights_.feed_forward.b2, residual, y);
  }

  void add_product(Capture capture, ConstMatrixView a, const Weight& b, const float* bias,
                   ConstMatrixView residual, MatrixView out) {
    if (!keeps(sequences_, capture, layer())) {
      multiply(
          context_, a, b,
          {.bias = bias, .residual = residual.data(), .residual_stride = residual.outerStride()},
          out);
      return;
    }
    // qkv is free by now, and wide enough
    MatrixView product = view(buffers_.qkv.data(), rows_, b.cols());
    multiply(context_, a, b, {.bias = bias}, product);
    keep(capture, read(product));
    out = product + residual;
  }

  Context& context_;
  const LayerWeights& weights_;
  const LayerOptions& options_;
  std::span<const Sequence> sequences_;
  LayerBuffers& buffers_;
  ConstMatrixView x_;
  Index rows_;
  Index width_;
};

}  // namespace

void home_layer(const Config& config, Index layer, WeightFormat format, Parameters& parameters,
                LayerWeights& weights) {
  const std::string prefix = text_of({"layers.", layer, "."});
  const auto home = [&](const char* name, Weight& weight) {
    const ParameterShape& shape = parameters.shape(prefix + name);
    weight = Weight(shape.rows, shape.cols, format);
    parameters.set_home(shape.name, weight, 0);
  };
  const Index in = config.input_width(layer);
  weights.qkv = Weight(in, 3 * in, format);
  Index column = 0;
  for (const char* name : {"attention.wq", "attention.wk", "attention.wv"}) {
    parameters.set_home(prefix + name, weights.qkv, column);
    column += in;
  }
  home("attention.wo", weights.wo);
  if (in != config.d_model) home("attention.w_residual", weights.w_residual);
  home("feed_forward.w1", weights.feed_forward.w1);
  if (config.gated) home("feed_forward.w_gate", weights.feed_forward.w_gate);
  home("feed_forward.w2", weights.feed_forward.w2);
}

void link_vectors(const Config& config, Index layer, const Parameters& parameters,
                  LayerWeights& weights) {
  const std::string prefix = text_of({"layers.", layer, "."});
  const auto vector = [&](const char* name) { return parameters.vector_or_null(prefix + name); };
  weights.qkv_bias.clear();
  if (config.bias) {
    const Index in = config.input_width(layer);
    for (const char* name : {"attention.bq", "attention.bk", "attention.bv"}) {
      weights.qkv_bias.insert(weights.qkv_bias.end(), vector(name), vector(name) + in);
    }
  }
  weights.bo = vector("attention.bo");
  weights.b_residual = vector("attention.b_residual");
  weights.feed_forward.b1 = vector("feed_forward.b1");
  weights.feed_forward.b2 = vector("feed_forward.b2");
  weights.feed_forward.b_gate = vector("feed_forward.b_gate");
  weights.norm1 = {vector("norm1.gamma"), vector("norm1.beta")};
  weights.norm2 = {vector("norm2.gamma"), vector("norm2.beta")};
}

LayerOptions layer_options(const Config& config, Index layer) {
  LayerOptions options;
  options.attention.layer = layer;
  options.attention.heads = config.n_heads;
  options.attention.scale =
      static_cast<float>(config.attention_scale != 0.0
                             ? config.attention_scale
                             : 1.0 / std::sqrt(static_cast<double>(config.head_width(layer))));
  options.attention.mask.causal = config.causal;
  options.norm = config.norm;
  options.epsilon = static_cast<float>(config.norm_epsilon);
  options.activation = config.activation;
  return options;
}

LayerBuffers::LayerBuffers(const Config& config, Index rows)
    : stream(rows, config.d_model),
      normed(rows, std::max(config.d_input, config.d_model)),
      qkv(rows, 3 * std::max(config.d_input, config.d_model)),
      concat(rows, std::max(config.d_input, config.d_model)),
      hidden(rows, config.d_ff),
      gate(config.gated ? rows : 0, config.gated ? config.d_ff : 0) {}

void run_encoder_layer(Context& context, const LayerWeights& weights, const LayerOptions& options,
                       std::span<const Sequence> sequences, LayerBuffers& buffers,
                       ConstMatrixView x, MatrixView y) {
  LayerRun(context, weights, options, sequences, buffers, x).run(y);
}

}  // namespace headscope
