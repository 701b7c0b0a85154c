#pragma once

#include <emscripten/val.h>

#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/view.h"

/// The border between the core and JavaScript. Nothing throws across it, no view of the heap and no
/// pointer leaves it.
namespace headscope::marshal {

using emscripten::val;

inline val error_value(const char* code, const char* message) {
  val error = val::object();
  error.set("code", val::u8string(code));
  error.set("message", val::u8string(message));
  val answer = val::object();
  answer.set("error", error);
  return answer;
}

/// { value: body() }, or { error: { code, message } } for whatever body throws.
template <class Body>
val guarded(Body&& body) {
  try {
    val answer = val::object();
    answer.set("value", std::forward<Body>(body)());
    return answer;
  } catch (const Error& error) {
    return error_value(code_name(error.code()), error.what());
  } catch (const std::bad_alloc&) {
    return error_value("out-of-memory", "engine: the WebAssembly heap cannot grow further");
  } catch (const std::exception& error) {
    return error_value("internal", error.what());
  } catch (...) {
    return error_value("internal", "engine: unknown exception");
  }
}

template <class T>
val view_of(std::span<T> memory) {
  return val(emscripten::typed_memory_view(memory.size(), memory.data()));
}

/// A Float32Array of its own, in unshared memory.
inline val copy_out(std::span<const float> values) {
  val copy = val::global("Float32Array").new_(values.size());
  copy.call<void>("set", view_of(values));
  return copy;
}
inline val copy_out(std::span<const std::int32_t> values) {
  val copy = val::global("Int32Array").new_(values.size());
  copy.call<void>("set", view_of(values));
  return copy;
}
/// { rows, cols, data }.
inline val copy_out(const Matrix& matrix) {
  val out = val::object();
  out.set("rows", static_cast<double>(matrix.rows()));
  out.set("cols", static_cast<double>(matrix.cols()));
  out.set("data",
          copy_out(std::span<const float>(matrix.data(), static_cast<std::size_t>(matrix.size()))));
  return out;
}

/// The elements of a JavaScript typed array; T must be its element type.
template <class T>
std::vector<T> copy_in(const val& array) {
  std::vector<T> values(array["length"].as<std::size_t>());
  view_of(std::span<T>(values)).template call<void>("set", array);
  return values;
}

inline bool is_given(const val& value) { return !value.isUndefined() && !value.isNull(); }

inline std::size_t length_of(const val& array) { return array["length"].as<std::size_t>(); }

/// A JavaScript integer, which may be wider than 32 bits.
inline Index integer(const val& value) { return static_cast<Index>(value.as<double>()); }

}  // namespace headscope::marshal
