#include "base/context.h"

#include <atomic>
#include <catch_amalgamated.hpp>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

namespace headscope {
namespace {

/// How often each task of one job ran.
std::vector<int> runs_of(Context& context, Index tasks) {
  std::vector<std::atomic<int>> counts(static_cast<std::size_t>(tasks));
  std::atomic<bool> threads_in_range = true;
  context.parallel(tasks, [&](Index task, int thread) {
    ++counts[static_cast<std::size_t>(task)];
    if (thread < 0 || thread >= context.threads()) threads_in_range = false;
  });
  CHECK(threads_in_range);
  return {counts.begin(), counts.end()};
}

}  // namespace

TEST_CASE("every task runs exactly once, for any number of threads and tasks") {
  for (const int threads : {1, 2, 3, 4}) {
    Context context(threads);
    for (const Index tasks : {0, 1, 2, 3, 5, 64, 1000}) {
      CAPTURE(threads, tasks);
      REQUIRE(runs_of(context, tasks) == std::vector<int>(static_cast<std::size_t>(tasks), 1));
    }
  }
}

TEST_CASE("jobs that follow each other closely never mix") {
  Context context(3);
  for (Index job = 0; job < 5000; ++job) {
    // Every job has a size of its own: a worker that took a task of the wrong job would break the
    // sum.
    const Index tasks = 2 + job % 7;
    std::atomic<Index> total = 0;
    context.parallel(tasks, [&](Index task, int) { total += task + job; });
    REQUIRE(total == tasks * (tasks - 1) / 2 + tasks * job);
  }
}

TEST_CASE("workers that have gone to sleep wake up for the next job") {
  Context context(2);
  for (int job = 0; job < 3; ++job) {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    REQUIRE(runs_of(context, 50) == std::vector<int>(50, 1));
  }
}

TEST_CASE("a context without work, or fewer than one thread, can be made and dropped") {
  for (const int threads : {-1, 0, 1, 4}) {
    const Context context(threads);
    CHECK(context.threads() >= 1);
  }
}

TEST_CASE("scratch is aligned, large enough and each thread's own") {
  Context context(2);
  for (int thread = 0; thread < context.threads(); ++thread) {
    for (const std::size_t floats : {0u, 1u, 1000u, 10u, 5000u}) {
      float* scratch = context.scratch(thread, floats);
      REQUIRE(scratch != nullptr);
      CHECK(reinterpret_cast<std::uintptr_t>(scratch) % 64 == 0);
      for (std::size_t i = 0; i < floats; ++i) scratch[i] = 1.0f;
    }
  }
  if (context.threads() == 2) CHECK(context.scratch(0, 100) != context.scratch(1, 100));
}

}  // namespace headscope
