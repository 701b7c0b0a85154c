#pragma once

#include <memory>
#include <vector>

#include "fixtures.h"
#include "model/run.h"

namespace headscope::fixtures {

/// An encoder whose vocabulary is the rows of X, so that the ids 0, 1, .. are exactly those rows.
std::unique_ptr<Encoder> encoder_of(const Json& fixture);

/// One run over these sequences that keeps hidden, attention and output.
RunRequest request_of(const std::vector<std::vector<int>>& sequences);

/// The run after its last step.
Run run_to_end(Context& context, Encoder& encoder, RunRequest request);

}  // namespace headscope::fixtures
