#include "model/run.h"

#include <algorithm>

#include "base/error.h"
#include "kernels/layer_norm.h"

namespace headscope {
namespace {

void check_index(Pieces what, Index got, Index count) {
  if (got >= 0 && got < count) return;
  fail(ErrorCode::kBadArgument, {text_of(what), " is ", got, ", expected 0 to ", count - 1});
}

void check_sequence(const Config& config, const TokenSequence& sequence, const std::string& where) {
  const Index tokens = static_cast<Index>(sequence.ids.size());
  if (tokens > config.max_tokens) {
    fail(ErrorCode::kTooLong, {where, " has ", tokens, " tokens, expected at most ",
                               config.max_tokens, "; truncate: true cuts it"});
  }
  for (std::size_t i = 0; i < sequence.ids.size(); ++i) {
    check_index({where, ".ids[", i, "]"}, sequence.ids[i], config.vocab_size);
  }
  for (const std::int32_t segment : sequence.segments) {
    if (config.token_types > 0) check_index({where, ": a segment"}, segment, config.token_types);
  }
}

bool needs_parameters(PositionKind kind) {
  return kind == PositionKind::kLearned || kind == PositionKind::kT5 || kind == PositionKind::kShaw;
}

/// Rows, columns and head count (0: not per head) of one capture.
struct CaptureShape {
  Index heads;
  Index rows;
  Index cols;
};
CaptureShape capture_shape(Capture capture, const Config& config, Index layer, Index tokens) {
  switch (capture) {
    case Capture::kQuery:
    case Capture::kKey:
    case Capture::kValue:
    case Capture::kContext:
      return {config.n_heads, tokens, config.head_width(layer)};
    case Capture::kScores:
    case Capture::kAttention:
      return {config.n_heads, tokens, tokens};
    case Capture::kEmbeddings:
      return {0, tokens, config.d_input};
    case Capture::kNormed1:
    case Capture::kConcat:
      return {0, tokens, config.input_width(layer)};
    case Capture::kFeedForwardHidden:
      return {0, tokens, config.d_ff};
    default:
      return {0, tokens, config.d_model};
  }
}

bool belongs_to_layer(Capture capture) {
  return capture != Capture::kEmbeddings && capture != Capture::kOutput;
}

bool exists(Capture capture, const Config& config) {
  const bool pre_only = capture == Capture::kNormed1 || capture == Capture::kNormed2;
  return !pre_only || config.norm == NormPlacement::kPre;
}

}  // namespace

Run::Run(Context& context, Encoder& encoder, RunRequest request)
    : context_(context), encoder_(encoder), request_(std::move(request)) {
  check();
  const Config& config = encoder_.config();
  if (request_.position)
    replaced_ = make_position(*request_.position, position_setting(config, encoder_.parameters()));
  if (!request_.gates.empty())
    gates_.assign(static_cast<std::size_t>(config.n_layers * config.n_heads), 1.0f);
  for (const Gate& gate : request_.gates) {
    gates_[static_cast<std::size_t>(gate.layer * config.n_heads + gate.head)] = gate.gate;
  }
  place_sequences();
  reserve_traces();
  input_.resize(rows_, config.d_input);
  hidden_.resize(rows_, config.d_model);
  buffers_.emplace(config, rows_);
  embed();
}

void Run::check() const {
  const Config& config = encoder_.config();
  for (std::size_t i = 0; i < request_.sequences.size(); ++i) {
    const bool several = request_.sequences.size() > 1;
    check_sequence(config, request_.sequences[i], several ? text_of({"inputs[", i, "]"}) : "input");
  }
  const std::vector<Index> layers = request_.layers.value_or(std::vector<Index>{});
  for (std::size_t i = 0; i < layers.size(); ++i) {
    check_index({"layers[", i, "]"}, layers[i], config.n_layers);
  }
  for (std::size_t i = 0; i < request_.gates.size(); ++i) {
    check_index({"gates[", i, "].layer"}, request_.gates[i].layer, config.n_layers);
    check_index({"gates[", i, "].head"}, request_.gates[i].head, config.n_heads);
  }
  if (!request_.position) return;
  require(!needs_parameters(request_.position->kind), ErrorCode::kBadArgument,
          "position: the kind has parameters of its own, which this model does not hold; expected "
          "'none', 'sinusoidal', 'rotary' or 'alibi'");
  check_position(*request_.position, config.d_input, config.head_width(0), "position");
  check_position(*request_.position, config.d_input, config.d_model / config.n_heads, "position");
}

void Run::place_sequences() {
  traces_.resize(request_.sequences.size());
  for (std::size_t i = 0; i < traces_.size(); ++i) {
    const Index tokens = static_cast<Index>(request_.sequences[i].ids.size());
    sequences_.push_back({rows_, tokens, rows_, tokens, &traces_[i]});
    rows_ += tokens;
  }
}

void Run::reserve_traces() {
  const Config& config = encoder_.config();
  const auto kept = [&](Capture capture) {
    const auto& captures = request_.capture;
    return exists(capture, config) &&
           std::find(captures.begin(), captures.end(), capture) != captures.end();
  };
  const auto wanted = [&](Index layer) {
    const auto& layers = request_.layers;
    return !layers || std::find(layers->begin(), layers->end(), layer) != layers->end();
  };
  for (const Sequence& sequence : sequences_) {
    for (int index = 0; index < kCaptures; ++index) {
      const Capture capture = static_cast<Capture>(index);
      if (!kept(capture)) continue;
      const Index first = belongs_to_layer(capture) ? 0 : -1;
      const Index last = belongs_to_layer(capture) ? config.n_layers - 1 : -1;
      for (Index layer = first; layer <= last; ++layer) {
        if (layer >= 0 && !wanted(layer)) continue;
        const CaptureShape shape = capture_shape(capture, config, layer, sequence.queries);
        sequence.trace->reserve(capture, layer, shape.heads, shape.rows, shape.cols);
      }
    }
    sequence.trace->allocate();
  }
}

void Run::embed() {
  Index longest = 0;
  for (const Sequence& sequence : sequences_) longest = std::max(longest, sequence.queries);
  position().prepare(longest);
  for (std::size_t i = 0; i < sequences_.size(); ++i) {
    const MatrixView x = rows_of(view(input_), sequences_[i].first_query, sequences_[i].queries);
    encoder_.embed(request_.sequences[i].ids, request_.sequences[i].segments, position(), x);
    if (traces_[i].has(Capture::kEmbeddings, -1)) traces_[i].matrix(Capture::kEmbeddings, -1) = x;
  }
}

bool Run::step() {
  const Config& config = encoder_.config();
  const Index layer = next_layer_++;
  LayerOptions options = layer_options(config, layer);
  if (request_.mask != MaskChoice::kModel)
    options.attention.mask.causal = request_.mask == MaskChoice::kCausal;
  options.attention.position = &position();
  if (!gates_.empty()) {
    options.attention.gates = std::span(gates_).subspan(
        static_cast<std::size_t>(layer * config.n_heads), static_cast<std::size_t>(config.n_heads));
  }
  const Matrix& x = layer == 0 ? input_ : hidden_;
  run_encoder_layer(context_, encoder_.layer(layer), options, sequences_, *buffers_, view(x),
                    view(hidden_));
  if (next_layer_ < config.n_layers) return true;
  finish();
  return false;
}

void Run::finish() {
  const Config& config = encoder_.config();
  if (config.final_norm) {
    const NormWeights norm = encoder_.final_norm();
    layer_norm_rows(view(std::as_const(hidden_)), norm.gamma, norm.beta,
                    static_cast<float>(config.norm_epsilon), view(hidden_));
  }
  for (std::size_t i = 0; i < sequences_.size(); ++i) {
    const ConstMatrixView output =
        rows_of(view(std::as_const(hidden_)), sequences_[i].first_query, sequences_[i].queries);
    if (traces_[i].has(Capture::kOutput, -1)) traces_[i].matrix(Capture::kOutput, -1) = output;
    pooled_.push_back(encoder_.pool(context_, output));
  }
}

}  // namespace headscope
