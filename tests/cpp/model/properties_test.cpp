#include <catch_amalgamated.hpp>
#include <numeric>
#include <random>

#include "base/error.h"
#include "model/run.h"

// Properties that hold for any size; sizes are drawn from a seeded generator.
namespace headscope {
namespace {

constexpr int kTrials = 12;

Config random_config(std::mt19937& random, PositionKind kind) {
  const auto draw = [&](Index low, Index high) {
    return std::uniform_int_distribution<Index>(low, high)(random);
  };
  Config config;
  config.n_layers = draw(1, 3);
  config.n_heads = draw(1, 4);
  config.d_model = config.n_heads * 2 * draw(3, 6);
  config.d_input = draw(0, 1) ? config.d_model : config.n_heads * 2 * draw(3, 6);
  config.d_ff = draw(1, 40);
  config.vocab_size = 30;
  config.max_tokens = 64;
  config.activation = draw(0, 1) ? Activation::kGelu : Activation::kSilu;
  config.gated = draw(0, 1);
  config.norm = draw(0, 1) ? NormPlacement::kPre : NormPlacement::kPost;
  config.final_norm = draw(0, 1);
  config.embedding_norm = draw(0, 1);
  config.bias = draw(0, 1);
  config.pooling = Pooling::kMean;
  config.position.kind = kind;
  config.position.clip = draw(0, 5);
  return config;
}

std::unique_ptr<Encoder> random_encoder(std::mt19937& random, PositionKind kind) {
  auto encoder = std::make_unique<Encoder>(random_config(random, kind));
  encoder->parameters().initialise(static_cast<std::uint32_t>(random()));
  encoder->finish();
  return encoder;
}

std::vector<std::int32_t> random_ids(std::mt19937& random) {
  std::vector<std::int32_t> ids(std::uniform_int_distribution<std::size_t>(2, 60)(random));
  for (auto& id : ids) id = std::uniform_int_distribution<std::int32_t>(0, 29)(random);
  return ids;
}

/// Output rows [T, D] of one sequence.
Matrix output_of(Encoder& encoder, const std::vector<std::int32_t>& ids,
                 MaskChoice mask = MaskChoice::kModel) {
  Context context(1);
  RunRequest request;
  request.sequences = {{ids, {}}};
  request.capture = {Capture::kOutput};
  request.mask = mask;
  Run run(context, encoder, std::move(request));
  while (run.step()) {
  }
  Trace trace = run.trace(0);
  return trace.matrix(Capture::kOutput, -1);
}

/// Largest difference between f(P x) and P f(x) for the reversed order of the tokens.
float reversal_residual(Encoder& encoder, const std::vector<std::int32_t>& ids, MaskChoice mask) {
  const std::vector<std::int32_t> reversed(ids.rbegin(), ids.rend());
  const Matrix y = output_of(encoder, ids, mask), z = output_of(encoder, reversed, mask);
  return (z - y.colwise().reverse()).cwiseAbs().maxCoeff();
}

constexpr PositionKind kKinds[] = {
    PositionKind::kNone,  PositionKind::kSinusoidal, PositionKind::kLearned, PositionKind::kRotary,
    PositionKind::kAlibi, PositionKind::kT5,         PositionKind::kShaw};

}  // namespace

TEST_CASE("an encoder without positions is permutation equivariant, and a causal mask ends that") {
  std::mt19937 random(1);
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto encoder = random_encoder(random, PositionKind::kNone);
    const auto ids = random_ids(random);
    CHECK(reversal_residual(*encoder, ids, MaskChoice::kBidirectional) < 5e-6f);
    CHECK(reversal_residual(*encoder, {1, 2, 3, 4}, MaskChoice::kCausal) > 1e-3f);
  }
}

TEST_CASE("every kind of position breaks the symmetry that tokens alone have") {
  std::mt19937 random(2);
  for (const PositionKind kind :
       {PositionKind::kSinusoidal, PositionKind::kLearned, PositionKind::kT5}) {
    const auto encoder = random_encoder(random, kind);
    CHECK(reversal_residual(*encoder, {1, 2, 3, 4, 5, 6}, MaskChoice::kModel) > 1e-3f);
  }
  // what depends on |i - j| or is turned back by a reversal is broken by another order
  for (const PositionKind kind : {PositionKind::kAlibi, PositionKind::kRotary}) {
    const auto encoder = random_encoder(random, kind);
    const Matrix y = output_of(*encoder, {1, 2, 3, 4}), z = output_of(*encoder, {2, 1, 3, 4});
    CHECK((z.row(2) - y.row(2)).cwiseAbs().maxCoeff() > 1e-5f);
  }
}

TEST_CASE(
    "captured, uncaptured, batched and threaded runs are equal to the bit with every position") {
  std::mt19937 random(3);
  for (int trial = 0; trial < kTrials; ++trial) {
    for (const PositionKind kind : kKinds) {
      const auto encoder = random_encoder(random, kind);
      const auto a = random_ids(random), b = random_ids(random);
      Context one(1), three(3);
      RunRequest bare;
      bare.sequences = {{a, {}}};
      RunRequest full = bare;
      full.sequences = {{b, {}}, {a, {}}};
      for (int i = 0; i < kCaptures; ++i) full.capture.push_back(static_cast<Capture>(i));
      Run first(one, *encoder, bare), second(three, *encoder, full);
      while (first.step()) {
      }
      while (second.step()) {
      }
      CHECK(first.pooled(0) == second.pooled(1));
    }
  }
}

TEST_CASE("attention rows sum to 1 and a causal mask leaves exact zeros above the diagonal") {
  std::mt19937 random(4);
  for (const PositionKind kind : kKinds) {
    const auto encoder = random_encoder(random, kind);
    Context context(1);
    RunRequest request;
    request.sequences = {{random_ids(random), {}}};
    request.capture = {Capture::kAttention};
    request.mask = MaskChoice::kCausal;
    Run run(context, *encoder, std::move(request));
    while (run.step()) {
    }
    Trace trace = run.trace(0);
    for (Index head = 0; head < encoder->config().n_heads; ++head) {
      const Matrix weights = trace.matrix(Capture::kAttention, 0, head);
      CHECK(((weights.rowwise().sum().array() - 1).abs() < 1e-6f).all());
      CHECK(weights.triangularView<Eigen::StrictlyUpper>().toDenseMatrix().isZero(0));
    }
  }
}

TEST_CASE("a request out of range is refused by name, and the encoder still runs") {
  std::mt19937 random(5);
  const auto encoder = random_encoder(random, PositionKind::kSinusoidal);
  const Matrix before = output_of(*encoder, {1, 2, 3});
  Context context(1);
  const auto code_of = [&](RunRequest request) -> std::string {
    try {
      Run run(context, *encoder, std::move(request));
    } catch (const Error& error) {
      return code_name(error.code());
    }
    return "none";
  };
  RunRequest request;
  request.sequences = {{{1, 30}, {}}};
  CHECK(code_of(request) == "bad-argument");
  request.sequences = {{std::vector<std::int32_t>(65, 1), {}}};
  CHECK(code_of(request) == "too-long");
  request.sequences = {{{1}, {}}};
  request.layers = {{encoder->config().n_layers}};
  CHECK(code_of(request) == "bad-argument");
  request.layers.reset();
  request.gates = {{0, encoder->config().n_heads, 0.0f}};
  CHECK(code_of(request) == "bad-argument");
  request.gates.clear();
  request.position = {.kind = PositionKind::kLearned};
  CHECK(code_of(request) == "bad-argument");
  CHECK(output_of(*encoder, {1, 2, 3}) == before);
}

}  // namespace headscope
