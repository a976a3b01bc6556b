#include "model/traffic/gpu_product.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include "core/workload/access_pattern.hpp"

namespace sparsecast {
namespace {

constexpr double warp = 32;
constexpr double every_row = 0x1p33;

double blocks_each_of(const SpmvExecution& product, const GpuShape& gpu) {
  return static_cast<double>(std::max<std::int64_t>(1, product.blocks + product.piece_blocks())) /
         std::max(1, gpu.multiprocessors);
}

/// Rows that are sorted are spread over the thread blocks of their window as if by chance: the more
/// of a sector's look-ups there are in the window, the more of the blocks have one.
double sectors_of_sorted_blocks(const TrafficCase& segment, double rows_of_block) {
  const double rows = std::max(1.0, segment.shape.unknowns);
  const int given = segment.layout.sorting_window;
  const double window = given > 0 ? std::min<double>(given, rows) : rows;
  const double blocks = window / rows_of_block;
  const double of_windows = distinct_sectors(segment.pattern, window);
  if (blocks <= 1 || !(of_windows > 0)) return distinct_sectors(segment.pattern, rows_of_block);
  const double lookups = distinct_sectors(segment.pattern, 1) / of_windows;
  return of_windows * blocks * -std::expm1(lookups * std::log1p(-1 / blocks));
}

double block_sectors_of(const TrafficCase& segment) {
  const double rows_of_block_row = segment.shape.unknowns / std::max(1.0, segment.shape.block_rows);
  const double rows =
      rows_of_block_row * static_cast<double>(segment.execution.product.rows_per_block);
  if (segment.layout.row_order == RowOrder::sorted) return sectors_of_sorted_blocks(segment, rows);
  const double of_rows = distinct_sectors(segment.pattern, rows);
  const WarpLoads& loads = segment.execution.product.loads;
  return std::max(0.0, of_rows - loads.spared_sectors) + loads.piece_sectors;
}

}  // namespace

GpuProduct::GpuProduct(const TrafficCase& segment, const GpuShape& gpu)
    : segment_(segment),
      multiprocessors_(gpu.multiprocessors),
      blocks_each_(blocks_each_of(segment.execution.product, gpu)),
      unevenness_(std::ceil(blocks_each_) / blocks_each_),
      block_sectors_(block_sectors_of(segment)),
      looked_up_sectors_(distinct_sectors(segment.pattern, every_row)) {
  count_passes();
}

void GpuProduct::count_passes() {
  const SpmvExecution& product = segment_.execution.product;
  const SegmentShape& shape = segment_.shape;
  const ProductGeometry& geometry = segment_.geometry;
  const double before = geometry.blocks_before_row;
  const double in_pass = geometry.blocks_in_pass;
  if (product.streams) {
    const double rows_of_warp =
        static_cast<double>(product.rows_per_block) * warp / static_cast<double>(product.threads);
    const double mean = std::min(shape.blocks / std::max(1.0, shape.block_rows),
                                 static_cast<double>(product.longest_short_row));
    passes_ = std::ceil(mean * rows_of_warp / geometry.blocks_in_stream_pass);
  } else if (shape.blocks > 0) {
    const double longest =
        std::min(segment_.pattern.longest_row, static_cast<double>(product.longest_short_row));
    // It begins anywhere in a group of aligned elements.
    for (double first = 0; first <= before; ++first) {
      passes_ += std::ceil((longest + first) / in_pass) / (before + 1);
    }
  }
  if (product.pieces > 0) {
    // A warp finds out which piece is its own; rows are found before the kernel may begin.
    constexpr double to_find_a_piece = 2;
    const double lanes = std::max(1, product.lanes);
    const double piece =
        std::min(static_cast<double>(product.piece_length), segment_.pattern.longest_row);
    passes_ =
        std::max(passes_, to_find_a_piece + std::ceil((piece + before) / (in_pass / lanes * warp)));
    joins_pieces_ = segment_.pattern.longest_row > static_cast<double>(product.piece_length);
  }
}

double GpuProduct::passes_of_warp() const {
  // Those that take pieces of long rows are counted, too.
  const SpmvExecution& product = segment_.execution.product;
  return product.loads.passes /
         std::max(1.0, blocks_each_ * multiprocessors_ * product.threads / warp);
}

double GpuProduct::resident_blocks(bool with_sums) const {
  return with_sums ? segment_.geometry.resident_blocks_with_sums
                   : segment_.geometry.resident_blocks;
}

double GpuProduct::contention() const {
  const double room = resident_blocks(false);
  if (blocks_each_ > room) return 0;
  if (2 * blocks_each_ > room) return room - blocks_each_;
  return 3 * blocks_each_ > room ? room - 2 * blocks_each_ : 0;
}

double GpuProduct::gathered_sectors(double l1_bytes) const {
  constexpr double nearly = 1 - 1e-9;
  const auto blocks =
      static_cast<double>(std::max<std::int64_t>(1, segment_.execution.product.blocks));
  const double blocks_each = blocks / std::max(1, multiprocessors_);
  const double each = std::min(block_sectors_ / blocks, looked_up_sectors_);
  if (blocks_each <= 1 || !(each > 0)) return block_sectors_;
  // Until the cache is full, every thread block leaves so much of what was not there yet.
  const double left = std::log1p(-std::min(each / looked_up_sectors_, nearly));
  const double kept = std::min(l1_bytes / (sector_bytes * looked_up_sectors_), nearly);
  const double until_full = std::max(1.0, std::log1p(-kept) / left);
  const double missed = looked_up_sectors_ * -std::expm1(std::min(blocks_each, until_full) * left) +
                        std::max(0.0, blocks_each - until_full) * each * (1 - kept);
  return block_sectors_ * std::min(1.0, missed / (blocks_each * each));
}

Traits GpuProduct::traits(bool with_sums, double value_bytes, double vector_bytes,
                          double missed_share) const {
  const SegmentShape& shape = segment_.shape;
  const SpmvExecution& product = segment_.execution.product;
  const int lanes = std::max(1, product.lanes);
  const double in_pass = product.streams ? segment_.geometry.blocks_in_stream_pass
                                         : segment_.geometry.blocks_in_pass * warp / lanes;
  const double passes = std::max(1.0, product.loads.passes);
  // Less than that of a pass is of a few warps with rows.
  constexpr double least_passes = 0.05;
  constexpr double most_filling = 1.2;
  Traits traits(static_cast<std::size_t>(ProductTrait::count));
  const auto set = [&traits](ProductTrait trait, double value) {
    traits[static_cast<std::size_t>(trait)] = value;
  };
  set(ProductTrait::waves, std::log(blocks_each_ / resident_blocks(with_sums)));
  set(ProductTrait::passes, std::log(std::max(least_passes, passes_of_warp())));
  set(ProductTrait::lines, std::log(std::max(1.0, product.loads.lines) / passes));
  set(ProductTrait::sectors,
      std::log(std::max(1.0, block_sectors_) / std::max(1.0, shape.elements)));
  set(ProductTrait::missed, missed_share);
  set(ProductTrait::longest_row, std::log(std::max(1.0, passes_)));
  set(ProductTrait::filling, std::min(most_filling, shape.blocks / (passes * in_pass)));
  set(ProductTrait::vector_bytes, std::log(std::max(1.0, vector_bytes)));
  set(ProductTrait::bandwidth,
      std::log(std::max(1.0, segment_.pattern.bandwidth) / std::max(1.0, shape.unknowns)));
  set(ProductTrait::value_bytes, std::log(value_bytes));
  set(ProductTrait::sums, with_sums ? 1 : 0);
  set(ProductTrait::block_size, std::log(segment_.layout.block_size));
  set(ProductTrait::lanes, std::log(lanes));
  set(ProductTrait::streams, product.streams ? 1 : 0);
  return traits;
}

}  // namespace sparsecast
