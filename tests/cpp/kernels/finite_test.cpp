#include "kernels/finite.h"

#include <catch_amalgamated.hpp>
#include <limits>
#include <vector>

namespace headscope {

TEST_CASE("one value that is not finite is found wherever it is") {
  const float largest = std::numeric_limits<float>::max();
  for (const std::size_t count : {1u, 3u, 4u, 5u, 7u, 13u, 97u}) {
    std::vector<float> values(count, -largest);
    CHECK(all_finite(values));
    for (std::size_t i = 0; i < count; ++i) {
      for (const float bad :
           {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
            std::numeric_limits<float>::quiet_NaN()}) {
        values[i] = bad;
        if (all_finite(values) || all_finite_reference(values)) FAIL(i << " of " << count);
      }
      values[i] = i % 2 ? 0.0f : largest;
      if (!all_finite(values) || !all_finite_reference(values)) FAIL(i << " of " << count);
    }
  }
  CHECK(all_finite({}));
}

}  // namespace headscope
