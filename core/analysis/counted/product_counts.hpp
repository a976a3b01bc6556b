#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/matrix_access.hpp"
#include "core/base/precision.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/segment.hpp"
#include "core/workload/cuda_policy.hpp"
#include "core/workload/gpu_execution.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/segment_shape.hpp"

/// @file
/// What GPUs of any size do with the rows of a matrix: how a product is carried out depends on few
/// things of a GPU, so that there are few ways, all of which can be counted where the matrix is.

namespace sparsecast {

/// GPUs have so many multiprocessors at most.
inline constexpr int most_multiprocessors = 1024;

/// Long rows in pieces of a length.
struct PieceCounts {
  std::int64_t length = 0;
  std::int64_t pieces = 0;
  WarpLoads loads;
};

/// One way to multiply a segment (the first four, of `SpmvExecution`), and what follows from its
/// rows.
struct ProductCounts {
  int lanes = 1;
  bool streams = false;
  std::int64_t rows_per_block = 0;
  std::int64_t longest_short_row = 0;
  WarpLoads loads;  ///< of rows that are not long
  std::int64_t long_rows = 0;
  std::vector<PieceCounts> pieces;  ///< of these, in all lengths that there are; none without any
};

/// All ways in which GPUs of up to `most_multiprocessors`, and `more`, multiply a segment of a
/// matrix. `shape` is what is stored of it in the layout, `row_lengths` are those of its block
/// rows. Columns must rise within rows. A few times the cost of `product_loads`, on `threads`
/// threads (0: all). Throws `Error` for a layout whose products nobody forecasts.
template <class T>
std::vector<ProductCounts> count_products(const CsrView<T>& matrix, const Segment& segment,
                                          const SegmentShape& shape, const Layout& layout,
                                          Precision precision, const CudaPolicy& policy,
                                          std::span<const RowLengthCount> row_lengths,
                                          std::span<const GpuShape> more = {}, int threads = 0);

/// How a GPU multiplies a segment of this size: with what was counted of its rows, as if these were
/// at hand. Nothing where the way that this GPU takes is not among `counted`.
std::optional<SpmvExecution> counted_product(std::span<const ProductCounts> counted,
                                             const SegmentShape& shape, const Layout& layout,
                                             Precision precision, const GpuShape& gpu,
                                             const CudaPolicy& policy);

}  // namespace sparsecast
