#include "fixtures.h"

#include <catch_amalgamated.hpp>
#include <cmath>
#include <fstream>
#include <limits>

#include "base/random.h"

namespace headscope::fixtures {
namespace {

const Json& components() {
  static const Json file = [] {
    std::ifstream stream(HEADSCOPE_FIXTURES "/components.json");
    REQUIRE(stream.good());
    return Json::parse(stream);
  }();
  return file;
}

Index size_of(const Json& tensor) {
  Index size = 1;
  for (const auto& axis : tensor["shape"]) size *= axis.get<Index>();
  return size;
}

std::vector<float> values(const Json& tensor) {
  std::vector<float> out(static_cast<std::size_t>(size_of(tensor)));
  if (tensor.contains("gen")) {
    const UniformSequence numbers(tensor["gen"]["seed"].get<std::uint32_t>());
    const double scale = tensor["gen"]["scale"].get<double>(),
                 offset = tensor["gen"]["offset"].get<double>();
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = static_cast<float>(offset + scale * numbers.at(static_cast<std::uint32_t>(i)));
    }
    return out;
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Json& value = tensor["data"][i];
    out[i] = value.is_null() ? -std::numeric_limits<float>::infinity()
                             : static_cast<float>(value.get<double>());
  }
  return out;
}

}  // namespace

std::vector<Json> cases(const std::string& group, const std::string& prefix) {
  std::vector<Json> found;
  for (const Json& fixture : components()["cases"]) {
    if (fixture["id"].get<std::string>().starts_with(group + "/" + prefix))
      found.push_back(fixture);
  }
  REQUIRE_FALSE(found.empty());
  return found;
}

Matrix matrix(const Json& tensor) {
  const std::vector<float> data = values(tensor);
  const Json& shape = tensor["shape"];
  const Index cols = shape.empty() ? 1 : shape.back().get<Index>();
  const Index rows = shape.size() < 2 ? 1 : size_of(tensor) / std::max<Index>(cols, 1);
  return view(data.data(), rows, cols);
}

Matrix slice(const Json& tensor, Index index) {
  const std::vector<float> data = values(tensor);
  const Index count = tensor["shape"].front().get<Index>(),
              cols = tensor["shape"].back().get<Index>();
  const Index rows = size_of(tensor) / (count * cols);
  return view(data.data() + index * rows * cols, rows, cols);
}

std::vector<float> vector_or_empty(const Json& inputs, const std::string& name) {
  return inputs.contains(name) ? values(inputs[name]) : std::vector<float>{};
}

std::vector<int> integers(const Json& tensor) { return tensor["data"].get<std::vector<int>>(); }

float largest_difference(ConstMatrixView got, const Matrix& expected) {
  REQUIRE(got.rows() == expected.rows());
  REQUIRE(got.cols() == expected.cols());
  float largest = 0;
  for (Index i = 0; i < got.rows(); ++i) {
    for (Index j = 0; j < got.cols(); ++j) {
      if (got(i, j) == expected(i, j)) continue;  // also equal infinities
      const float difference = std::abs(got(i, j) - expected(i, j));
      REQUIRE_FALSE(std::isnan(difference));
      largest = std::max(largest, difference);
    }
  }
  return largest;
}

void check_output(const Json& fixture, const std::string& name, ConstMatrixView got,
                  const Matrix& expected) {
  INFO(fixture["id"].get<std::string>() << " " << name);
  CHECK(largest_difference(got, expected) <= fixture["tol"][name].get<float>());
}

void check_output(const Json& fixture, const std::string& name, ConstMatrixView got) {
  check_output(fixture, name, got, matrix(fixture["out"][name]));
}

}  // namespace headscope::fixtures
