#include "bindings/fields.h"

namespace headscope::marshal {

double Fields::number(const char* key, double fallback) const {
  const val value = at(key);
  return is_given(value) ? marshal::number(value) : fallback;
}

Index Fields::count(const char* key, Index fallback) const {
  return static_cast<Index>(number(key, static_cast<double>(fallback)));
}

bool Fields::flag(const char* key, bool fallback) const {
  const val value = at(key);
  return is_given(value) ? value.as<bool>() : fallback;
}

}  // namespace headscope::marshal
