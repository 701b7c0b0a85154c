#pragma once

#include "bindings/fields.h"
#include "model/config.h"

namespace headscope::marshal {

/// The config that a JavaScript EncoderConfig names, defaults filled in. Types have been checked in
/// JavaScript; throws bad-argument for a word that no key knows.
Config config_in(const Fields& fields);

/// The EncoderConfig of a config, every key written out.
val config_out(const Config& config);

struct ActivationChoice {
  Activation activation;
  bool gated;  // geglu, swiglu
};
/// The word under the key "activation"; relu where there is none.
ActivationChoice activation_in(const Fields& fields);
/// The word under the key "norm"; pre where there is none.
NormPlacement norm_in(const Fields& fields);

/// Throws bad-argument for an unknown kind or layout.
PositionOptions position_in(const Fields& fields);

}  // namespace headscope::marshal
