#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/view.h"

/// Cases of tests/fixtures/components.json (where its numbers come from: tests/fixtures/README.md).
namespace headscope::fixtures {

using Json = nlohmann::json;

/// All cases of one group whose id begins with "{group}/{prefix}".
std::vector<Json> cases(const std::string& group, const std::string& prefix = "");

/// A tensor as one matrix: all leading axes become rows. null reads as -infinity; large tensors
/// come from their generator.
Matrix matrix(const Json& tensor);
/// Slice `index` of the first axis, as a matrix.
Matrix slice(const Json& tensor, Index index);
/// A stored vector; empty where the case has no such input.
std::vector<float> vector_or_empty(const Json& inputs, const std::string& name);
std::vector<int> integers(const Json& tensor);

/// max |got - expected|; fails the test where the sizes differ or a value is NaN.
float largest_difference(ConstMatrixView got, const Matrix& expected);

/// Checks one output of a case against its own tolerance.
void check_output(const Json& fixture, const std::string& name, ConstMatrixView got,
                  const Matrix& expected);
void check_output(const Json& fixture, const std::string& name, ConstMatrixView got);

}  // namespace headscope::fixtures
