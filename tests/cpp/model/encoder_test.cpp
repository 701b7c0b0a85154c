#include "model/encoder.h"

#include <catch_amalgamated.hpp>
#include <functional>
#include <numeric>

#include "base/error.h"
#include "encoder_fixture.h"

namespace headscope {
namespace {

using fixtures::check_output;
using fixtures::encoder_of;
using fixtures::Json;
using fixtures::request_of;
using fixtures::run_to_end;

Matrix pick(const Matrix& from, const std::vector<int>& rows) { return from(rows, Eigen::all); }

/// Rows of X that are real tokens: the numbers of padded rows are not compared, and padding keys
/// count 0.
std::vector<int> real_rows(const Json& attrs, Index tokens) {
  if (attrs.contains("compare_rows")) return attrs["compare_rows"].get<std::vector<int>>();
  std::vector<int> rows(static_cast<std::size_t>(tokens));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

void check_sequence(const Json& fixture, const Trace& kept, const std::vector<int>& rows,
                    const std::function<Matrix(const std::string& name, Index slice)>& expected) {
  Trace trace = kept;
  const Index layers = fixture["attrs"]["L"].get<Index>(),
              heads = fixture["attrs"]["h"].get<Index>();
  for (Index layer = 0; layer < layers; ++layer) {
    if (fixture["out"].contains("hidden")) {
      check_output(fixture, "hidden", read(trace.matrix(Capture::kHidden, layer)),
                   pick(expected("hidden", layer), rows));
    }
    for (Index head = 0; head < heads && fixture["out"].contains("attention"); ++head) {
      const Matrix weights = expected("attention", layer * heads + head);
      check_output(fixture, "attention", read(trace.matrix(Capture::kAttention, layer, head)),
                   weights(rows, rows));
    }
  }
  check_output(fixture, "output", read(trace.matrix(Capture::kOutput, -1)),
               pick(expected("output", 0), rows));
}

Matrix flat_slice(const Json& tensor, Index index, Index rows) {
  return fixtures::matrix(tensor).middleRows(index * rows, rows);
}

Config small_config() {
  Config config;
  config.n_layers = 2;
  config.n_heads = 3;
  config.d_model = 12;
  config.d_input = 6;
  config.d_ff = 20;
  config.vocab_size = 50;
  config.max_tokens = 70;
  config.norm = NormPlacement::kPre;
  config.pooling = Pooling::kMean;
  config.pooler = config.normalize = true;
  config.position.kind = PositionKind::kSinusoidal;
  return config;
}

std::unique_ptr<Encoder> small_encoder(const Config& config = small_config()) {
  auto encoder = std::make_unique<Encoder>(config);
  encoder->parameters().initialise(7);
  encoder->finish();
  return encoder;
}

std::vector<int> some_ids(int count, int step) {
  std::vector<int> ids(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) ids[static_cast<std::size_t>(i)] = (i * step + 3) % 50;
  return ids;
}

}  // namespace

TEST_CASE("encoder layers and stacks agree with the reference, padding and masks included") {
  Context context(1);
  for (const Json& fixture : fixtures::cases("encoder")) {
    if (fixture["attrs"].contains("B")) continue;
    const auto encoder = encoder_of(fixture);
    const Index tokens = fixture["attrs"]["n"].get<Index>();
    const std::vector<int> rows = real_rows(fixture["attrs"], tokens);
    const Run run = run_to_end(context, *encoder, request_of({rows}));
    check_sequence(fixture, run.trace(0), rows, [&](const std::string& name, Index slice) {
      return flat_slice(fixture["out"][name], slice, tokens);
    });
  }
}

TEST_CASE("a batch of sequences of different lengths agrees with the padded reference") {
  Context context(1);
  for (const Json& fixture : fixtures::cases("encoder")) {
    if (!fixture["attrs"].contains("B")) continue;
    const auto encoder = encoder_of(fixture);
    const Index tokens = fixture["attrs"]["n"].get<Index>(),
                batch = fixture["attrs"]["B"].get<Index>();
    const auto all_rows = fixture["attrs"]["compare_rows"].get<std::vector<std::vector<int>>>();
    auto ids = all_rows;
    for (std::size_t b = 0; b < ids.size(); ++b) {
      for (int& id : ids[b]) id += static_cast<int>(b) * static_cast<int>(tokens);
    }
    const Run run = run_to_end(context, *encoder, request_of(ids));
    const Index heads = fixture["attrs"]["h"].get<Index>();
    for (Index b = 0; b < batch; ++b) {
      check_sequence(fixture, run.trace(b), all_rows[static_cast<std::size_t>(b)],
                     [&](const std::string& name, Index slice) {
                       // stored [L, B, ...]: the sequence's part of layer l stands at l B + b
                       if (name == "output") return flat_slice(fixture["out"][name], b, tokens);
                       if (name == "hidden")
                         return flat_slice(fixture["out"][name], slice * batch + b, tokens);
                       const Index layer = slice / heads, head = slice % heads;
                       return flat_slice(fixture["out"][name], (layer * batch + b) * heads + head,
                                         tokens);
                     });
    }
  }
}

TEST_CASE("a sequence's numbers do not depend on the batch it is in") {
  Context context(1);
  const auto encoder = small_encoder();
  const std::vector<std::vector<int>> ids = {some_ids(7, 5), {}, some_ids(53, 11), some_ids(1, 1)};
  const Run batch = run_to_end(context, *encoder, request_of(ids));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Run single = run_to_end(context, *encoder, request_of({ids[i]}));
    const Trace &expected = single.trace(0), &got = batch.trace(static_cast<Index>(i));
    CHECK(std::equal(expected.arena().begin(), expected.arena().end(), got.arena().begin(),
                     got.arena().end()));
    CHECK(batch.pooled(static_cast<Index>(i)) == single.pooled(0));
  }
}

TEST_CASE("what is captured changes no bit of the result") {
  Context context(1);
  for (const NormPlacement norm : {NormPlacement::kPre, NormPlacement::kPost}) {
    Config config = small_config();
    config.norm = norm;
    config.final_norm = true;
    const auto encoder = small_encoder(config);
    RunRequest request = request_of({some_ids(61, 7)});
    request.capture.clear();
    const Run bare = run_to_end(context, *encoder, request);
    for (int i = 0; i < kCaptures; ++i) request.capture.push_back(static_cast<Capture>(i));
    const Run full = run_to_end(context, *encoder, request);
    CHECK(full.pooled(0) == bare.pooled(0));
    CHECK(full.trace(0).entries().size() > 40);
  }
}

TEST_CASE("one thread and many give the same bits") {
  const auto encoder = small_encoder();
  Context one(1), three(3);
  const auto request = request_of({some_ids(64, 13), some_ids(17, 3)});
  const Run a = run_to_end(one, *encoder, request), b = run_to_end(three, *encoder, request);
  for (Index i = 0; i < 2; ++i) {
    CHECK(std::equal(a.trace(i).arena().begin(), a.trace(i).arena().end(),
                     b.trace(i).arena().begin()));
    CHECK(a.pooled(i) == b.pooled(i));
  }
}

TEST_CASE("attention rows sum to 1 and an empty sequence has a sentence vector") {
  Context context(1);
  const auto encoder = small_encoder();
  const Run run = run_to_end(context, *encoder, request_of({some_ids(49, 5), {}}));
  Trace trace = run.trace(0);
  for (Index layer = 0; layer < 2; ++layer) {
    for (Index head = 0; head < 3; ++head) {
      const auto sums = trace.matrix(Capture::kAttention, layer, head).rowwise().sum().eval();
      CHECK(((sums.array() - 1).abs() < 1e-6f).all());
    }
  }
  CHECK(run.pooled(1).size() == 12);
}

TEST_CASE("a gate of 0 removes a head, and a gate of 1 changes nothing") {
  Context context(1);
  const auto encoder = small_encoder();
  const auto plain = run_to_end(context, *encoder, request_of({some_ids(9, 5)}));
  auto request = request_of({some_ids(9, 5)});
  request.gates = {{1, 2, 1.0f}};
  CHECK(run_to_end(context, *encoder, request).pooled(0) == plain.pooled(0));
  request.gates = {{1, 2, 0.0f}};
  request.capture = {Capture::kConcat};
  const Run gated = run_to_end(context, *encoder, request);
  Trace trace = gated.trace(0);
  CHECK(trace.matrix(Capture::kConcat, 1).rightCols(4).isZero(0));
  CHECK_FALSE(trace.matrix(Capture::kConcat, 1).leftCols(8).isZero(0));
  CHECK(gated.pooled(0) != plain.pooled(0));
}

TEST_CASE("a packed parameter is read back as it was") {
  const auto encoder = small_encoder();
  Parameters plain(parameter_shapes(small_config()));  // without homes
  plain.initialise(7);
  for (const ParameterShape& shape : plain.shapes()) {
    INFO(shape.name);
    CHECK(encoder->parameters().read(shape.name) == plain.values(shape.name));
  }
  CHECK_THROWS_AS(encoder->parameters().values("pooler.w"), Error);
}

}  // namespace headscope
