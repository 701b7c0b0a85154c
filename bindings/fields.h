#pragma once

#include <string>
#include <utility>

#include "bindings/marshal.h"

namespace headscope::marshal {

/// The values that a JavaScript object holds under its keys. Their types have been checked in
/// JavaScript; `undefined` and `null` count as not given.
class Fields {
 public:
  explicit Fields(val object) : object_(std::move(object)) {}

  bool has(const char* key) const { return is_given(at(key)); }
  val at(const char* key) const { return get(object_, key); }
  double number(const char* key, double fallback) const;
  Index count(const char* key, Index fallback) const;
  bool flag(const char* key, bool fallback) const;
  std::string word(const char* key) const { return text(at(key)); }

 private:
  val object_;
};

}  // namespace headscope::marshal
