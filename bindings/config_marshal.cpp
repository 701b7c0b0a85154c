#include "bindings/config_marshal.h"

#include "bindings/marshal.h"

namespace headscope::marshal {
namespace {

template <class T>
struct Word {
  const char* word;
  T value;
};

constexpr Word<PositionKind> kPositionKinds[] = {
    {"none", PositionKind::kNone},       {"sinusoidal", PositionKind::kSinusoidal},
    {"learned", PositionKind::kLearned}, {"rotary", PositionKind::kRotary},
    {"alibi", PositionKind::kAlibi},     {"t5", PositionKind::kT5},
    {"shaw", PositionKind::kShaw}};
constexpr Word<PositionLayout> kLayouts[] = {{"interleaved", PositionLayout::kInterleaved},
                                             {"concatenated", PositionLayout::kConcatenated},
                                             {"half", PositionLayout::kHalf}};
constexpr Word<NormPlacement> kNorms[] = {{"pre", NormPlacement::kPre},
                                          {"post", NormPlacement::kPost}};
constexpr Word<Pooling> kPoolings[] = {
    {"mean", Pooling::kMean}, {"first", Pooling::kFirst}, {"none", Pooling::kNone}};
constexpr Word<bool> kPoolers[] = {{"none", false}, {"tanh", true}};
constexpr Word<bool> kMasks[] = {{"bidirectional", false}, {"causal", true}};

constexpr Word<ActivationChoice> kActivations[] = {
    {"relu", {Activation::kRelu, false}},          {"gelu", {Activation::kGelu, false}},
    {"gelu_tanh", {Activation::kGeluTanh, false}}, {"silu", {Activation::kSilu, false}},
    {"sigmoid", {Activation::kSigmoid, false}},    {"geglu", {Activation::kGelu, true}},
    {"swiglu", {Activation::kSilu, true}}};

template <class T, std::size_t N>
T word_in(const val& object, const char* key, const Word<T> (&words)[N], T fallback) {
  if (!is_given(object[key])) return fallback;
  const std::string got = object[key].template as<std::string>();
  std::string known;
  for (const auto& [word, value] : words) {
    if (got == word) return value;
    known += (known.empty() ? "'" : ", '") + std::string(word) + "'";
  }
  throw Error(ErrorCode::kBadArgument,
              "config: " + std::string(key) + " is '" + got + "', expected " + known);
}

template <class T, std::size_t N>
val word_out(const Word<T> (&words)[N], T value) {
  for (const auto& [word, meaning] : words) {
    if (meaning == value) return val::u8string(word);
  }
  return val::undefined();
}

double number_in(const val& object, const char* key, double fallback) {
  return is_given(object[key]) ? object[key].as<double>() : fallback;
}
Index count_in(const val& object, const char* key, Index fallback) {
  return static_cast<Index>(number_in(object, key, static_cast<double>(fallback)));
}
bool flag_in(const val& object, const char* key, bool fallback) {
  return is_given(object[key]) ? object[key].as<bool>() : fallback;
}

val position_out(const PositionOptions& position) {
  val out = val::object();
  out.set("kind", word_out(kPositionKinds, position.kind));
  const bool rotary = position.kind == PositionKind::kRotary;
  if (rotary || position.kind == PositionKind::kSinusoidal) {
    out.set("base", position.base);
    out.set("layout", word_out(kLayouts, position.layout));
  }
  if (rotary) {
    if (position.dims > 0) out.set("dims", static_cast<double>(position.dims));
    out.set("offset", static_cast<double>(position.offset));
  }
  if (position.kind == PositionKind::kT5) {
    out.set("buckets", static_cast<double>(position.buckets));
    out.set("max_distance", static_cast<double>(position.max_distance));
  }
  if (position.kind == PositionKind::kShaw) out.set("clip", static_cast<double>(position.clip));
  return out;
}

val activation_out(const Config& config) {
  for (const auto& [word, meaning] : kActivations) {
    if (meaning.activation == config.activation && meaning.gated == config.gated)
      return val::u8string(word);
  }
  return val::undefined();
}

}  // namespace

ActivationChoice activation_in(const val& object) {
  return word_in(object, "activation", kActivations, ActivationChoice{Activation::kRelu, false});
}

NormPlacement norm_in(const val& object) {
  return word_in(object, "norm", kNorms, NormPlacement::kPre);
}

PositionOptions position_in(const val& object) {
  PositionOptions position;
  position.kind = word_in(object, "kind", kPositionKinds, position.kind);
  position.base = number_in(object, "base", position.base);
  position.layout = word_in(object, "layout", kLayouts, position.layout);
  position.dims = count_in(object, "dims", position.dims);
  position.offset = count_in(object, "offset", position.offset);
  position.buckets = count_in(object, "buckets", position.buckets);
  position.max_distance = count_in(object, "max_distance", position.max_distance);
  position.clip = count_in(object, "clip", position.clip);
  return position;
}

Config config_in(const val& object) {
  Config config;
  config.n_layers = count_in(object, "n_layers", 0);
  config.n_heads = count_in(object, "n_heads", 0);
  config.d_model = count_in(object, "d_model", 0);
  config.d_input = count_in(object, "d_input", config.d_model);
  config.d_ff = count_in(object, "d_ff", 0);
  config.vocab_size = count_in(object, "vocab_size", 0);
  config.max_tokens = count_in(object, "max_tokens", 0);
  config.token_types = count_in(object, "token_types", 0);
  const ActivationChoice activation = activation_in(object);
  config.activation = activation.activation;
  config.gated = activation.gated;
  config.norm = norm_in(object);
  config.norm_epsilon = number_in(object, "norm_epsilon", config.norm_epsilon);
  config.final_norm = flag_in(object, "final_norm", false);
  config.embedding_norm = flag_in(object, "embedding_norm", false);
  config.embedding_scale = number_in(object, "embedding_scale", 1.0);
  config.bias = flag_in(object, "bias", true);
  config.causal = word_in(object, "mask", kMasks, false);
  config.pooler = word_in(object, "pooler", kPoolers, false);
  config.normalize = flag_in(object, "normalize", false);
  config.pooling = word_in(object, "pooling", kPoolings, Pooling::kNone);
  config.attention_scale = number_in(object, "attention_scale", 0.0);
  if (is_given(object["position"])) config.position = position_in(object["position"]);
  return config;
}

val config_out(const Config& config) {
  val out = val::object();
  const auto count = [&](const char* key, Index value) {
    out.set(key, static_cast<double>(value));
  };
  count("n_layers", config.n_layers);
  count("n_heads", config.n_heads);
  count("d_model", config.d_model);
  count("d_input", config.d_input);
  count("d_ff", config.d_ff);
  count("vocab_size", config.vocab_size);
  count("max_tokens", config.max_tokens);
  count("token_types", config.token_types);
  out.set("activation", activation_out(config));
  out.set("norm", word_out(kNorms, config.norm));
  out.set("norm_epsilon", config.norm_epsilon);
  out.set("final_norm", config.final_norm);
  out.set("embedding_norm", config.embedding_norm);
  out.set("embedding_scale", config.embedding_scale);
  out.set("bias", config.bias);
  out.set("mask", word_out(kMasks, config.causal));
  out.set("pooling", word_out(kPoolings, config.pooling));
  out.set("pooler", word_out(kPoolers, config.pooler));
  out.set("normalize", config.normalize);
  if (config.attention_scale != 0.0) out.set("attention_scale", config.attention_scale);
  out.set("position", position_out(config.position));
  return out;
}

}  // namespace headscope::marshal
