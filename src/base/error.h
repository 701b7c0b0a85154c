#pragma once

#include <exception>
#include <string>
#include <utility>

#include "base/text.h"

namespace headscope {

enum class ErrorCode {
  kBadArgument,
  kBadShape,
  kBadCheckpoint,
  kUnsupportedModel,
  kOutOfMemory,
  kTooLong,
  kDisposed,
  kAborted,
  kNotFound,
  kInternal,
};

/// The code as JavaScript spells it, for example "bad-shape".
const char* code_name(ErrorCode code);

/// The one exception of the library. The message says what, where, expected, got.
class Error : public std::exception {
 public:
  Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}
  ErrorCode code() const { return code_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  ErrorCode code_;
  std::string message_;
};

/// Throws Error with these pieces as its message.
[[noreturn]] void fail(ErrorCode code, Pieces message);

/// Throws Error when `holds` is false.
inline void require(bool holds, ErrorCode code, const char* message) {
  if (!holds) fail(code, {message});
}

}  // namespace headscope
