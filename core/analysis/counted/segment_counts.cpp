#include "core/analysis/counted/segment_counts.hpp"

#include <cstddef>
#include <utility>

#include "core/analysis/cuda_execution.hpp"
#include "core/analysis/segment_numbers.hpp"
#include "core/analysis/stored_pattern.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/formats/registry.hpp"

namespace sparsecast {

SegmentShape stored_shape(const SegmentCounts& counts, const Layout& layout,
                          const CudaPolicy& policy) {
  SegmentShape shape = format_of(layout).shape(counts.numbers, layout);
  if (keeps_narrow_columns(counts.access, layout, policy)) shape.index_bytes = 2;
  return shape;
}

SegmentWork segment_work(const SegmentCounts& counts, const Layout& layout, Precision precision,
                         const CudaPolicy& policy, ExchangeMode mode,
                         const SpmvExecution& product) {
  SegmentWork work;
  work.shape = stored_shape(counts, layout, policy);
  work.pattern = stored_pattern(counts.access, work.shape, layout, precision);
  work.product = product;
  work.geometry = product_geometry(work.shape, layout, precision, product);
  work.parts = product_parts(work.shape, work.pattern, layout, precision, product);
  set_exchange(counts, mode, work);
  return work;
}

void set_exchange(const SegmentCounts& counts, ExchangeMode mode, SegmentWork& work) {
  const ExchangedValues& exchanged = counts.exchanged.in(mode);
  work.received = static_cast<double>(exchanged.received);
  work.sent = static_cast<double>(exchanged.sent);
  work.interior_rows = counts.interior_rows;
  if (exchanges_halos(mode) && counts.neighbours) {
    for (const CountedNeighbour& one : *counts.neighbours) {
      work.neighbours.push_back(
          {one.device, static_cast<double>(one.halo.received), static_cast<double>(one.halo.sent)});
    }
  }
}

template <class T>
std::vector<SegmentCounts> count_segments(const CsrView<T>& matrix,
                                          std::span<const Segment> segments, const Layout& layout,
                                          const CudaPolicy& policy, int threads) {
  std::vector<HaloCounts> halos = count_halos(matrix, segments, layout, threads);
  const std::vector<ExchangeVolume> volumes = exchange_volumes(segments, halos);
  std::vector<MatrixAccess> access = compute_access(matrix, segments, threads);
  std::vector<SegmentCounts> all(segments.size());
  const auto count = [&](std::size_t device) {
    SegmentCounts& counts = all[device];
    counts.numbers =
        numbers_but_blocks(matrix.pattern(), segments[device], layout, policy, threads);
    counts.access = std::move(access[device]);
    for (std::size_t k = 0; k < block_sizes.size(); ++k) {
      for (const auto& [blocks, rows] : counts.access.row_lengths(block_sizes[k])) {
        counts.numbers.blocks[k] += static_cast<double>(blocks * rows);
      }
    }
    counts.exchanged = volumes[device];
    counts.interior_rows = static_cast<double>(halos[device].interior_rows);
    counts.neighbours = std::move(halos[device].neighbours);
  };
  parallel_for(
      std::ssize(segments), few_segments,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t k = begin; k < end; ++k) count(static_cast<std::size_t>(k));
      },
      threads);
  return all;
}

template std::vector<SegmentCounts> count_segments(const CsrView<float>&, std::span<const Segment>,
                                                   const Layout&, const CudaPolicy&, int);
template std::vector<SegmentCounts> count_segments(const CsrView<double>&, std::span<const Segment>,
                                                   const Layout&, const CudaPolicy&, int);

}  // namespace sparsecast
