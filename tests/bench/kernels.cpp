// Speed of the kernels: products against the limit of the multiply-add units, which a loop that
// stays in registers measures in the same process; the rest in nanoseconds per element. Everything
// is measured in turn, many times over, and the best of each counts: other programs disturb some
// rounds, never all.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/activation.h"
#include "kernels/finite.h"
#include "kernels/gemm.h"
#include "kernels/int8_gemm.h"
#include "kernels/int8_kernel.h"
#include "kernels/layer_norm.h"
#include "kernels/simd.h"
#include "kernels/softmax.h"

namespace headscope {
namespace {

constexpr int kRounds = 60;
constexpr double kRoundSeconds = 0.001;
/// Bytes of weights that products use in turn, as a forward pass does: more than a second-level
/// cache.
constexpr std::size_t kModelBytes = std::size_t{24} << 20;

struct Measurement {
  std::string name;
  double operations;  // of one call
  std::function<void()> work;
  double least_seconds = 1e9;

  void measure() {
    int calls = 0;
    const auto start = std::chrono::steady_clock::now();
    std::chrono::duration<double> passed{};
    do {
      work();
      ++calls;
      passed = std::chrono::steady_clock::now() - start;
    } while (passed.count() < kRoundSeconds);
    least_seconds = std::min(least_seconds, passed.count() / calls);
  }

  double giga_operations() const { return operations / least_seconds * 1e-9; }
};

void measure_in_turn(std::vector<Measurement>& measurements) {
  for (int round = 0; round < kRounds; ++round) {
    for (Measurement& measurement : measurements) measurement.measure();
  }
}

/// The first is the limit that the others are shares of.
void print_shares(const std::vector<Measurement>& measurements, const char* unit) {
  const double limit = measurements[0].giga_operations();
  for (const Measurement& m : measurements) {
    std::printf("%-42s %6.1f %s %4.0f%%\n", m.name.c_str(), m.giga_operations(), unit,
                100.0 * m.giga_operations() / limit);
  }
}

/// Twelve independent sums of multiply-adds.
Measurement register_limit() {
  constexpr int kSums = 12, kSteps = 10000;
  return {"register-only multiply-adds", 2.0 * kLanes * kSums * kSteps, [] {
            volatile float seed = 0.999f;
            const F32x4 a = splat(seed), b = splat(seed * 1e-3f);
            F32x4 sums[kSums];
            HEADSCOPE_UNROLL
            for (int i = 0; i < kSums; ++i) sums[i] = splat(static_cast<float>(i));
            for (int step = 0; step < kSteps; ++step) {
              HEADSCOPE_UNROLL
              for (int i = 0; i < kSums; ++i) sums[i] = madd(sums[i], a, b);
            }
            HEADSCOPE_UNROLL
            for (int i = 1; i < kSums; ++i) sums[0] += sums[i];
            seed = sums[0][0];
          }};
}

/// Twelve independent sums of products of small integers. Where `dot_add` is an instruction of the
/// processor's own it reaches twice what it does elsewhere.
Measurement int8_register_limit() {
  constexpr int kSums = 12, kSteps = 10000;
  return {"register-only dot products", 2.0 * 16 * kSums * kSteps, [] {
            volatile std::int8_t seed = 3;
            const I8x16 a = {seed}, b = {seed};
            I32x4 sums[kSums] = {};
            for (int step = 0; step < kSteps; ++step) {
              HEADSCOPE_UNROLL
              for (int i = 0; i < kSums; ++i) sums[i] = dot_add(a, b, sums[i]);
            }
            HEADSCOPE_UNROLL
            for (int i = 1; i < kSums; ++i) sums[0] += sums[i];
            seed = static_cast<std::int8_t>(sums[0][0]);
          }};
}

Matrix numbers(Index rows, Index cols) {
  Matrix m(rows, cols);
  for (Index i = 0; i < m.size(); ++i)
    m.data()[i] = static_cast<float>((i * 7919) % 1000) * 2e-3f - 1.0f;
  return m;
}

/// Equal weight matrices [depth, cols] of at least `bytes` in all.
std::vector<PackedMatrix> weights(Index depth, Index cols, std::size_t bytes) {
  const Matrix b = numbers(depth, cols);
  const std::size_t count = 1 + bytes / (packed_size(depth, cols) * sizeof(float));
  std::vector<PackedMatrix> all;
  for (std::size_t i = 0; i < count; ++i) pack(view(b), all.emplace_back(depth, cols).panels());
  return all;
}

/// A product of `rows` rows with each of the weights in turn; `weights` must outlive it.
Measurement product(const char* note, Index rows, Activation activation,
                    const std::vector<PackedMatrix>& weights) {
  const Index depth = weights[0].rows(), cols = weights[0].cols();
  char name[80];
  std::snprintf(name, sizeof name, "%4d x %4d x %4d  %s", static_cast<int>(rows),
                static_cast<int>(cols), static_cast<int>(depth), note);
  auto work = [&weights, activation, a = numbers(rows, depth), bias = numbers(1, cols),
               c = Matrix(rows, cols), turn = std::size_t{0}]() mutable {
    turn = (turn + 1) % weights.size();
    multiply(view(std::as_const(a)), weights[turn].view(),
             {1.0f, bias.data(), activation, nullptr, 0}, view(c));
  };
  return {name, 2.0 * static_cast<double>(rows * cols * depth), std::move(work)};
}

/// The products of MiniLM-L6-H384.
void print_products() {
  std::vector<Measurement> measurements = {register_limit()};
  const std::vector<PackedMatrix> project = weights(384, 1152, kModelBytes),
                                  output = weights(384, 384, kModelBytes),
                                  widen = weights(384, 1536, kModelBytes),
                                  narrow = weights(1536, 384, kModelBytes);
  for (const Index rows : {1, 16, 64, 128, 512}) {
    measurements.push_back(product("query, key, value", rows, Activation::kIdentity, project));
    measurements.push_back(product("output projection", rows, Activation::kIdentity, output));
    measurements.push_back(product("feed-forward", rows, Activation::kIdentity, widen));
    measurements.push_back(product("feed-forward, gelu", rows, Activation::kGelu, widen));
    measurements.push_back(product("feed-forward, back", rows, Activation::kIdentity, narrow));
  }
  std::vector<std::vector<PackedMatrix>> heads;
  heads.reserve(8);
  for (const Index tokens : {16, 61, 128, 512}) {
    const Index block = std::min<Index>(tokens, 48);
    heads.push_back(weights(32, tokens, 0));
    measurements.push_back(
        product("scores of one head", block, Activation::kIdentity, heads.back()));
    heads.push_back(weights(tokens, 32, 0));
    measurements.push_back(
        product("context of one head", block, Activation::kIdentity, heads.back()));
  }
  measure_in_turn(measurements);
  print_shares(measurements, "GF/s");
}

/// A product in int8, its rows quantised each time; cf. `product`.
Measurement int8_product(const char* note, Index rows, const std::vector<Int8Matrix>& weights) {
  const Index depth = weights[0].rows(), cols = weights[0].cols();
  char name[80];
  std::snprintf(name, sizeof name, "%4d x %4d x %4d  %s", static_cast<int>(rows),
                static_cast<int>(cols), static_cast<int>(depth), note);
  auto work = [&weights, a = numbers(rows, depth), c = Matrix(rows, cols),
               context = std::make_shared<Context>(1), turn = std::size_t{0}]() mutable {
    turn = (turn + 1) % weights.size();
    multiply(*context, view(std::as_const(a)), weights[turn].view(), {}, view(c));
  };
  return {name, 2.0 * static_cast<double>(rows * cols * depth), std::move(work)};
}

/// Feed-forward products of MiniLM-L6-H384 in both int8 kernels.
void print_int8_products() {
  const auto weights_of = [](Index depth, Index cols, Int8Kernel kernel) {
    const Matrix plain = numbers(depth, cols);
    Int8Matrix weight(depth, cols, kernel);
    weight.pack_columns(view(plain), 0);
    const std::size_t bytes = static_cast<std::size_t>(depth * cols);
    return std::vector<Int8Matrix>(1 + kModelBytes / 4 / bytes, weight);
  };
  std::printf("int8 here: %s\n", best_int8_kernel() == Int8Kernel::kDot ? "dot" : "wide");
  std::vector<Measurement> measurements = {int8_register_limit()};
  std::vector<std::vector<Int8Matrix>> weights;
  for (const Int8Kernel kernel : {Int8Kernel::kWide, Int8Kernel::kDot}) {
    weights.push_back(weights_of(384, 1536, kernel));
    weights.push_back(weights_of(1536, 384, kernel));
  }
  for (const Index rows : {1, 16, 128}) {
    measurements.push_back(int8_product("int8 wide", rows, weights[0]));
    measurements.push_back(int8_product("int8 dot", rows, weights[2]));
    measurements.push_back(int8_product("int8 wide, back", rows, weights[1]));
    measurements.push_back(int8_product("int8 dot, back", rows, weights[3]));
  }
  measure_in_turn(measurements);
  print_shares(measurements, "GOP/s");
}

/// What two threads gain on one product, and what handing them an empty job costs.
void print_threads() {
  Context one(1), two(2);
  if (two.threads() < 2) return;
  const std::vector<PackedMatrix> widen = weights(384, 1536, kModelBytes);
  const auto product_of = [&widen](const char* name, Context& context) -> Measurement {
    auto work = [&widen, &context, a = numbers(128, 384), c = Matrix(128, 1536),
                 turn = std::size_t{0}]() mutable {
      turn = (turn + 1) % widen.size();
      multiply(context, view(std::as_const(a)), widen[turn].view(), {}, view(c));
    };
    return {name, 2.0 * 128 * 1536 * 384, std::move(work)};
  };
  std::vector<Measurement> measurements = {product_of("one thread", one),
                                           product_of("two threads", two)};
  measurements.push_back(
      {"an empty job for two threads", 1.0, [&two] { two.parallel(2, [](Index, int) {}); }});
  measure_in_turn(measurements);
  for (std::size_t i = 0; i < 2; ++i) {
    std::printf(" 128 x 1536 x  384  %-23s %6.1f GF/s\n", measurements[i].name.c_str(),
                measurements[i].giga_operations());
  }
  std::printf("%-42s %6.2f us\n", measurements[2].name.c_str(),
              1e6 * measurements[2].least_seconds);
}

Measurement activation(const char* name, Activation kind) {
  return {name, 4096.0, [kind, x = numbers(32, 128), y = Matrix(32, 128)]() mutable {
            y = x;
            activate(kind, VectorView(y.data(), 4096));
          }};
}

Measurement softmax(const char* name, bool scaled) {
  return {
      name, 4096.0,
      [scaled, x = numbers(32, 128), y = Matrix(32, 128), sums = std::vector<float>(32)]() mutable {
        y = x;
        exp_rows(view(y), sums);
        if (scaled) scale_rows(read(view(y)), sums, view(y));
      }};
}

void print_elementwise() {
  std::vector<Measurement> measurements;
  measurements.push_back(activation("relu", Activation::kRelu));
  measurements.push_back(activation("gelu", Activation::kGelu));
  measurements.push_back(activation("gelu_tanh", Activation::kGeluTanh));
  measurements.push_back(activation("silu", Activation::kSilu));
  measurements.push_back(softmax("exp of rows of 128", false));
  measurements.push_back(softmax("softmax of rows of 128", true));
  measurements.push_back(
      {"layer norm of rows of 384", 3840.0,
       [x = numbers(10, 384), gamma = numbers(1, 384), y = Matrix(10, 384)]() mutable {
         layer_norm_rows(view(std::as_const(x)), gamma.data(), gamma.data(), 1e-5f, view(y));
       }});
  measurements.push_back(
      {"looking for what is not finite", 4096.0, [x = numbers(32, 128), found = false]() mutable {
         found |= !all_finite(VectorView(x.data(), 4096));
         x(0, 0) = found ? 0.0f : 1.0f;  // so that it is not left out
       }});
  measurements.push_back(
      {"packing the keys of one head", 4096.0,
       [x = numbers(128, 32), panels = std::vector<float>(packed_size(32, 128))]() mutable {
         pack_transposed(view(std::as_const(x)), panels.data());
       }});
  measure_in_turn(measurements);
  for (const Measurement& m : measurements) {
    std::printf("%-42s %6.2f ns an element\n", m.name.c_str(), 1.0 / m.giga_operations());
  }
}

}  // namespace
}  // namespace headscope

int main() {
  headscope::print_products();
  headscope::print_int8_products();
  headscope::print_threads();
  headscope::print_elementwise();
}
