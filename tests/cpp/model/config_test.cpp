#include "model/config.h"

#include <catch_amalgamated.hpp>
#include <limits>

#include "base/error.h"

namespace headscope {
namespace {

Config small_config() {
  Config config;
  config.n_layers = config.n_heads = config.vocab_size = config.max_tokens = config.d_ff = 1;
  config.d_model = config.d_input = 4;
  config.position.kind = PositionKind::kRotary;
  return config;
}

bool is_refused(const Config& config) {
  try {
    check_config(config);
  } catch (const Error& error) {
    return error.code() == ErrorCode::kBadArgument;
  }
  return false;
}

}  // namespace

TEST_CASE("a number of a config is one in float32 too: neither 0 nor infinite") {
  double Config::* const numbers[] = {&Config::norm_epsilon, &Config::embedding_scale,
                                      &Config::attention_scale};
  const double wrong[] = {-1.0,
                          1e-46,
                          1e-300,
                          1e39,
                          std::numeric_limits<double>::infinity(),
                          std::numeric_limits<double>::quiet_NaN()};
  CHECK_FALSE(is_refused(small_config()));
  for (const double value : wrong) {
    for (double Config::* const number : numbers) {
      Config config = small_config();
      config.*number = value;
      CHECK(is_refused(config));
    }
    Config config = small_config();
    config.position.base = value;
    CHECK(is_refused(config));
  }
}

}  // namespace headscope
