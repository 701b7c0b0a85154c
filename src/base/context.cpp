#include "base/context.h"

#include <atomic>
#include <cstdint>
#include <new>
#include <vector>

#if !defined(__EMSCRIPTEN__) || defined(__EMSCRIPTEN_PTHREADS__)
#define HEADSCOPE_THREADS 1
#include <pthread.h>
#endif
#if defined(__EMSCRIPTEN_PTHREADS__)
#include <emscripten/threading.h>

#include <cmath>
#endif

#include "base/error.h"

namespace headscope {
namespace {

constexpr std::size_t kCacheLine = 64;
/// Floats whose bytes, with the alignment's, a size_t of 32 bits can count.
constexpr std::size_t kLargestScratch = std::size_t{1} << 29;

/// Growing memory of one thread; its contents are lost when it grows.
class Scratch {
 public:
  Scratch() = default;
  Scratch(Scratch&& other) noexcept : data_(other.data_), floats_(other.floats_) {
    other.data_ = nullptr;
  }
  Scratch& operator=(Scratch&&) = delete;
  ~Scratch() { release(); }

  float* reserve(std::size_t floats) {
    if (floats > floats_ || data_ == nullptr) {
      if (floats > kLargestScratch) throw std::bad_alloc();
      release();
      data_ = static_cast<float*>(
          ::operator new(floats * sizeof(float) + kCacheLine, std::align_val_t(kCacheLine)));
      floats_ = floats;
    }
    return data_;
  }

 private:
  void release() {
    if (data_ != nullptr) ::operator delete(data_, std::align_val_t(kCacheLine));
    data_ = nullptr;
    floats_ = 0;
  }

  float* data_ = nullptr;
  std::size_t floats_ = 0;
};

#if HEADSCOPE_THREADS
/// How often a worker looks for the next job before it sleeps: some tens of microseconds. Jobs of
/// one forward pass follow each other faster than that, and waking a sleeper costs more.
constexpr int kSpins = 20000;

using Word = std::atomic<std::uint32_t>;

/// Sleeps while `word` holds `value`.
void sleep_while(Word& word, std::uint32_t value) {
#if defined(__EMSCRIPTEN_PTHREADS__)
  emscripten_futex_wait(&word, value, INFINITY);
#else
  word.wait(value);
#endif
}

void wake_all(Word& word, int sleepers) {
#if defined(__EMSCRIPTEN_PTHREADS__)
  emscripten_futex_wake(&word, sleepers);
#else
  static_cast<void>(sleepers);
  word.notify_all();
#endif
}
#endif

}  // namespace

#if HEADSCOPE_THREADS
// A job is open while `phase` is odd. A worker announces itself in `active` before it looks at the
// phase again, and the caller closes the job before it looks at `active`: so nobody reads the job's
// fields while the next one is written, and a worker that is late, or has not started yet, is never
// waited for. All atomics keep the default sequential order, which this handshake needs.
struct Context::State {
  // Not std::thread: its failures bring the texts of all system errors into the module.
  struct Worker {
    State* state;
    int thread;
    pthread_t id;
  };

  explicit State(int threads) : scratch(static_cast<std::size_t>(threads)) {
    workers.reserve(scratch.size() - 1);
    for (int thread = 1; thread < threads; ++thread) {
      workers.push_back(Worker{this, thread, {}});
      if (pthread_create(&workers.back().id, nullptr, begin, &workers.back()) == 0) continue;
      workers.pop_back();
      join();
      fail(ErrorCode::kInternal, {"engine: thread ", thread, " of ", threads, " cannot start"});
    }
  }

  ~State() { join(); }

  void join() {
    stop = true;
    phase += 2;
    wake_all(phase, static_cast<int>(workers.size()));
    for (const Worker& worker : workers) pthread_join(worker.id, nullptr);
  }

  static void* begin(void* worker) {
    const Worker& self = *static_cast<const Worker*>(worker);
    self.state->serve(self.thread);
    return nullptr;
  }

  void take_tasks(int thread) {
    for (;;) {
      const Index i = next.fetch_add(1, std::memory_order_relaxed);
      if (i >= tasks) return;
      task(body, i, thread);
    }
  }

  /// Returns a phase other than `seen`, once there is one.
  std::uint32_t next_phase(std::uint32_t seen) {
    for (int spin = 0; spin < kSpins; ++spin) {
      const std::uint32_t now = phase;
      if (now != seen) return now;
    }
    ++sleepers;
    sleep_while(phase, seen);
    --sleepers;
    return phase;
  }

  void serve(int thread) {
    std::uint32_t seen = 0;
    while (!stop) {
      seen = next_phase(seen);
      if (seen % 2 == 0) continue;
      ++active;
      if (phase == seen) take_tasks(thread);
      --active;
    }
  }

  void run(Index count, Task what, const void* with) {
    tasks = count;
    task = what;
    body = with;
    next.store(0, std::memory_order_relaxed);
    ++phase;
    if (sleepers > 0) wake_all(phase, static_cast<int>(workers.size()));
    take_tasks(0);
    ++phase;
    // The caller may be a browser's main thread, which must not sleep on an atomic: it spins.
    while (active > 0) {
    }
  }

  std::vector<Scratch> scratch;
  std::vector<Worker> workers;  // room for all from the beginning: they are pointed to
  Index tasks = 0;
  Task task = nullptr;
  const void* body = nullptr;
  alignas(kCacheLine) std::atomic<Index> next{0};
  alignas(kCacheLine) Word phase{0};
  std::atomic<int> sleepers{0};
  std::atomic<bool> stop{false};
  alignas(kCacheLine) std::atomic<int> active{0};
};
#else
struct Context::State {
  explicit State(int) : scratch(1) {}
  void run(Index, Task, const void*) {}
  std::vector<Scratch> scratch;
};
#endif

Context::Context(int threads) : state_(std::make_unique<State>(threads < 1 ? 1 : threads)) {}
Context::~Context() = default;

int Context::threads() const { return static_cast<int>(state_->scratch.size()); }

float* Context::scratch(int thread, std::size_t floats) {
  return state_->scratch[static_cast<std::size_t>(thread)].reserve(floats);
}

void Context::run(Index tasks, Task task, const void* body) {
  if (threads() == 1 || tasks < 2) {
    for (Index i = 0; i < tasks; ++i) task(body, i, 0);
  } else {
    state_->run(tasks, task, body);
  }
}

}  // namespace headscope
