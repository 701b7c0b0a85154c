#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

namespace headscope {

using Index = Eigen::Index;

/// Row-major float matrix; rows are tokens wherever tokens occur.
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Views of row-major memory whose rows lie `outerStride()` floats apart. Assigning to a view
/// copies elements; a view itself cannot be re-seated.
using MatrixView = Eigen::Map<Matrix, Eigen::Unaligned, Eigen::OuterStride<>>;
using ConstMatrixView = Eigen::Map<const Matrix, Eigen::Unaligned, Eigen::OuterStride<>>;

using VectorView = std::span<float>;
using ConstVectorView = std::span<const float>;

inline MatrixView view(float* data, Index rows, Index cols, Index stride) {
  return MatrixView(data, rows, cols, Eigen::OuterStride<>(stride));
}
inline ConstMatrixView view(const float* data, Index rows, Index cols, Index stride) {
  return ConstMatrixView(data, rows, cols, Eigen::OuterStride<>(stride));
}
inline MatrixView view(float* data, Index rows, Index cols) { return view(data, rows, cols, cols); }
inline ConstMatrixView view(const float* data, Index rows, Index cols) {
  return view(data, rows, cols, cols);
}
inline MatrixView view(Matrix& m) { return view(m.data(), m.rows(), m.cols()); }
inline ConstMatrixView view(const Matrix& m) { return view(m.data(), m.rows(), m.cols()); }
inline ConstMatrixView read(MatrixView m) {
  return view(static_cast<const float*>(m.data()), m.rows(), m.cols(), m.outerStride());
}

/// `data + count`, also for the null of an empty matrix.
template <class T>
T* advance(T* data, Index count) {
  return data ? data + count : nullptr;
}

/// The [count, N] part of `m` that begins at row `first`.
inline MatrixView rows_of(MatrixView m, Index first, Index count) {
  return view(advance(m.data(), first * m.outerStride()), count, m.cols(), m.outerStride());
}
inline ConstMatrixView rows_of(ConstMatrixView m, Index first, Index count) {
  return view(advance(m.data(), first * m.outerStride()), count, m.cols(), m.outerStride());
}
/// The [M, count] part of `m` that begins at column `first`.
inline MatrixView cols_of(MatrixView m, Index first, Index count) {
  return view(advance(m.data(), first), m.rows(), count, m.outerStride());
}
inline ConstMatrixView cols_of(ConstMatrixView m, Index first, Index count) {
  return view(advance(m.data(), first), m.rows(), count, m.outerStride());
}

}  // namespace headscope
