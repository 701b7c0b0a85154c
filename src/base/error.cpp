#include "base/error.h"

namespace headscope {

const char* code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kBadArgument:
      return "bad-argument";
    case ErrorCode::kBadShape:
      return "bad-shape";
    case ErrorCode::kBadCheckpoint:
      return "bad-checkpoint";
    case ErrorCode::kUnsupportedModel:
      return "unsupported-model";
    case ErrorCode::kOutOfMemory:
      return "out-of-memory";
    case ErrorCode::kTooLong:
      return "too-long";
    case ErrorCode::kDisposed:
      return "disposed";
    case ErrorCode::kAborted:
      return "aborted";
    case ErrorCode::kNotFound:
      return "not-found";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "internal";
}

void fail(ErrorCode code, Pieces message) { throw Error(code, text_of(message)); }

}  // namespace headscope
