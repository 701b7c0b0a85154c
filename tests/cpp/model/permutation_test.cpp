#include <catch_amalgamated.hpp>
#include <numeric>

#include "encoder_fixture.h"
#include "heads_fixture.h"
#include "mask_fixture.h"
#include "model/sinusoidal_position.h"

namespace headscope {
namespace {

using fixtures::Json;

/// f of a case: multi-head attention of x, with its positions added and its mask applied.
Matrix output_of(const Json& fixture, Matrix x, const std::vector<std::uint8_t>& valid_keys) {
  if (fixture["id"] == "permutation/mha-sinusoidal") {
    SinusoidalPosition position({.kind = PositionKind::kSinusoidal}, x.cols());
    position.prepare(x.rows());
    position.add_to_embeddings(view(x));
  }
  AttentionOptions options;
  options.scale = 0;
  options.mask.causal = fixture["id"] == "permutation/mha-causal";
  options.mask.valid_keys = valid_keys;
  return fixtures::run_heads(fixture, x, options).output;
}

template <class T>
std::vector<T> pick(const std::vector<T>& from, const std::vector<int>& order) {
  std::vector<T> picked;
  for (const int i : order) {
    if (!from.empty()) picked.push_back(from[static_cast<std::size_t>(i)]);
  }
  return picked;
}

}  // namespace

TEST_CASE(
    "attention without positions is permutation equivariant, and with them or a causal mask it is "
    "not") {
  for (const Json& fixture : fixtures::cases("permutation", "mha")) {
    const Matrix x = fixtures::matrix(fixture["in"]["X"]);
    const std::vector<int> order = fixtures::integers(fixture["in"]["perm"]);
    std::vector<std::uint8_t> valid;
    if (fixture["in"].contains("key_valid")) {
      for (const int key : fixtures::integers(fixture["in"]["key_valid"]))
        valid.push_back(static_cast<std::uint8_t>(key));
    }
    const Matrix y = output_of(fixture, x, valid);
    const Matrix permuted = output_of(fixture, x(order, Eigen::all), pick(valid, order));
    fixtures::check_output(fixture, "Y", view(y));
    fixtures::check_output(fixture, "Y_perm", view(permuted));
    const float difference = (permuted - y(order, Eigen::all)).cwiseAbs().maxCoeff();
    INFO(fixture["id"].get<std::string>());
    if (fixture["attrs"]["equivariant"].get<bool>()) {
      CHECK(difference < 5e-6f);
    } else {
      CHECK(difference > 1e-2f);
    }
  }
}

TEST_CASE("a whole encoder layer without positions is permutation equivariant") {
  Context context(1);
  for (const Json& fixture : fixtures::cases("permutation", "encoder-layer")) {
    const auto encoder = fixtures::encoder_of(fixture);
    const std::vector<int> order = fixtures::integers(fixture["in"]["perm"]);
    std::vector<int> ids(order.size());
    std::iota(ids.begin(), ids.end(), 0);
    const Run run = fixtures::run_to_end(context, *encoder, fixtures::request_of({ids, order}));
    Trace plain = run.trace(0), permuted = run.trace(1);
    const Matrix y = plain.matrix(Capture::kOutput, -1);
    const Matrix y_permuted = permuted.matrix(Capture::kOutput, -1);
    fixtures::check_output(fixture, "Y", view(y));
    fixtures::check_output(fixture, "Y_perm", view(y_permuted));
    CHECK((y_permuted - y(order, Eigen::all)).cwiseAbs().maxCoeff() < 5e-6f);
  }
}

}  // namespace headscope
