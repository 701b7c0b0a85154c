#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/run.h"

/// Configs and requests out of the bytes of a fuzzer: mostly what a model may be, and now and then
/// anything at all. What both targets hold the core to stands here too.
namespace headscope::fuzz {

/// No number that is given in this size or below leads the core out of float32.
inline constexpr float kTame = 1e3f;

[[noreturn]] inline void fail(const std::string& promise) {
  std::fprintf(stderr, "broken promise: %s\n", promise.c_str());
  std::abort();
}

inline void check_finite(std::span<const float> values, const char* what) {
  for (const float value : values) {
    if (!std::isfinite(value)) fail(std::string(what) + " is not finite");
  }
}

/// Carries out `body`, which may be refused as the library refuses: by an Error with a code of its
/// own, or for want of memory.
template <class Body>
void attempt(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kInternal) fail(std::string("internal: ") + error.what());
    if (std::string(error.what()).empty()) fail("an error without a message");
  } catch (const std::bad_alloc&) {
  }
}

/// Whether something unusual is to be done.
bool is_rare(FuzzedDataProvider& data, int once_in = 64);
/// A small number as a rule; any of 64 bits once in 64 times.
Index any_count(FuzzedDataProvider& data, Index low, Index high);
/// A number of a usual size, or any double, once in 64 times.
double any_number(FuzzedDataProvider& data, double usual);
PositionOptions any_position(FuzzedDataProvider& data);
Config any_config(FuzzedDataProvider& data);
/// Every field of a request, right as a rule for the config.
RunRequest any_request(FuzzedDataProvider& data, const Config& config);

/// Floats that a model of this config has; as a double, for it may be any number.
double count_floats(const Config& config);
/// Whether no number of the config or the request is beyond kTame.
bool is_tame(const Config& config);
bool is_tame(const RunRequest& request);

/// Begins a run and takes up to `steps` of its steps. Where it ends, every number that it gives is
/// finite if `tame`.
void run_model(Context& context, Encoder& encoder, RunRequest request, Index steps, bool tame);

}  // namespace headscope::fuzz
