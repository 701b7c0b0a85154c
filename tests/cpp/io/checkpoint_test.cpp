#include "io/checkpoint.h"

#include <catch_amalgamated.hpp>
#include <cmath>
#include <cstring>

#include "base/error.h"

namespace headscope {
namespace {

std::vector<ParameterShape> table() {
  return {{"embeddings.token", 3, 2, Initial::kUnitRows, false},
          {"layers.0.attention.wq", 2, 4, Initial::kXavier, false},
          {"final_norm.gamma", 1, 2, Initial::kOne, true}};
}

template <class T>
std::vector<std::uint8_t> bytes_of(const std::vector<T>& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class T>
void place(CheckpointLoader& loader, const std::string& name, const std::string& dtype,
           std::vector<Index> shape, const std::vector<T>& values) {
  const auto bytes = bytes_of(values);
  loader.place({name, dtype, std::move(shape), 0, bytes.size()}, SpanBytes(bytes));
}

/// Code and message of what `action` throws.
template <class Action>
std::string thrown(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return std::string(code_name(error.code())) + ": " + error.what();
  }
  return "nothing";
}

using Floats = std::vector<float>;
using Halves = std::vector<std::uint16_t>;
using Bytes = std::vector<std::int8_t>;

}  // namespace

TEST_CASE("every float type is read exactly") {
  Parameters parameters(table());
  CheckpointLoader loader(parameters);
  place(loader, "embeddings.token", "F32", {3, 2}, Floats{1, -2, 3, 0.5f, 1e-40f, -1e30f});
  // 1, -2, 65504 (largest), 2^-24 (smallest), -0, 2^-14 (smallest normal), 0.333251953125, -65504
  place(loader, "layers.0.attention.wq", "F16", {2, 4},
        Halves{0x3c00, 0xc000, 0x7bff, 0x0001, 0x8000, 0x0400, 0x3555, 0xfbff});
  place(loader, "final_norm.gamma", "BF16", {2}, Halves{0x3f80, 0xc049});
  loader.finish();
  const Matrix halves = parameters.read("layers.0.attention.wq");
  const Floats expected = {1, -2, 65504, 0x1p-24f, -0.0f, 0x1p-14f, 0.333251953125f, -65504};
  CHECK(std::memcmp(halves.data(), expected.data(), expected.size() * sizeof(float)) == 0);
  CHECK(parameters.read("final_norm.gamma")(0, 1) == -3.140625f);
  CHECK(parameters.read("embeddings.token")(2, 0) == 1e-40f);
}

TEST_CASE("int8 takes a scale per column of a matrix and per row of embeddings, in any order") {
  Parameters parameters(table());
  CheckpointLoader loader(parameters);
  place(loader, "embeddings.token.scale", "F32", {3}, Floats{1, 10, 0.5f});
  place(loader, "embeddings.token", "I8", {3, 2}, Bytes{1, -2, 3, 4, 100, -128});
  place(loader, "layers.0.attention.wq", "I8", {2, 4}, Bytes{1, 2, 3, 4, 5, 6, 7, 8});
  place(loader, "layers.0.attention.wq.scale", "F32", {4}, Floats{1, 2, 3, 4});
  place(loader, "final_norm.gamma", "F64", {2}, std::vector<double>{0.1, 2});
  loader.finish();
  Matrix rows(3, 2), cols(2, 4);
  rows << 1, -2, 30, 40, 50, -64;
  cols << 1, 4, 9, 16, 5, 12, 21, 32;
  CHECK(parameters.read("embeddings.token") == rows);
  CHECK(parameters.read("layers.0.attention.wq") == cols);
}

TEST_CASE("a tensor may come in parts, in their order, beside parts of others") {
  Parameters parameters(table());
  CheckpointLoader loader(parameters);
  const auto token = bytes_of(Floats{1, -2, 3, 0.5f, 7, 9});
  const auto wq = bytes_of(Bytes{1, 2, 3, 4, 5, 6, 7, 8});
  const auto scale = bytes_of(Floats{1, 2, 3, 4});
  const TensorEntry token_entry{"embeddings.token", "F32", {3, 2}, 100, 100 + token.size()};
  const TensorEntry wq_entry{"layers.0.attention.wq", "I8", {2, 4}, 0, wq.size()};
  const TensorEntry scale_entry{"layers.0.attention.wq.scale", "F32", {4}, 0, scale.size()};
  const auto place_part = [&](const TensorEntry& entry, std::span<const std::uint8_t> bytes,
                              std::size_t first, std::size_t count) {
    loader.place(entry, SpanBytes(bytes.subspan(first, count)), first);
  };
  place_part(token_entry, token, 0, 4);
  place_part(wq_entry, wq, 0, 3);
  place_part(scale_entry, scale, 0, 12);
  CHECK(thrown([&] { loader.finish(); }) ==
        "bad-checkpoint: checkpoint: \"embeddings.token\" is missing, expected shape [3,2]");
  CHECK(
      thrown([&] { place_part(token_entry, token, 8, 8); }) ==
      "bad-checkpoint: checkpoint: \"embeddings.token\" has 8 bytes of F32 at 8, expected at most "
      "20 of F32 at 4");
  CHECK(
      thrown([&] { place_part(token_entry, token, 0, 4); }) ==
      "bad-checkpoint: checkpoint: \"embeddings.token\" has 4 bytes of F32 at 0, expected at most "
      "20 of F32 at 4");
  CHECK(
      thrown([&] { place_part(token_entry, token, 4, 3); }) ==
      "bad-checkpoint: checkpoint: \"embeddings.token\" has 3 bytes of F32 at 4, expected at most "
      "20 of F32 at 4");
  place_part(token_entry, token, 4, 20);
  CHECK(thrown([&] { place_part(token_entry, token, 0, 24); }) ==
        "bad-checkpoint: checkpoint: \"embeddings.token\" comes twice");
  place_part(wq_entry, wq, 3, 5);
  CHECK(thrown([&] { loader.finish(); }) ==
        "bad-checkpoint: checkpoint: \"layers.0.attention.wq.scale\" is missing, and "
        "layers.0.attention.wq is I8");
  place_part(scale_entry, scale, 12, 4);
  place(loader, "final_norm.gamma", "F32", {2}, Floats{1, 2});
  loader.finish();
  Matrix rows(3, 2), cols(2, 4);
  rows << 1, -2, 3, 0.5f, 7, 9;
  cols << 1, 4, 9, 16, 5, 12, 21, 32;
  CHECK(parameters.read("embeddings.token") == rows);
  CHECK(parameters.read("layers.0.attention.wq") == cols);
}

TEST_CASE("a number that is not finite is refused with its index in the tensor, in any part") {
  Parameters parameters(table());
  CheckpointLoader loader(parameters);
  const auto token = bytes_of(Floats{1, 2, 3, NAN, 5, 6});
  const TensorEntry entry{"embeddings.token", "F32", {3, 2}, 0, token.size()};
  loader.place(entry, SpanBytes(std::span(token).first(8)));
  CHECK(thrown([&] { loader.place(entry, SpanBytes(std::span(token).subspan(8)), 8); }) ==
        "bad-checkpoint: checkpoint: \"embeddings.token\" has NaN at index 3, expected finite "
        "numbers");
}

TEST_CASE("values that stay where they are are held to the same, and their rows can be read") {
  class Rows final : public TableRows {
   public:
    explicit Rows(Floats values) : values_(std::move(values)) {}
    void read(std::size_t first, std::span<float> out) const override {
      std::copy_n(values_.begin() + static_cast<Index>(first), out.size(), out.begin());
    }

   private:
    Floats values_;
  };
  Parameters parameters(table());
  CheckpointLoader loader(parameters);
  const Floats values = {1, -2, 3, 0.5f, 7, 9};
  const auto bytes = bytes_of(values);
  const TensorEntry entry{"embeddings.token", "F32", {3, 2}, 0, bytes.size()};
  const auto inspect = [&](const TensorEntry& line, std::size_t first, std::size_t count) {
    const auto part = std::span(bytes).subspan(first, count);
    return loader.inspect(line, SpanBytes(part), first);
  };
  const TensorEntry wide{"embeddings.token", "F32", {2, 3}, 0, bytes.size()};
  CHECK(thrown([&] { inspect(wide, 0, 24); }) ==
        "bad-checkpoint: checkpoint: \"embeddings.token\" has shape [2,3], expected [3,2]");
  CHECK_FALSE(inspect(entry, 0, 12));
  CHECK(
      thrown([&] { inspect(entry, 0, 12); }) ==
      "bad-checkpoint: checkpoint: \"embeddings.token\" has 12 bytes of F32 at 0, expected at most "
      "12 of F32 at 12");
  CHECK(inspect(entry, 12, 12));
  CHECK(thrown([&] { inspect(entry, 0, 24); }) ==
        "bad-checkpoint: checkpoint: \"embeddings.token\" comes twice");
  parameters.set_rows(std::make_unique<Rows>(values));
  Matrix expected(3, 2);
  expected << 1, -2, 3, 0.5f, 7, 9;
  CHECK(parameters.read("embeddings.token") == expected);
  Matrix tokens(2, 2), expected_tokens(2, 2);
  parameters.read_tokens(std::vector<std::int32_t>{2, 1}, view(tokens));
  expected_tokens << 7, 9, 3, 0.5f;
  CHECK(tokens == expected_tokens);
  CHECK(thrown([&] { parameters.room("embeddings.token"); }) ==
        "internal: parameter: it lives elsewhere, and cannot be written any more");
  place(loader, "layers.0.attention.wq", "F32", {2, 4}, Floats(8));
  place(loader, "final_norm.gamma", "F32", {2}, Floats(2));
  loader.finish();
}

TEST_CASE("what stays where it is has finite numbers in every part, and no scale") {
  Parameters parameters(table());
  CheckpointLoader loader(parameters);
  const auto bytes = bytes_of(Floats{1, 2, 3, 4, INFINITY, 6});
  const TensorEntry entry{"embeddings.token", "F32", {3, 2}, 0, bytes.size()};
  const std::string refusal =
      "bad-checkpoint: checkpoint: \"embeddings.token\" has Infinity at index 4, expected finite "
      "numbers";
  CHECK(thrown([&] { loader.inspect(entry, SpanBytes(bytes), 0); }) == refusal);
  CHECK_FALSE(loader.inspect(entry, SpanBytes(std::span(bytes).first(8)), 0));
  CHECK(thrown([&] { loader.inspect(entry, SpanBytes(std::span(bytes).subspan(8)), 8); }) ==
        refusal);
  const auto finite = bytes_of(Floats(4));
  CHECK(loader.inspect(entry, SpanBytes(finite), 8));
  place(loader, "layers.0.attention.wq", "F32", {2, 4}, Floats(8));
  place(loader, "final_norm.gamma", "F32", {2}, Floats(2));
  const auto scale = bytes_of(Floats(3));
  loader.place({"embeddings.token.scale", "F32", {3}, 0, 12}, SpanBytes(std::span(scale).first(4)));
  CHECK(thrown([&] { loader.finish(); }) ==
        "bad-checkpoint: checkpoint: \"embeddings.token.scale\" is there, but embeddings.token is "
        "not I8");
}

TEST_CASE("no table but that of tokens stays where it is") {
  Parameters parameters(table());
  CheckpointLoader loader(parameters);
  const auto bytes = bytes_of(Floats(8));
  const TensorEntry weight{"layers.0.attention.wq", "F32", {2, 4}, 0, bytes.size()};
  const TensorEntry half{"embeddings.token", "F16", {3, 2}, 0, 12};
  const std::string refusal = "internal: checkpoint: only a token table in F32 stays where it is";
  CHECK(thrown([&] { loader.inspect(weight, SpanBytes(bytes), 0); }) == refusal);
  CHECK(thrown([&] { loader.inspect(half, SpanBytes(std::span(bytes).first(12)), 0); }) == refusal);
}

TEST_CASE("a file that disagrees with the model is refused by the tensor's name") {
  Parameters parameters(table());
  CheckpointLoader loader(parameters);
  CHECK(thrown([&] { place(loader, "layers.0.attention.wq", "F32", {4, 2}, Floats(8)); }) ==
        "bad-checkpoint: checkpoint: \"layers.0.attention.wq\" has shape [4,2], expected [2,4]");
  CHECK(thrown([&] { place(loader, "layers.0.attention.wq", "F32", {2, 4}, Floats(7)); }) ==
        "bad-checkpoint: checkpoint: \"layers.0.attention.wq\" has 28 bytes, expected 32");
  CHECK(thrown([&] { place(loader, "layers.9.attention.wq", "F32", {2, 4}, Floats(8)); }) ==
        "bad-checkpoint: checkpoint: \"layers.9.attention.wq\" is not a parameter of this model");
  CHECK(thrown(
            [&] { place(loader, "final_norm.gamma", "I64", {2}, std::vector<std::int64_t>(2)); }) ==
        "bad-checkpoint: checkpoint: \"final_norm.gamma\" has dtype I64, expected F64, F32, F16, "
        "BF16 or I8");
  CHECK(thrown([&] { place(loader, "layers.0.attention.wq.scale", "F32", {2}, Floats(2)); }) ==
        "bad-checkpoint: checkpoint: \"layers.0.attention.wq.scale\" has shape [2], expected [4]");
  place(loader, "layers.0.attention.wq", "I8", {2, 4}, Bytes(8));
  CHECK(thrown([&] { place(loader, "layers.0.attention.wq", "I8", {2, 4}, Bytes(8)); }) ==
        "bad-checkpoint: checkpoint: \"layers.0.attention.wq\" comes twice");
  CHECK(thrown([&] { loader.finish(); }) ==
        "bad-checkpoint: checkpoint: \"embeddings.token\" is missing, expected shape [3,2]");
  place(loader, "embeddings.token", "F32", {3, 2}, Floats(6));
  CHECK(thrown([&] { loader.finish(); }) ==
        "bad-checkpoint: checkpoint: \"layers.0.attention.wq.scale\" is missing, and "
        "layers.0.attention.wq is I8");
}

TEST_CASE("a number that is not finite is refused with its place, before and after its scale") {
  Parameters parameters(table());
  CheckpointLoader loader(parameters);
  CHECK(thrown([&] { place(loader, "final_norm.gamma", "F32", {2}, Floats{1, NAN}); }) ==
        "bad-checkpoint: checkpoint: \"final_norm.gamma\" has NaN at index 1, expected finite "
        "numbers");
  CHECK(
      thrown([&] { place(loader, "final_norm.gamma", "F16", {2}, Halves{0xfc00, 0}); }) ==
      "bad-checkpoint: checkpoint: \"final_norm.gamma\" has -Infinity at index 0, expected finite "
      "numbers");
  CHECK(thrown(
            [&] { place(loader, "final_norm.gamma", "F64", {2}, std::vector<double>{0, 1e39}); }) ==
        "bad-checkpoint: checkpoint: \"final_norm.gamma\" has Infinity at index 1, expected finite "
        "numbers");
  place(loader, "final_norm.gamma", "BF16", {2}, Halves{0x7f7f, 0});
  place(loader, "embeddings.token", "I8", {3, 2}, Bytes{1, 2, 3, 4, 5, 6});
  place(loader, "layers.0.attention.wq", "F32", {2, 4}, Floats(8));
  CHECK(thrown(
            [&] { place(loader, "embeddings.token.scale", "F32", {3}, Floats{1, INFINITY, 1}); }) ==
        "bad-checkpoint: checkpoint: \"embeddings.token.scale\" has Infinity at index 1, expected "
        "finite numbers");
  CHECK(thrown([&] { place(loader, "embeddings.token.scale", "F32", {3}, Floats{1, 1, 1e38f}); }) ==
        "bad-checkpoint: checkpoint: \"embeddings.token\" has Infinity at index 4, expected finite "
        "numbers");
}

}  // namespace headscope
