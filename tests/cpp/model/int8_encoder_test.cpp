#include <catch_amalgamated.hpp>
#include <memory>

#include "kernels/int8_kernel.h"
#include "kernels/random_matrix.h"
#include "model/run.h"

namespace headscope {
namespace {

Config small_config() {
  Config config;
  config.n_layers = 2;
  config.n_heads = 3;
  config.d_model = 36;
  config.d_input = 18;
  config.d_ff = 61;
  config.vocab_size = 50;
  config.max_tokens = 70;
  config.gated = true;
  config.activation = Activation::kSilu;
  config.norm = NormPlacement::kPre;
  config.pooling = Pooling::kMean;
  config.pooler = config.normalize = true;
  config.position.kind = PositionKind::kSinusoidal;
  return config;
}

std::unique_ptr<Encoder> small_encoder(WeightFormat format) {
  auto encoder = std::make_unique<Encoder>(small_config(), format);
  encoder->parameters().initialise(7);
  encoder->finish();
  return encoder;
}

std::vector<WeightFormat> right_formats() {
  if (int8_kernel_agrees(Int8Kernel::kDot))
    return {WeightFormat::kInt8Wide, WeightFormat::kInt8Dot};
  return {WeightFormat::kInt8Wide};
}

Run run_to_end(Context& context, Encoder& encoder, std::vector<Capture> capture) {
  RunRequest request;
  for (const int tokens : {31, 1, 12}) {
    TokenSequence sequence;
    for (int i = 0; i < tokens; ++i) sequence.ids.push_back((i * 7 + tokens) % 50);
    request.sequences.push_back(sequence);
  }
  request.capture = std::move(capture);
  Run run(context, encoder, std::move(request));
  while (run.step()) {
  }
  return run;
}

Matrix output_of(const Run& run, Index sequence) {
  Trace trace = run.trace(sequence);
  return trace.matrix(Capture::kOutput, -1);
}

const std::vector<Capture> kEverything = {
    Capture::kEmbeddings,  Capture::kQuery,   Capture::kScores,
    Capture::kAttention,   Capture::kContext, Capture::kAttentionOutput,
    Capture::kFeedForward, Capture::kHidden,  Capture::kOutput};

}  // namespace

TEST_CASE("captures and threads change no bit in int8") {
  for (const WeightFormat format : right_formats()) {
    const auto encoder = small_encoder(format);
    Context one(1), three(3);
    const Run plain = run_to_end(one, *encoder, {Capture::kOutput});
    const Run captured = run_to_end(one, *encoder, kEverything);
    const Run threaded = run_to_end(three, *encoder, {Capture::kOutput});
    for (Index i = 0; i < 3; ++i) {
      CHECK(same_bits(output_of(plain, i), output_of(captured, i)));
      CHECK(same_bits(output_of(plain, i), output_of(threaded, i)));
      CHECK(plain.pooled(i) == captured.pooled(i));
      CHECK(plain.pooled(i) == threaded.pooled(i));
    }
  }
}

TEST_CASE("an int8 encoder is close to the same one in float32, and not equal to it") {
  Context context(1);
  const auto floats = small_encoder(WeightFormat::kFloat32);
  const Run expected = run_to_end(context, *floats, {Capture::kOutput});
  for (const WeightFormat format : right_formats()) {
    const Run got = run_to_end(context, *small_encoder(format), {Capture::kOutput});
    for (Index i = 0; i < 3; ++i) {
      const Matrix a = output_of(got, i), b = output_of(expected, i);
      // seven products after another, each off by a step of 1/127 at most per weight, and as much
      // per input under kInt8Dot
      const float off = (a - b).norm() / b.norm();
      CHECK(off <= (format == WeightFormat::kInt8Dot ? 0.02f : 0.015f));
      CHECK(off > 1e-4f);
    }
  }
}

TEST_CASE("parameters of an int8 encoder are read as they are computed with") {
  const auto floats = small_encoder(WeightFormat::kFloat32);
  for (const WeightFormat format : {WeightFormat::kInt8Wide, WeightFormat::kInt8Dot}) {
    const auto encoder = small_encoder(format);
    const auto steps_of = [&](const char* name) {
      const Matrix exact = floats->parameters().read(name), got = encoder->parameters().read(name);
      const float largest = exact.col(2).cwiseAbs().maxCoeff();
      const float off = (got - exact).col(2).cwiseAbs().maxCoeff();
      return off > 0.0f ? largest / (2.0f * off) : 0.0f;  // about the limit of the integers
    };
    for (const char* name :
         {"layers.0.attention.wq", "layers.0.attention.wk", "layers.1.attention.wv",
          "layers.0.attention.w_residual", "layers.0.attention.wo", "layers.1.feed_forward.w1",
          "layers.0.feed_forward.w_gate", "layers.1.feed_forward.w2", "pooler.w"}) {
      CAPTURE(name);
      CHECK(steps_of(name) > 126.0f);
    }
    for (const char* name :
         {"embeddings.token", "layers.0.norm1.gamma", "layers.1.feed_forward.b1"}) {
      CAPTURE(name);
      CHECK(same_bits(encoder->parameters().read(name), floats->parameters().read(name)));
    }
  }
}

}  // namespace headscope
