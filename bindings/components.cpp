#include "bindings/components.h"

#include <array>
#include <cmath>

#include "bindings/arguments.h"
#include "bindings/component_results.h"
#include "bindings/config_marshal.h"
#include "kernels/layer_norm.h"
#include "model/alibi_position.h"
#include "model/attention_cost.h"
#include "model/bias_position.h"
#include "model/encoder_layer.h"
#include "model/feed_forward.h"
#include "model/layer_norm_steps.h"
#include "model/multi_head_attention.h"
#include "model/rotary_position.h"
#include "model/shaw_position.h"
#include "model/sinusoidal_position.h"
#include "model/t5_position.h"

namespace headscope {
namespace {

using marshal::Arguments;
using marshal::copy_out;
using marshal::val;

float epsilon_of(Arguments& arguments) {
  return static_cast<float>(arguments.number("epsilon", 1e-5));
}

/// 1 / sqrt(width) where no scale is given.
float scale_of(Arguments& arguments, Index width) {
  return static_cast<float>(arguments.number("scale", 1.0 / std::sqrt(static_cast<double>(width))));
}

Index heads_of(Arguments& arguments, Index width) {
  const Index heads = arguments.count("heads", 1);
  if (heads >= 1 && width % heads == 0) return heads;
  fail(ErrorCode::kBadArgument, {"heads is ", heads, ", expected a divisor of ", width});
}

/// Gates of a feed-forward network: w_gate where the activation is gated, and no b_gate without it.
marshal::ActivationChoice activation_of(Arguments& arguments, Arguments& weights) {
  const marshal::ActivationChoice choice = marshal::activation_in(arguments);
  require(!choice.gated || weights.has("w_gate"), ErrorCode::kBadArgument,
          "a gated activation needs w_gate");
  require(!weights.has("b_gate") || weights.has("w_gate"), ErrorCode::kBadArgument,
          "b_gate needs w_gate");
  return choice;
}

PositionOptions sinusoidal_options(Arguments& arguments, Index width) {
  PositionOptions options = marshal::position_in(arguments);
  options.kind = PositionKind::kSinusoidal;
  check_position(options, width, width);
  return options;
}

/// scores, weights and output of one head.
val one_head(Context& context, Arguments& arguments, const Position* position) {
  Matrix &query = arguments.matrix("query"), &key = arguments.matrix("key");
  const Matrix &value = arguments.matrix("value"), &bias = arguments.matrix_or_empty("bias");
  // a bias is part of the scores as shown; a mask is not
  const BiasPosition biased(view(bias));
  AttentionOptions options;
  options.scale = scale_of(arguments, query.cols());
  options.position = position ? position : &biased;
  options.mask = arguments.mask().mask();
  Trace trace;
  trace.reserve(Capture::kScores, 0, 1, query.rows(), key.rows());
  trace.reserve(Capture::kAttention, 0, 1, query.rows(), key.rows());
  trace.allocate();
  Matrix& output = arguments.room(query.rows(), value.cols());
  const Sequence sequence{0, query.rows(), 0, key.rows(), &trace};
  attend(context, options, {&sequence, 1}, view(query), view(key), view(value), view(output));
  const val result = marshal::only(copy_out(output));
  marshal::set(result, "scores", copy_out(Matrix(trace.matrix(Capture::kScores, 0))));
  marshal::set(result, "weights", copy_out(Matrix(trace.matrix(Capture::kAttention, 0))));
  return result;
}

val attention(Context& context, Arguments& arguments) {
  return one_head(context, arguments, nullptr);
}

val shaw_attention(Context& context, Arguments& arguments) {
  const Matrix &key = arguments.matrix("relative_key"),
               &value = arguments.matrix_or_empty("relative_value");
  const ShawPosition position({{view(key), view(value)}});
  return one_head(context, arguments, &position);
}

val multi_head(Context& context, Arguments& arguments) {
  Matrix &x = arguments.matrix("x"), &memory = arguments.matrix_or_empty("memory");
  const Matrix &wq = arguments.matrix("wq"), &wk = arguments.matrix("wk"),
               &wv = arguments.matrix("wv"), &wo = arguments.matrix("wo");
  const float* gates = arguments.vector_or_null("gates");
  const Index heads = heads_of(arguments, wq.cols()), width = wq.cols() / heads;
  heads_of(arguments, wv.cols());
  std::optional<ConstMatrixView> memory_view;
  if (arguments.has("memory")) memory_view.emplace(view(std::as_const(memory)));
  const Index keys = memory_view ? memory.rows() : x.rows();
  const marshal::MaskArgument& mask = arguments.mask();
  Position* position = arguments.position(
      {std::max(x.rows(), keys), x.cols(), heads, width, wv.cols() / heads, mask.causal});
  if (position) position->add_to_embeddings(view(x));
  AttentionOptions options;
  options.heads = heads;
  options.scale = scale_of(arguments, width);
  options.position = position;
  options.mask = mask.mask();
  if (gates) options.gates = {gates, static_cast<std::size_t>(heads)};
  Trace trace;
  marshal::reserve_heads(trace, {x.rows(), keys, heads, width, wv.cols() / heads});
  Matrix& output = arguments.room(x.rows(), wo.cols());
  multi_head_attention(context,
                       {view(std::as_const(x)), memory_view, view(wq), view(wk), view(wv), view(wo),
                        arguments.vector_or_null("bq"), arguments.vector_or_null("bk"),
                        arguments.vector_or_null("bv"), arguments.vector_or_null("bo")},
                       options, trace, view(output));
  return marshal::heads_result(trace, heads, output);
}

/// x, or x + sublayer.
Matrix& sum_of(Arguments& arguments) {
  Matrix& x = arguments.matrix("x");
  if (arguments.has("sublayer")) x += arguments.matrix("sublayer");
  return x;
}

val layer_norm(Context&, Arguments& arguments) {
  Matrix& x = sum_of(arguments);
  layer_norm_rows(view(std::as_const(x)), arguments.vector_or_null("gamma"),
                  arguments.vector_or_null("beta"), epsilon_of(arguments), view(x));
  return marshal::only(copy_out(x));
}

std::span<const float> values_of(const Matrix& matrix) {
  return {matrix.data(), static_cast<std::size_t>(matrix.size())};
}

val layer_norm_steps_of(Context&, Arguments& arguments) {
  const LayerNormSteps steps =
      layer_norm_steps(std::move(sum_of(arguments)), arguments.vector_or_null("gamma"),
                       arguments.vector_or_null("beta"), epsilon_of(arguments));
  const val result = marshal::only(copy_out(steps.output));
  marshal::set(result, "sum", copy_out(steps.sum));
  marshal::set(result, "mean", copy_out(values_of(steps.mean)));
  marshal::set(result, "variance", copy_out(values_of(steps.variance)));
  marshal::set(result, "normalized", copy_out(steps.normalized));
  return result;
}

PackedMatrix packed(const Matrix& plain) {
  PackedMatrix result(plain.rows(), plain.cols());
  if (plain.size() > 0) pack(view(plain), result.panels());
  return result;
}

val feed_forward(Context& context, Arguments& arguments) {
  const Matrix& x = arguments.matrix("x");
  FeedForwardWeights weights;
  weights.w1 = packed(arguments.matrix("w1"));
  weights.w2 = packed(arguments.matrix("w2"));
  weights.w_gate = packed(arguments.matrix_or_empty("w_gate"));
  weights.b1 = arguments.vector_or_null("b1");
  weights.b_gate = arguments.vector_or_null("b_gate");
  const marshal::ActivationChoice choice = activation_of(arguments, arguments);
  Matrix &hidden = arguments.room(x.rows(), weights.w1.cols()),
         &gate = arguments.room(x.rows(), weights.w_gate.cols()),
         &output = arguments.room(x.rows(), weights.w2.cols());
  compute_hidden(context, weights, choice.activation, view(x), {view(hidden), view(gate)});
  multiply(context, view(std::as_const(hidden)), weights.w2,
           {.bias = arguments.vector_or_null("b2")}, view(output));
  return marshal::only(copy_out(output));
}

/// Parameters of one layer out of a record whose keys are theirs with "_" for ".".
Parameters layer_parameters(const Config& config, Arguments& given) {
  Parameters parameters(layer_shapes(config, 0));
  for (const ParameterShape& shape : parameters.shapes()) {
    std::string key = shape.name.substr(shape.name.find('.', 7) + 1);  // after "layers.0."
    for (const char* room : {"attention.", "feed_forward."}) {
      if (key.starts_with(room)) key = key.substr(std::char_traits<char>::length(room));
    }
    for (char& letter : key) letter = letter == '.' ? '_' : letter;
    Matrix& values = parameters.values(shape.name);
    if (!shape.is_vector) {
      values.swap(given.matrix(key.c_str()));
      continue;
    }
    const float* vector = given.vector_or_null(key.c_str());
    if (!vector && shape.initial == Initial::kOne) values.setOnes();
    if (vector) values = view(vector, 1, values.cols());
  }
  return parameters;
}

val encoder_layer(Context& context, Arguments& arguments) {
  Matrix& x = arguments.matrix("x");
  Arguments given(arguments.at("parameters"));
  const marshal::ActivationChoice choice = activation_of(arguments, given);
  Config config;
  config.n_layers = 1;
  config.d_model = config.d_input = x.cols();
  config.n_heads = heads_of(arguments, x.cols());
  config.d_ff = given.matrix("w1").cols();
  config.norm = marshal::norm_in(arguments);
  config.norm_epsilon = arguments.number("epsilon", 1e-5);
  config.activation = choice.activation;
  config.gated = given.has("w_gate");
  Parameters parameters = layer_parameters(config, given);
  LayerWeights weights;
  home_layer(config, 0, WeightFormat::kFloat32, parameters, weights);
  parameters.settle_all();
  link_vectors(config, 0, parameters, weights);

  const marshal::MaskArgument& mask = arguments.mask();
  Position* position = arguments.position({x.rows(), x.cols(), config.n_heads, config.head_width(0),
                                           config.head_width(0), mask.causal});
  if (position) position->add_to_embeddings(view(x));
  LayerOptions options = layer_options(config, 0);
  options.attention.position = position;
  options.attention.mask = mask.mask();
  Trace trace;
  marshal::reserve_layer(trace, config, x.rows());
  LayerBuffers buffers(config, x.rows());
  Matrix& output = arguments.room(x.rows(), x.cols());
  const Sequence sequence{0, x.rows(), 0, x.rows(), &trace};
  run_encoder_layer(context, weights, options, {&sequence, 1}, buffers, view(std::as_const(x)),
                    view(output));
  return marshal::layer_result(trace, config, output);
}

val sinusoidal_positions(Context&, Arguments& arguments) {
  const Index width = arguments.count("d_model", 0);
  Matrix& table = arguments.room(arguments.count("length", 0), width);
  sinusoidal_table(sinusoidal_options(arguments, width), arguments.count("offset", 0), view(table));
  return marshal::only(copy_out(table));
}

val position_rotation(Context&, Arguments& arguments) {
  const Index width = arguments.count("d_model", 0);
  const PositionOptions options = sinusoidal_options(arguments, width);
  require(width % 2 == 0, ErrorCode::kBadArgument,
          "positionRotation: d_model is odd, expected an even width (every sine needs its cosine)");
  Matrix& rotation = arguments.room(width, width);
  sinusoidal_rotation(options, arguments.number("offset", 0), view(rotation));
  return marshal::only(copy_out(rotation));
}

val rotary(Context&, Arguments& arguments) {
  Matrix& x = arguments.matrix("x");
  PositionOptions options = marshal::position_in(arguments);
  options.kind = PositionKind::kRotary;
  check_position(options, x.cols(), x.cols());
  std::vector<double> positions;
  if (arguments.has("positions")) positions = marshal::copy_in<double>(arguments.at("positions"));
  for (Index i = static_cast<Index>(positions.size()); i < x.rows(); ++i)
    positions.push_back(static_cast<double>(i));
  rotate_rows(options, positions, view(x));
  return marshal::only(copy_out(x));
}

val alibi_slopes_of(Context&, Arguments& arguments) {
  return marshal::only(copy_out(std::span<const float>(alibi_slopes(arguments.count("heads", 1)))));
}

/// The biases that a position adds to the scores of `heads` heads over `length` tokens.
val score_biases(const Position& position, Index heads, Index length, bool causal) {
  const val biases = val::array();
  const Matrix query = Matrix::Zero(length, 0);
  for (Index head = 0; head < heads; ++head) {
    Matrix bias = Matrix::Zero(length, length);
    position.add_to_scores({{0, head}, 0, view(query), 1.0f}, view(bias));
    if (causal) apply_mask({.causal = true, .valid_keys = {}, .additive = {}}, head, 0, view(bias));
    marshal::push(biases, copy_out(bias));
  }
  return marshal::only(biases);
}

val alibi_bias(Context&, Arguments& arguments) {
  const Index heads = arguments.count("heads", 1);
  return score_biases(AlibiPosition(heads), heads, arguments.count("length", 0),
                      arguments.flag("causal", false));
}

PositionOptions t5_options(Arguments& arguments, Index buckets) {
  PositionOptions options = marshal::position_in(arguments);
  options.kind = PositionKind::kT5;
  options.buckets = buckets;
  check_position(options, 1, 1);
  return options;
}

val t5_buckets(Context&, Arguments& arguments) {
  const PositionOptions options =
      t5_options(arguments, arguments.count("buckets", PositionOptions().buckets));
  const Index length = arguments.count("length", 0);
  const bool causal = arguments.flag("causal", false);
  Matrix& buckets = arguments.room(length, length);
  for (Index i = 0; i < length; ++i) {
    for (Index j = 0; j < length; ++j) {
      buckets(i, j) =
          static_cast<float>(t5_bucket(j - i, options.buckets, options.max_distance, causal));
    }
  }
  return marshal::only(copy_out(buckets));
}

val t5_bias(Context&, Arguments& arguments) {
  const Matrix& table = arguments.matrix("table");
  const PositionOptions options = t5_options(arguments, table.rows());
  const Index length = arguments.count("length", 0);
  T5Position position(options, view(table), arguments.flag("causal", false));
  position.prepare(length);
  return score_biases(position, table.cols(), length, false);
}

val attention_cost_of(Context&, Arguments& arguments) {
  const AttentionCost cost = attention_cost(
      arguments.number("length", 0), arguments.number("d_model", 0), arguments.number("heads", 1));
  const val head = val::object();
  marshal::set(head, "score_operations", cost.head_score_operations);
  marshal::set(head, "d_head", cost.head_width);
  const val result = val::object();
  marshal::set(result, "score_operations", cost.score_operations);
  marshal::set(result, "context_operations", cost.context_operations);
  marshal::set(result, "projection_operations", cost.projection_operations);
  marshal::set(result, "score_bytes", cost.score_bytes);
  marshal::set(result, "parameters", cost.parameters);
  marshal::set(result, "per_head", head);
  return result;
}

struct Component {
  const char* name;
  val (*compute)(Context&, Arguments&);
};
constexpr std::array kComponents = {
    Component{"attention", attention},
    Component{"multiHeadAttention", multi_head},
    Component{"layerNorm", layer_norm},
    Component{"addNorm", layer_norm},
    Component{"layerNormSteps", layer_norm_steps_of},
    Component{"feedForward", feed_forward},
    Component{"encoderLayer", encoder_layer},
    Component{"sinusoidalPositions", sinusoidal_positions},
    Component{"positionRotation", position_rotation},
    Component{"rotary", rotary},
    Component{"alibiSlopes", alibi_slopes_of},
    Component{"alibiBias", alibi_bias},
    Component{"t5Buckets", t5_buckets},
    Component{"t5Bias", t5_bias},
    Component{"shawAttention", shaw_attention},
    Component{"attentionCost", attention_cost_of},
};

}  // namespace

val compute_component(Context& context, const std::string& name, const val& arguments) {
  for (const Component& component : kComponents) {
    if (name != component.name) continue;
    Arguments read(arguments);
    return component.compute(context, read);
  }
  fail(ErrorCode::kNotFound, {"component: no name '", name, "'"});
}

}  // namespace headscope
