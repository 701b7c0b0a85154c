#include "model/position.h"

#include <string>

#include "base/text.h"
#include "model/alibi_position.h"
#include "model/learned_position.h"
#include "model/parameters.h"
#include "model/rotary_position.h"
#include "model/shaw_position.h"
#include "model/sinusoidal_position.h"
#include "model/t5_position.h"

namespace headscope {

void Position::prepare(Index) {}
void Position::add_to_embeddings(MatrixView) const {}
void Position::transform(HeadId, MatrixView) const {}
void Position::add_to_scores(const QueryBlock&, MatrixView) const {}
void Position::add_to_context(const QueryBlock&, ConstMatrixView, MatrixView) const {}

PositionSetting position_setting(const Config& config, const Parameters& parameters) {
  PositionSetting setting;
  setting.embedding_width = config.d_input;
  setting.head_widths = {config.head_width(0)};
  if (config.d_input != config.d_model)
    setting.head_widths.push_back(config.d_model / config.n_heads);
  setting.heads = config.n_heads;
  setting.causal = config.causal;
  const PositionKind kind = config.position.kind;
  if (kind == PositionKind::kLearned)
    setting.learned.emplace(parameters.matrix("embeddings.position"));
  if (kind == PositionKind::kT5) setting.t5_bias.emplace(parameters.matrix("position.bias"));
  for (Index layer = 0; kind == PositionKind::kShaw && layer < config.n_layers; ++layer) {
    const std::string prefix = text_of({"layers.", layer, ".attention."});
    setting.shaw.push_back(
        {parameters.matrix(prefix + "relative_key"), parameters.matrix(prefix + "relative_value")});
  }
  return setting;
}

std::unique_ptr<Position> make_position(const PositionOptions& options,
                                        const PositionSetting& setting) {
  switch (options.kind) {
    case PositionKind::kNone:
      break;
    case PositionKind::kSinusoidal:
      return std::make_unique<SinusoidalPosition>(options, setting.embedding_width);
    case PositionKind::kLearned:
      return std::make_unique<LearnedPosition>(*setting.learned);
    case PositionKind::kRotary:
      return std::make_unique<RotaryPosition>(options, setting.head_widths);
    case PositionKind::kAlibi:
      return std::make_unique<AlibiPosition>(setting.heads);
    case PositionKind::kT5:
      return std::make_unique<T5Position>(options, *setting.t5_bias, setting.causal);
    case PositionKind::kShaw:
      return std::make_unique<ShawPosition>(setting.shaw);
  }
  return std::make_unique<Position>();
}

}  // namespace headscope
