#include "bindings/marshal.h"

#include <new>
#include <stdexcept>

namespace headscope::marshal {
namespace {

val error_value(const char* code, const char* message) {
  const val error = val::object();
  set(error, "code", text_value(code));
  set(error, "message", text_value(message));
  const val answer = val::object();
  set(answer, "error", error);
  return answer;
}

template <class T>
val view_of(std::span<T> memory) {
  return val(emscripten::typed_memory_view(memory.size(), memory.data()));
}

void fill(const val& target, const val& source) { target.call<void>("set", source); }

val copy_of(const char* type, std::size_t length, const val& view) {
  const val copy = val::global(type).new_(static_cast<double>(length));
  fill(copy, view);
  return copy;
}

}  // namespace

val guard(val (*body)(const void* state), const void* state) {
  try {
    const val answer = val::object();
    set(answer, "value", body(state));
    return answer;
  } catch (const Error& error) {
    return error_value(code_name(error.code()), error.what());
  } catch (const std::bad_alloc&) {
    return error_value("out-of-memory", "engine: the WebAssembly heap cannot grow further");
  } catch (const std::length_error&) {
    return error_value("out-of-memory", "engine: more than a WebAssembly heap can hold");
  } catch (const std::exception& error) {
    return error_value("internal", error.what());
  } catch (...) {
    return error_value("internal", "engine: unknown exception");
  }
}

val get(const val& object, const char* key) { return object[key]; }
void set(const val& object, const char* key, const val& value) { val(object).set(key, value); }
void set(const val& object, const char* key, double value) { set(object, key, val(value)); }
void push(const val& array, const val& item) { array.call<void>("push", item); }
val text_value(const char* text) { return val::u8string(text); }

bool is_given(const val& value) { return !value.isUndefined() && !value.isNull(); }
std::size_t length_of(const val& array) {
  return static_cast<std::size_t>(number(get(array, "length")));
}
double number(const val& value) { return value.as<double>(); }
Index integer(const val& value) { return static_cast<Index>(number(value)); }
std::string text(const val& value) { return value.as<std::string>(); }

val copy_out(std::span<const float> values) {
  return copy_of("Float32Array", values.size(), view_of(values));
}
val copy_out(std::span<const std::int32_t> values) {
  return copy_of("Int32Array", values.size(), view_of(values));
}
val copy_out(const Matrix& matrix) {
  const val out = val::object();
  set(out, "rows", static_cast<double>(matrix.rows()));
  set(out, "cols", static_cast<double>(matrix.cols()));
  set(out, "data",
      copy_out(std::span<const float>(matrix.data(), static_cast<std::size_t>(matrix.size()))));
  return out;
}

void copy_in(const val& array, std::span<float> memory) { fill(view_of(memory), array); }
void copy_in(const val& array, std::span<std::uint8_t> memory) { fill(view_of(memory), array); }

template <class T>
std::vector<T> copy_in(const val& array) {
  std::vector<T> values(length_of(array));
  fill(view_of(std::span<T>(values)), array);
  return values;
}
template std::vector<float> copy_in(const val& array);
template std::vector<double> copy_in(const val& array);
template std::vector<std::int32_t> copy_in(const val& array);
template std::vector<std::uint8_t> copy_in(const val& array);

}  // namespace headscope::marshal
