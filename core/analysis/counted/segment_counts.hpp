#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/counted/product_counts.hpp"
#include "core/analysis/exchange_plan.hpp"
#include "core/analysis/matrix_access.hpp"
#include "core/base/precision.hpp"
#include "core/formats/format.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/segment.hpp"
#include "core/workload/cuda_policy.hpp"
#include "core/workload/exchange_mode.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/segment_work.hpp"

namespace sparsecast {

/// What is counted of the segment of one of several GPUs for a layout.
struct SegmentCounts {
  PatternNumbers numbers;
  MatrixAccess access;
  ExchangeVolume exchanged;
  double interior_rows = 0;
  /// Of a halo exchange, rising; absent where they were not counted.
  std::optional<std::vector<CountedNeighbour>> neighbours;
  /// By precision; empty where a GPU was at hand whose product alone was counted.
  std::map<Precision, std::vector<ProductCounts>> products;
};

/// What is stored of it.
SegmentShape stored_shape(const SegmentCounts& counts, const Layout& layout,
                          const CudaPolicy& policy);

/// What its GPU does in an iteration that exchanges so, with a product whose loads are known.
SegmentWork segment_work(const SegmentCounts& counts, const Layout& layout, Precision precision,
                         const CudaPolicy& policy, ExchangeMode mode, const SpmvExecution& product);

/// Fills in what its device exchanges in a mode.
void set_exchange(const SegmentCounts& counts, ExchangeMode mode, SegmentWork& work);

/// The segments of a square matrix on so many GPUs, without products. Columns must rise within
/// rows. O(nonzeros), on `threads` threads (0: all).
template <class T>
std::vector<SegmentCounts> count_segments(const CsrView<T>& matrix,
                                          std::span<const Segment> segments, const Layout& layout,
                                          const CudaPolicy& policy, int threads = 0);

}  // namespace sparsecast
