#pragma once

#include <emscripten/val.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/view.h"

/// The border between the core and JavaScript. Nothing throws across it, no view of the heap and no
/// pointer leaves it.
namespace headscope::marshal {

using emscripten::val;

/// { value: body(state) }, or { error: { code, message } } for whatever body throws.
val guard(val (*body)(const void* state), const void* state);

template <class Body>
val guarded(const Body& body) {
  return guard([](const void* state) { return (*static_cast<const Body*>(state))(); }, &body);
}

// Out of line, because all that emscripten::val does for one property would be inlined at each use.
val get(const val& object, const char* key);
void set(const val& object, const char* key, const val& value);
void set(const val& object, const char* key, double value);
void push(const val& array, const val& item);
val text_value(const char* text);

bool is_given(const val& value);
std::size_t length_of(const val& array);
double number(const val& value);
/// A JavaScript integer, which may be wider than 32 bits.
Index integer(const val& value);
std::string text(const val& value);

/// A Float32Array of its own, in unshared memory.
val copy_out(std::span<const float> values);
val copy_out(std::span<const std::int32_t> values);
/// { rows, cols, data }.
val copy_out(const Matrix& matrix);

/// Fills `memory` from a JavaScript typed array of its element type and length.
void copy_in(const val& array, std::span<float> memory);
void copy_in(const val& array, std::span<std::uint8_t> memory);

/// The elements of a JavaScript typed array; T must be its element type.
template <class T>
std::vector<T> copy_in(const val& array);

}  // namespace headscope::marshal
