#include "model/trace.h"

#include <catch_amalgamated.hpp>

#include "base/error.h"
#include "base/random.h"

namespace headscope {

TEST_CASE("an arena that no 32-bit heap can hold is refused before an offset wraps around") {
  const auto code_of = [](Index heads, Index tokens) -> std::string {
    try {
      Trace trace;
      trace.reserve(Capture::kAttention, 0, heads, tokens, tokens);
    } catch (const Error& error) {
      return code_name(error.code());
    }
    return "none";
  };
  CHECK(code_of(1, 65536) == "out-of-memory");   // 2^32 floats: 0 in 32 bits
  CHECK(code_of(144, 5462) == "out-of-memory");  // 2^32 and a little more
  CHECK(code_of(12, 512) == "none");
}

TEST_CASE("an unknown capture is refused with the names there are") {
  CHECK(capture_named("attention_output") == Capture::kAttentionOutput);
  CHECK_THROWS_WITH(capture_named("atention"),
                    Catch::Matchers::ContainsSubstring("expected one of embeddings, query"));
}

TEST_CASE("no two parameters of any seeds share their random numbers") {
  for (std::uint32_t stream = 0; stream < 40; ++stream) {
    CHECK(UniformSequence(0, stream + 1).at(0) != UniformSequence(1, stream).at(0));
  }
}

}  // namespace headscope
