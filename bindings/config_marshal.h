#pragma once

#include <emscripten/val.h>

#include "model/config.h"

namespace headscope::marshal {

/// The config that a JavaScript EncoderConfig names, defaults filled in. Types have been checked in
/// JavaScript; throws bad-argument for a word that no key knows.
Config config_in(const emscripten::val& object);

/// The EncoderConfig of a config, every key written out.
emscripten::val config_out(const Config& config);

struct ActivationChoice {
  Activation activation;
  bool gated;  // geglu, swiglu
};
/// The word under the key "activation"; relu where there is none.
ActivationChoice activation_in(const emscripten::val& object);
/// The word under the key "norm"; pre where there is none.
NormPlacement norm_in(const emscripten::val& object);

/// Throws bad-argument for an unknown kind or layout.
PositionOptions position_in(const emscripten::val& object);

}  // namespace headscope::marshal
