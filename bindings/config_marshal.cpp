#include "bindings/config_marshal.h"

#include <span>
#include <string>

namespace headscope::marshal {
namespace {

/// A word of the API and what it means, as the number of an enumerator.
struct Word {
  const char* word;
  int meaning;
};
using Words = std::span<const Word>;

template <class T>
constexpr Word entry(const char* word, T meaning) {
  return {word, static_cast<int>(meaning)};
}

constexpr Word kPositionKinds[] = {
    entry("none", PositionKind::kNone),       entry("sinusoidal", PositionKind::kSinusoidal),
    entry("learned", PositionKind::kLearned), entry("rotary", PositionKind::kRotary),
    entry("alibi", PositionKind::kAlibi),     entry("t5", PositionKind::kT5),
    entry("shaw", PositionKind::kShaw)};
constexpr Word kLayouts[] = {entry("interleaved", PositionLayout::kInterleaved),
                             entry("concatenated", PositionLayout::kConcatenated),
                             entry("half", PositionLayout::kHalf)};
constexpr Word kNorms[] = {entry("pre", NormPlacement::kPre), entry("post", NormPlacement::kPost)};
constexpr Word kPoolings[] = {entry("mean", Pooling::kMean), entry("first", Pooling::kFirst),
                              entry("none", Pooling::kNone)};
constexpr Word kPoolers[] = {entry("none", false), entry("tanh", true)};
constexpr Word kMasks[] = {entry("bidirectional", false), entry("causal", true)};

constexpr int kGated = 256;  // beside an activation
/// The first is for components alone.
constexpr Word kActivations[] = {entry("sigmoid", Activation::kSigmoid),
                                 entry("relu", Activation::kRelu),
                                 entry("gelu", Activation::kGelu),
                                 entry("gelu_tanh", Activation::kGeluTanh),
                                 entry("silu", Activation::kSilu),
                                 {"geglu", static_cast<int>(Activation::kGelu) + kGated},
                                 {"swiglu", static_cast<int>(Activation::kSilu) + kGated}};

int meaning_of(const Fields& fields, const char* key, Words words, int fallback) {
  if (!fields.has(key)) return fallback;
  const std::string got = fields.word(key);
  std::string known;
  for (const auto& [word, meaning] : words) {
    if (got == word) return meaning;
    known.append(text_of({known.empty() ? "'" : ", '", word, "'"}));
  }
  fail(ErrorCode::kBadArgument, {"config: ", key, " is '", got, "', expected ", known});
}

template <class T>
T word_in(const Fields& fields, const char* key, Words words, T fallback) {
  return static_cast<T>(meaning_of(fields, key, words, static_cast<int>(fallback)));
}

void set_word(const val& out, const char* key, Words words, int meaning) {
  for (const Word& each : words) {
    if (each.meaning == meaning) set(out, key, text_value(each.word));
  }
}

template <class T>
void set_word(const val& out, const char* key, Words words, T meaning) {
  set_word(out, key, words, static_cast<int>(meaning));
}

void set_count(const val& out, const char* key, Index value) {
  set(out, key, static_cast<double>(value));
}

void set_flag(const val& out, const char* key, bool value) { set(out, key, val(value)); }

ActivationChoice activation_in(const Fields& fields, Words words) {
  const int meaning = meaning_of(fields, "activation", words, static_cast<int>(Activation::kRelu));
  return {static_cast<Activation>(meaning % kGated), meaning >= kGated};
}

val position_out(const PositionOptions& position) {
  const val out = val::object();
  set_word(out, "kind", kPositionKinds, position.kind);
  const bool rotary = position.kind == PositionKind::kRotary;
  if (rotary || position.kind == PositionKind::kSinusoidal) {
    set(out, "base", position.base);
    set_word(out, "layout", kLayouts, position.layout);
  }
  if (rotary) {
    if (position.dims > 0) set_count(out, "dims", position.dims);
    set_count(out, "offset", position.offset);
  }
  if (position.kind == PositionKind::kT5) {
    set_count(out, "buckets", position.buckets);
    set_count(out, "max_distance", position.max_distance);
  }
  if (position.kind == PositionKind::kShaw) set_count(out, "clip", position.clip);
  return out;
}

}  // namespace

ActivationChoice activation_in(const Fields& fields) { return activation_in(fields, kActivations); }

NormPlacement norm_in(const Fields& fields) {
  return word_in(fields, "norm", kNorms, NormPlacement::kPre);
}

PositionOptions position_in(const Fields& fields) {
  PositionOptions position;
  position.kind = word_in(fields, "kind", kPositionKinds, position.kind);
  position.base = fields.number("base", position.base);
  position.layout = word_in(fields, "layout", kLayouts, position.layout);
  position.dims = fields.count("dims", position.dims);
  position.offset = fields.count("offset", position.offset);
  position.buckets = fields.count("buckets", position.buckets);
  position.max_distance = fields.count("max_distance", position.max_distance);
  position.clip = fields.count("clip", position.clip);
  return position;
}

Config config_in(const Fields& fields) {
  Config config;
  config.n_layers = fields.count("n_layers", 0);
  config.n_heads = fields.count("n_heads", 0);
  config.d_model = fields.count("d_model", 0);
  config.d_input = fields.count("d_input", config.d_model);
  config.d_ff = fields.count("d_ff", 0);
  config.vocab_size = fields.count("vocab_size", 0);
  config.max_tokens = fields.count("max_tokens", 0);
  config.token_types = fields.count("token_types", 0);
  const ActivationChoice activation = activation_in(fields, Words(kActivations).subspan(1));
  config.activation = activation.activation;
  config.gated = activation.gated;
  config.norm = norm_in(fields);
  config.norm_epsilon = fields.number("norm_epsilon", config.norm_epsilon);
  config.final_norm = fields.flag("final_norm", false);
  config.embedding_norm = fields.flag("embedding_norm", false);
  config.embedding_scale = fields.number("embedding_scale", 1.0);
  config.bias = fields.flag("bias", true);
  config.causal = word_in(fields, "mask", kMasks, false);
  config.pooler = word_in(fields, "pooler", kPoolers, false);
  config.normalize = fields.flag("normalize", false);
  config.pooling = word_in(fields, "pooling", kPoolings, Pooling::kNone);
  config.attention_scale = fields.number("attention_scale", 0.0);
  if (fields.has("position")) config.position = position_in(Fields(fields.at("position")));
  return config;
}

val config_out(const Config& config) {
  const val out = val::object();
  set_count(out, "n_layers", config.n_layers);
  set_count(out, "n_heads", config.n_heads);
  set_count(out, "d_model", config.d_model);
  set_count(out, "d_input", config.d_input);
  set_count(out, "d_ff", config.d_ff);
  set_count(out, "vocab_size", config.vocab_size);
  set_count(out, "max_tokens", config.max_tokens);
  set_count(out, "token_types", config.token_types);
  set_word(out, "activation", kActivations,
           static_cast<int>(config.activation) + (config.gated ? kGated : 0));
  set_word(out, "norm", kNorms, config.norm);
  set(out, "norm_epsilon", config.norm_epsilon);
  set_flag(out, "final_norm", config.final_norm);
  set_flag(out, "embedding_norm", config.embedding_norm);
  set(out, "embedding_scale", config.embedding_scale);
  set_flag(out, "bias", config.bias);
  set_word(out, "mask", kMasks, config.causal);
  set_word(out, "pooling", kPoolings, config.pooling);
  set_word(out, "pooler", kPoolers, config.pooler);
  set_flag(out, "normalize", config.normalize);
  if (config.attention_scale != 0.0) set(out, "attention_scale", config.attention_scale);
  set(out, "position", position_out(config.position));
  return out;
}

}  // namespace headscope::marshal
