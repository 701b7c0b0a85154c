#include "kernels/layer_norm.h"

#include <catch_amalgamated.hpp>

#include "fixtures.h"
#include "model/layer_norm_steps.h"

namespace headscope {
namespace {

using fixtures::Json;

struct Inputs {
  Matrix sum;
  std::vector<float> gamma;
  std::vector<float> beta;
  float epsilon;
};

Inputs inputs_of(const Json& fixture) {
  const Json& in = fixture["in"];
  Inputs inputs{fixtures::matrix(in["x"]), fixtures::vector_or_empty(in, "gamma"),
                fixtures::vector_or_empty(in, "beta"), fixture["attrs"]["eps"].get<float>()};
  if (in.contains("sub")) inputs.sum += fixtures::matrix(in["sub"]);
  return inputs;
}

const float* pointer(const std::vector<float>& values) {
  return values.empty() ? nullptr : values.data();
}

}  // namespace

TEST_CASE("layer norm, by itself and after a residual, agrees with the reference") {
  for (const Json& fixture : fixtures::cases("layernorm")) {
    const Inputs inputs = inputs_of(fixture);
    Matrix y(inputs.sum.rows(), inputs.sum.cols());
    layer_norm_rows(view(inputs.sum), pointer(inputs.gamma), pointer(inputs.beta), inputs.epsilon,
                    view(y));
    fixtures::check_output(fixture, "y", view(std::as_const(y)));
  }
}

TEST_CASE("the shown steps of layer norm end at the same bits as layer norm") {
  for (const Json& fixture : fixtures::cases("layernorm", "add-and-norm")) {
    const Inputs inputs = inputs_of(fixture);
    Matrix y(inputs.sum.rows(), inputs.sum.cols());
    layer_norm_rows(view(inputs.sum), pointer(inputs.gamma), pointer(inputs.beta), inputs.epsilon,
                    view(y));
    const LayerNormSteps steps =
        layer_norm_steps(inputs.sum, pointer(inputs.gamma), pointer(inputs.beta), inputs.epsilon);
    CHECK(steps.output == y);
    CHECK(steps.mean.cols() == inputs.sum.rows());
    CHECK((steps.normalized.rowwise().mean().array().abs() < 1e-6f).all());
  }
}

TEST_CASE("x = 10 and sublayer = 3 are 13 before the norm, and no other token notices") {
  Matrix x = Matrix::Random(3, 8), sublayer = Matrix::Random(3, 8);
  const LayerNormSteps before = layer_norm_steps(x + sublayer, nullptr, nullptr, 1e-5f);
  x(1, 2) = 10;
  sublayer(1, 2) = 3;
  const LayerNormSteps after = layer_norm_steps(x + sublayer, nullptr, nullptr, 1e-5f);
  CHECK(after.sum(1, 2) == 13);
  for (const Index row : {0, 2}) CHECK(after.output.row(row) == before.output.row(row));
}

TEST_CASE("values whose squares pass the largest float are normalised too") {
  Matrix x(2, 3), y(2, 3);
  x << 3e38f, -3e38f, 0, 1e20f, 3e20f, 2e20f;
  layer_norm_rows(view(std::as_const(x)), nullptr, nullptr, 1e-5f, view(y));
  const float third = 1.2247449f;  // sqrt(3 / 2)
  Matrix expected(2, 3);
  expected << third, -third, 0, -third, third, 0;
  CHECK((y - expected).cwiseAbs().maxCoeff() < 1e-5f);
}

}  // namespace headscope
