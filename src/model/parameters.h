#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/view.h"
#include "model/config.h"
#include "model/weight.h"

namespace headscope {

/// How a parameter begins when an encoder is not loaded but initialised.
enum class Initial { kZero, kOne, kXavier, kUnitRows };

/// One line of the parameter table. A vector is one row; `is_vector` tells how a file spells its
/// shape.
struct ParameterShape {
  std::string name;
  Index rows;
  Index cols;
  Initial initial;
  bool is_vector;
};

/// "[64,32]", or "[64]" for a vector.
std::string shape_text(const ParameterShape& shape);

/// The parameters of one layer, named "layers.{layer}....". Matrices are [in, out].
std::vector<ParameterShape> layer_shapes(const Config& config, Index layer);

/// All parameters of an encoder: embeddings, layers, final norm, pooler. The one table that
/// loading, initialisation and packing iterate.
std::vector<ParameterShape> parameter_shapes(const Config& config);

/// The one table that may be kept outside of this memory: of most models it is the largest tensor,
/// and a run takes a row for each of its tokens alone.
inline constexpr const char* kTokenTable = "embeddings.token";

/// The values of a table that is kept outside of this memory, row by row.
class TableRows {
 public:
  virtual ~TableRows() = default;
  /// Copies out.size() values from number `first` on.
  virtual void read(std::size_t first, std::span<float> out) const = 0;
};

/// Values of the parameters by name. A matrix may have a home in a weight, where it is packed as
/// soon as it is settled, and from which it is still read. The rows of the token table may be kept
/// elsewhere.
class Parameters {
 public:
  explicit Parameters(std::vector<ParameterShape> shapes);

  const std::vector<ParameterShape>& shapes() const { return shapes_; }
  /// Throws not-found for a name that is not in the table.
  const ParameterShape& shape(const std::string& name) const;
  bool has(const std::string& name) const { return index_.contains(name); }

  /// The values, allocated (zero) on first use, to be written or read. Throws internal for what has
  /// been settled in a weight or is kept elsewhere.
  Matrix& values(const std::string& name);
  /// The same, but undefined at first, for who writes all of them.
  Matrix& room(const std::string& name);
  /// The first row's values; null where the table has no such name (an optional bias, say).
  const float* vector_or_null(const std::string& name) const;
  /// Copies rows of the token table [V, D_in], wherever it is kept: ids[i] to row i of out [T,
  /// D_in].
  void read_tokens(std::span<const std::int32_t> ids, MatrixView out) const;
  /// What is not settled in a weight or kept elsewhere.
  ConstMatrixView matrix(const std::string& name) const;

  /// Fills and settles every parameter from seeded uniform numbers (Glorot & Bengio 2010 for
  /// matrices).
  void initialise(std::uint32_t seed);

  /// Says where the matrix lives once it is settled: in `weight`, from first_column on. The weight
  /// must outlive this object and stay where it is.
  void set_home(const std::string& name, Weight& weight, Index first_column);
  /// Settles the token table: its rows are kept elsewhere.
  void set_rows(std::unique_ptr<TableRows> rows);
  /// The values are complete: those with a home are packed there, and their plain form is freed.
  /// Settling twice changes nothing.
  void settle(const std::string& name);
  void settle_all();
  /// A copy of the values, wherever they live: of an int8 weight those that are computed with.
  /// Throws not-found.
  Matrix read(const std::string& name) const;

 private:
  struct Home {
    Matrix values;
    std::unique_ptr<TableRows> rows;
    Weight* weight = nullptr;
    Index first_column = 0;
    bool settled = false;
  };
  void settle(Home& home);
  void fill(std::size_t index, std::uint32_t seed);
  std::size_t index_of(const std::string& name) const;

  std::vector<ParameterShape> shapes_;
  std::vector<Home> homes_;
  std::map<std::string, std::size_t> index_;
};

}  // namespace headscope
