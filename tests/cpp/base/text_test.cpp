#include "base/text.h"

#include <catch_amalgamated.hpp>
#include <cmath>
#include <limits>

namespace headscope {

TEST_CASE("pieces of a text follow each other") {
  const std::string name = "layers.0";
  CHECK(text_of({}) == "");
  CHECK(text_of({name, " has shape [", 64, ",", std::size_t{32}, "], got ", -7L}) ==
        "layers.0 has shape [64,32], got -7");
}

TEST_CASE("numbers are written as JavaScript writes them") {
  CHECK(text_of({0}) == "0");
  CHECK(text_of({0.5}) == "0.5");
  CHECK(text_of({-0.25}) == "-0.25");
  CHECK(text_of({1e-5}) == "0.00001");
  CHECK(text_of({1.5e-7}) == "1.5e-7");
  CHECK(text_of({12.75}) == "12.75");
  CHECK(text_of({123456.5}) == "123457");
  CHECK(text_of({1234567.5}) == "1.23457e+6");
  CHECK(text_of({0.9999999}) == "1");
  CHECK(text_of({99.99999}) == "100");
  CHECK(text_of({1e14}) == "100000000000000");
  CHECK(text_of({1e300}) == "1e+300");
  CHECK(text_of({5e-324}) == "4.94066e-324");
  CHECK(text_of({std::nan("")}) == "NaN");
  CHECK(text_of({-std::numeric_limits<double>::infinity()}) == "-Infinity");
}

}  // namespace headscope
