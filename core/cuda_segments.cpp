#include "core/cuda_segments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/bcsr.hpp"
#include "core/buffer.hpp"
#include "core/cuda_backend.hpp"
#include "core/cuda_execution.hpp"
#include "core/exchange_plan.hpp"
#include "core/matrix_access.hpp"
#include "core/partition.hpp"

namespace sparsecast {
namespace {

/// The rows of a segment, with nothing in the rows above and without those below: row numbers and
/// columns are those of the whole matrix.
template <class T>
class SegmentRows {
 public:
  SegmentRows(const CsrView<T>& matrix, const Segment& segment) {
    const auto begin = static_cast<std::size_t>(segment.begin_row);
    const auto end = static_cast<std::size_t>(segment.end_row);
    const std::int64_t first = matrix.row_offsets[begin];
    offsets_.resize(end + 1);
    std::fill(offsets_.begin(), offsets_.begin() + segment.begin_row, std::int64_t{0});
    for (std::size_t row = begin; row <= end; ++row) {
      offsets_[row] = matrix.row_offsets[row] - first;
    }
    const auto nonzeros = static_cast<std::size_t>(offsets_[end]);
    const auto from = static_cast<std::size_t>(first);
    view_ = {segment.end_row, matrix.columns, offsets_,
             matrix.column_indices.subspan(from, nonzeros),
             matrix.values.empty() ? matrix.values : matrix.values.subspan(from, nonzeros)};
  }

  const CsrView<T>& view() const { return view_; }

 private:
  Buffer<std::int64_t> offsets_;
  CsrView<T> view_;
};

/// Standard deviation of the stored blocks of so many block rows; those not listed have none.
double deviation(std::span<const RowLengthCount> lengths, double blocks, double block_rows) {
  double squares = 0;
  for (const auto& [length, rows] : lengths) {
    squares +=
        static_cast<double>(length) * static_cast<double>(length) * static_cast<double>(rows);
  }
  const double mean = blocks / std::max(1.0, block_rows);
  return std::sqrt(std::max(0.0, squares / std::max(1.0, block_rows) - mean * mean));
}

}  // namespace

template <class T>
std::vector<SegmentWork> cuda_segments(const CsrView<T>& matrix, const Layout& layout, int devices,
                                       Precision precision, const GpuShape& gpu,
                                       const CudaPolicy& policy, ExchangeMode mode, int threads) {
  const std::vector<Segment> segments = partition(matrix, layout, devices, gpu_row_alignment);
  const std::vector<SegmentHalo> halos = find_halos(matrix, segments, layout, threads);
  const std::vector<ExchangeVolume> volumes = exchange_volumes(segments, halos);
  const int n = layout.block_size;
  std::vector<SegmentWork> all;
  for (std::size_t device = 0; device < segments.size(); ++device) {
    const Segment& segment = segments[device];
    const SegmentRows<T> rows(matrix, segment);
    const MatrixAccess access = compute_access(rows.view(), threads);
    SegmentWork work;
    work.shape.unknowns = static_cast<double>(segment.rows());
    work.shape.total_unknowns = static_cast<double>(matrix.rows);
    for (const auto& [blocks, count] : access.row_lengths(n)) {
      work.shape.blocks += static_cast<double>(blocks * count);
    }
    work.shape.block_rows = static_cast<double>((segment.rows() + n - 1) / n);
    work.shape.elements = work.shape.blocks * n * n;
    const ColumnReach reach = access.column_reach(n);
    using Narrow = std::numeric_limits<std::int16_t>;
    if (may_narrow_columns(static_cast<std::int64_t>(work.shape.elements), layout, policy) &&
        reach.below >= Narrow::min() && reach.above <= Narrow::max()) {
      work.shape.index_bytes = 2;
    }
    work.pattern = access.pattern(layout, precision);
    work.pattern.row_deviation =
        deviation(access.row_lengths(n), work.shape.blocks, work.shape.block_rows);
    work.product = spmv_execution(work.shape, n, precision, gpu, policy, access.row_lengths(n));
    const ExchangedValues& exchanged = volumes[device].in(mode);
    work.received = static_cast<double>(exchanged.received);
    work.sent = static_cast<double>(exchanged.sent);
    work.interior_rows = static_cast<double>(halos[device].interior_rows);
    all.push_back(work);
  }
  return all;
}

template std::vector<SegmentWork> cuda_segments(const CsrView<float>&, const Layout&, int,
                                                Precision, const GpuShape&, const CudaPolicy&,
                                                ExchangeMode, int);
template std::vector<SegmentWork> cuda_segments(const CsrView<double>&, const Layout&, int,
                                                Precision, const GpuShape&, const CudaPolicy&,
                                                ExchangeMode, int);

}  // namespace sparsecast
