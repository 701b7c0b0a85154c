#pragma once

#include "fixtures.h"
#include "model/mask.h"

namespace headscope::fixtures {

/// The mask of a case, with the memory that it views.
class MaskFixture {
 public:
  explicit MaskFixture(const Json& fixture) {
    if (fixture["in"].contains("key_valid")) {
      for (const int valid : integers(fixture["in"]["key_valid"]))
        valid_.push_back(static_cast<std::uint8_t>(valid));
    }
    if (fixture["in"].contains("allowed")) add_forbidden(matrix(fixture["in"]["allowed"]));
    if (fixture["in"].contains("additive")) add_additive(fixture["in"]["additive"]);
    for (const Matrix& added : matrices_) views_.push_back(view(added));
    causal_ = fixture["attrs"].value("causal", false);
  }

  Mask mask() const { return {.causal = causal_, .valid_keys = valid_, .additive = views_}; }

 private:
  void add_forbidden(const Matrix& allowed) {
    matrices_.push_back(allowed.unaryExpr(
        [](float a) { return a != 0 ? 0.0f : -std::numeric_limits<float>::infinity(); }));
  }
  void add_additive(const Json& tensor) {
    if (tensor["shape"].size() == 2) {
      matrices_.push_back(matrix(tensor));
      return;
    }
    for (Index head = 0; head < tensor["shape"].front().get<Index>(); ++head)
      matrices_.push_back(slice(tensor, head));
  }

  bool causal_ = false;
  std::vector<std::uint8_t> valid_;
  std::vector<Matrix> matrices_;
  std::vector<ConstMatrixView> views_;
};

}  // namespace headscope::fixtures
