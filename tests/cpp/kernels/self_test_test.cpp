#include "kernels/self_test.h"

#include <catch_amalgamated.hpp>

namespace headscope {

TEST_CASE("the kernels of this build agree with their plain loops") { CHECK(kernels_agree()); }

}  // namespace headscope
