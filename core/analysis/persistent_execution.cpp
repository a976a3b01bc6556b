#include "core/analysis/persistent_execution.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <set>

#include "core/analysis/cuda_execution.hpp"
#include "core/analysis/features.hpp"
#include "core/analysis/warp_loads.hpp"
#include "core/formats/bcsr/bcsr_pattern.hpp"
#include "core/formats/registry.hpp"

namespace sparsecast {
namespace {

constexpr double warp = 32;

PersistentExecution of_shape(const PersistentShape& shape, int block_size) {
  PersistentExecution execution;
  execution.blocks = shape.blocks;
  execution.threads = shape.threads;
  execution.lanes = shape.lanes;
  execution.block_size = block_size;
  execution.clustered = shape.clustered;
  return execution;
}

/// The values of its own that a segment has in its window at least.
double own_bytes(const SegmentShape& segment, const PersistentShape& shape, int value_bytes) {
  return segment.unknowns / shape.blocks * value_bytes;
}

SegmentShape size_in_blocks(std::int64_t rows, std::int64_t columns, std::int64_t blocks,
                            std::int64_t block_rows, int block_size) {
  SegmentShape segment;
  segment.unknowns = static_cast<double>(rows);
  segment.total_unknowns = static_cast<double>(columns);
  segment.blocks = static_cast<double>(blocks);
  segment.elements = segment.blocks * block_size * block_size;
  segment.block_rows = static_cast<double>(block_rows);
  return segment;
}

}  // namespace

PersistentExecution persistent_execution(const PersistentCut& cut, const SegmentShape& segment,
                                         int value_bytes, const GpuShape& gpu,
                                         const CudaPolicy& policy) {
  PersistentExecution execution = of_shape(cut.shape, cut.block_size);
  execution.fits = cut.fits;
  execution.window_bytes = static_cast<double>(cut.window_bytes);
  if (!cut.fits) return execution;
  execution.balanced = cut.balanced;
  execution.chosen =
      cut.balanced && persistent_may_be_faster(segment, value_bytes, gpu.multiprocessors, policy) &&
      persistent_is_faster(segment, value_bytes, cut.shape.lanes,
                           static_cast<double>(cut.moved_bytes), gpu.l2_bytes, policy);
  execution.steps = static_cast<double>(cut.steps);
  execution.most_steps = static_cast<double>(cut.most_steps);
  double resident = 0;
  for (const PersistentSegment& of : cut.segments) {
    resident += of.resident_steps;
    const double halo = static_cast<double>(of.halo) * cut.block_size;
    execution.halo += halo;
    execution.largest_halo = std::max(execution.largest_halo, halo);
  }
  execution.resident_share = cut.steps > 0 ? resident / execution.steps : 1;
  execution.moved_bytes = static_cast<double>(cut.moved_bytes);
  execution.most_halo_lines = static_cast<double>(cut.most_halo_lines);
  execution.most_moved_bytes = static_cast<double>(cut.most_moved_bytes);
  return execution;
}

bool is_persistent_layout(const Layout& layout) {
  return format_of(layout).has_persistent_kernel &&
         block_layout(persistent_block_size(layout.block_size)) == layout;
}

std::vector<int> persistent_block_sizes() {
  std::set<int> sizes;
  for (const Layout& layout : usual_layouts()) {
    if (!format_of(layout).has_persistent_kernel) continue;
    sizes.insert(persistent_block_size(layout.block_size));
  }
  return {sizes.begin(), sizes.end()};
}

SegmentShape persistent_segment(const MatrixFeatures& features, int block_size) {
  const BlockFeatures& of = features.block(block_size);
  return size_in_blocks(features.rows, features.columns, of.blocks, of.block_rows, block_size);
}

std::optional<PersistentExecution> persistent_by_size(const SegmentShape& segment, int block_size,
                                                      Precision precision, const GpuShape& gpu,
                                                      const CudaPolicy& policy,
                                                      const PersistentNeeds& needs) {
  const PersistentShape shape = persistent_shape(segment, gpu, policy, needs);
  const double bytes =
      needs.windows * own_bytes(segment, shape, static_cast<int>(bytes_per_value(precision)));
  if (bytes <= static_cast<double>(shape.shared_bytes)) return std::nullopt;
  PersistentExecution execution = of_shape(shape, block_size);
  execution.window_bytes = bytes;
  return execution;
}

PersistentExecution persistent_execution(const PatternView& matrix, const Layout& layout,
                                         Precision precision, const GpuShape& gpu,
                                         const CudaPolicy& policy, const PersistentNeeds& needs,
                                         int threads) {
  const int n = persistent_block_size(layout.block_size);
  const auto value_bytes = static_cast<int>(bytes_per_value(precision));
  // Of a matrix with too many rows for any cut the number of its blocks is enough.
  const PersistentShape any = persistent_shape({}, gpu, policy, needs);
  const double least_rows = static_cast<double>(matrix.rows) / gpu.multiprocessors;
  std::optional<BlockPattern> pattern;
  if (n == 1 || needs.windows * least_rows * value_bytes <= static_cast<double>(any.shared_bytes)) {
    pattern.emplace(matrix, n, threads);
  }
  const std::int64_t blocks = pattern ? pattern->view().blocks()
                                      : count_blocks(matrix, {0, matrix.rows}, n, threads).back();
  const SegmentShape segment =
      size_in_blocks(matrix.rows, matrix.columns, blocks, (matrix.rows + n - 1) / n, n);
  if (const auto known = persistent_by_size(segment, n, precision, gpu, policy, needs)) {
    return *known;
  }
  const PersistentShape shape = persistent_shape(segment, gpu, policy, needs);
  return persistent_execution(cut_persistent(pattern->view(), shape, value_bytes, needs, threads),
                              segment, value_bytes, gpu, policy);
}

PersistentExecution estimate_persistent_execution(const SegmentShape& segment,
                                                  const AccessPattern& pattern,
                                                  const std::function<double(double)>& gathered,
                                                  int block_size, Precision precision,
                                                  const GpuShape& gpu, const CudaPolicy& policy,
                                                  const PersistentNeeds& needs) {
  if (const auto known = persistent_by_size(segment, block_size, precision, gpu, policy, needs)) {
    return *known;
  }
  const auto value_bytes = static_cast<int>(bytes_per_value(precision));
  const PersistentShape shape = persistent_shape(segment, gpu, policy, needs);
  PersistentNumbers numbers;
  if (shape.blocks > 1) {
    const double values = gathered(segment.unknowns / shape.blocks);
    numbers.halo = std::max(0.0, values - segment.unknowns) / block_size;
  }
  // A long row is taken by whole warps, and holds up no others.
  const double mean = segment.blocks / std::max(1.0, segment.block_rows);
  const double held_up = (pattern.longest_row - mean) / shape.lanes - pattern.longest_row / warp;
  numbers.steps = pattern.warp_steps[static_cast<std::size_t>(
                      std::countr_zero(static_cast<unsigned>(shape.lanes)))] -
                  std::max(0.0, held_up);
  numbers.longest_row = pattern.longest_row;
  const PersistentCut cut =
      estimate_persistent_cut(segment, block_size, shape, value_bytes, numbers, needs);
  return persistent_execution(cut, segment, value_bytes, gpu, policy);
}

template <class T>
GpuExecution gpu_execution(const CsrView<T>& matrix, const MatrixAccess& access,
                           const SegmentShape& shape, const Layout& layout, Precision precision,
                           const GpuShape& gpu, const CudaPolicy& policy,
                           const std::optional<PersistentNeeds>& persistent, int threads) {
  GpuExecution execution;
  execution.product =
      spmv_execution(shape, layout, precision, gpu, policy, access.row_lengths(layout.block_size));
  execution.product.loads =
      product_loads(matrix, {0, matrix.rows}, shape, layout, precision, execution.product, threads);
  if (persistent) {
    execution.persistent = persistent_execution(matrix.pattern(), layout, precision, gpu, policy,
                                                *persistent, threads);
  }
  return execution;
}
template GpuExecution gpu_execution(const CsrView<float>&, const MatrixAccess&, const SegmentShape&,
                                    const Layout&, Precision, const GpuShape&, const CudaPolicy&,
                                    const std::optional<PersistentNeeds>&, int);
template GpuExecution gpu_execution(const CsrView<double>&, const MatrixAccess&,
                                    const SegmentShape&, const Layout&, Precision, const GpuShape&,
                                    const CudaPolicy&, const std::optional<PersistentNeeds>&, int);

}  // namespace sparsecast
