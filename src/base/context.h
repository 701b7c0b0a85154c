#pragma once

#include <cstddef>
#include <memory>

#include "base/view.h"

namespace headscope {

/// Owns the threads and their scratch memory. One context serves one engine; its calls come from
/// one thread at a time.
class Context {
 public:
  /// Starts `threads - 1` workers (none where the build has no threads); they live as long as the
  /// context.
  explicit Context(int threads);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  int threads() const;

  /// Calls body(task, thread) once for every task in [0, tasks), spread over the threads; returns
  /// when all are done. `thread` is in [0, threads()). Tasks must not throw and must not call
  /// parallel.
  template <class Body>
  void parallel(Index tasks, const Body& body) {
    run(
        tasks,
        [](const void* b, Index task, int thread) { (*static_cast<const Body*>(b))(task, thread); },
        &body);
  }

  /// Scratch of one thread: at least `floats` floats, 64-byte aligned, contents undefined. Valid
  /// until the next call for the same thread.
  float* scratch(int thread, std::size_t floats);

 private:
  using Task = void (*)(const void* body, Index task, int thread);
  void run(Index tasks, Task task, const void* body);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headscope
