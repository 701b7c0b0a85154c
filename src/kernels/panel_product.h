#pragma once

#include "base/context.h"
#include "base/view.h"
#include "kernels/epilogue.h"

namespace headscope {

/// Columns in one panel of a packed right-hand matrix.
inline constexpr Index kPanelWidth = 8;

/// The most rows of a that one panel is multiplied with at a time.
inline constexpr Index kRowBlock = 256;

inline Index panel_count(Index cols) { return (cols + kPanelWidth - 1) / kPanelWidth; }

/// Where some rows of one panel's columns go, and what is added on the way.
struct PanelOutput {
  const float* bias;      // [8]
  const float* residual;  // [rows, 8] or null
  Index residual_stride;
  float* c;  // [rows, 8]
  Index c_stride;

  void skip_rows(Index rows) {
    c += rows * c_stride;
    if (residual) residual += rows * residual_stride;
  }
};

/// A product a b whose right-hand side [K, N] lies in panels. What is in them, and how rows are
/// multiplied with one, is the kind's own; which rows and panels go together, the threads, the
/// edges and the activation are the same for all.
class PanelProduct {
 public:
  struct Sizes {
    Index panel_bytes;
    Index row_bytes;  // of a
    Index depth;      // K
    Index cols;       // N
  };

  PanelProduct(const void* panels, const Sizes& sizes)
      : panels_(static_cast<const char*>(panels)), sizes_(sizes) {}

  /// Multiplies rows row .. row + rows (at most kRowBlock) with the panel, scales, adds the
  /// output's bias and residual, and writes.
  virtual void multiply_rows(Index row, Index rows, Index panel, PanelOutput output) const = 0;

  const void* panel(Index index) const { return panels_ + index * sizes_.panel_bytes; }
  Index panel_bytes() const { return sizes_.panel_bytes; }
  Index row_bytes() const { return sizes_.row_bytes; }
  Index depth() const { return sizes_.depth; }
  Index cols() const { return sizes_.cols; }

 protected:
  ~PanelProduct() = default;

 private:
  const char* panels_;
  Sizes sizes_;
};

/// c = activation(product + bias) + residual, on one thread. The scale is the product's part.
void multiply_panels(const PanelProduct& product, const Epilogue& epilogue, MatrixView c);

/// The same, spread over the threads of the context: equal to the bit for any number of them.
void multiply_panels(Context& context, const PanelProduct& product, const Epilogue& epilogue,
                     MatrixView c);

}  // namespace headscope
