#include "model/position.h"

#include "base/error.h"
#include "model/learned_position.h"
#include "model/parameters.h"
#include "model/sinusoidal_position.h"

namespace headscope {

void Position::prepare(Index) {}
void Position::add_to_embeddings(MatrixView) const {}
void Position::transform(HeadId, MatrixView) const {}
void Position::add_to_scores(const QueryBlock&, MatrixView) const {}
void Position::add_to_context(const QueryBlock&, ConstMatrixView, MatrixView) const {}

std::unique_ptr<Position> make_position(const PositionOptions& options, const Config& config,
                                        const Parameters& parameters) {
  switch (options.kind) {
    case PositionKind::kNone: return std::make_unique<Position>();
    case PositionKind::kSinusoidal: return std::make_unique<SinusoidalPosition>(options, config.d_input);
    case PositionKind::kLearned: return std::make_unique<LearnedPosition>(parameters.matrix("embeddings.position"));
    default: break;
  }
  throw Error(ErrorCode::kUnsupportedModel, "position: this kind is not available");
}

}  // namespace headscope
