#include "core/analysis/persistent_cut.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "core/base/threads/split_by_weight.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/workload/persistent_steps.hpp"

namespace sparsecast {
namespace {

constexpr std::int64_t warp = 32;
constexpr std::int64_t line_bytes = 128;

/// What a row costs beside its values, in values: vector updates.
constexpr std::int64_t values_per_row = 6;

std::int64_t divide_up(std::int64_t value, std::int64_t by) {
  return (value + by - 1) / by;
}

/// What a segment's shared memory follows from, but for where its slices begin.
struct SegmentSize {
  std::int64_t begin = 0;  ///< block rows
  std::int64_t end = 0;
  std::int64_t halo = 0;
  std::int64_t slices = 0;
  std::int64_t slots = 0;
  std::int64_t splits = 0;
  std::int64_t pieces = 0;
  std::int64_t steps = 0;
  std::int64_t halo_lines = 0;

  std::int64_t block_rows() const { return end - begin; }
};

/// A segment while it is built.
struct Draft {
  std::int64_t begin = 0;  ///< block rows
  std::int64_t end = 0;
  std::vector<std::int32_t> halo;
  std::vector<PersistentSlice> slices;  ///< and one behind the last
  std::vector<PersistentSlot> slots;
  std::vector<PersistentSplit> splits;
  std::int64_t pieces = 0;
  std::int64_t halo_lines = 0;

  std::int64_t block_rows() const { return end - begin; }
  SegmentSize size() const {
    return {begin,
            end,
            std::ssize(halo),
            std::ssize(slices) - 1,
            std::ssize(slots),
            std::ssize(splits),
            pieces,
            slices.back().step,
            halo_lines};
  }

  /// How many slices come to at most so many steps, and steps before a slice.
  std::int64_t slices_within(std::int64_t steps) const {
    const auto end_of = std::ranges::upper_bound(slices, steps, {}, &PersistentSlice::step);
    return std::max<std::int64_t>(0, end_of - slices.begin() - 1);
  }
  std::int64_t steps_before(std::int64_t slice) const {
    return slices[static_cast<std::size_t>(slice)].step;
  }
};

/// The slices of a segment whose steps are shared out evenly.
struct EvenSlices {
  std::int64_t slices = 0;
  std::int64_t steps = 0;

  std::int64_t slices_within(std::int64_t most) const {
    if (steps == 0) return slices;
    return std::min(slices, ((most + 1) * slices - 1) / steps);
  }
  std::int64_t steps_before(std::int64_t slice) const {
    return steps * slice / std::max<std::int64_t>(1, slices);
  }
};

/// Gives out the shared memory of a block.
class SharedMemory {
 public:
  explicit SharedMemory(std::int64_t bytes) : free_(bytes) {}
  /// Where so many bytes begin; -1 if they do not fit.
  std::int32_t place(std::int64_t bytes) {
    const std::int64_t rounded = (bytes + 15) / 16 * 16;
    if (rounded > free_) return -1;
    free_ -= rounded;
    const std::int64_t at = used_;
    used_ += rounded;
    return static_cast<std::int32_t>(at);
  }
  std::int64_t free() const { return free_; }

 private:
  std::int64_t free_;
  std::int64_t used_ = 0;
};

std::vector<Draft> cut_rows(const BlockPatternView& matrix, const PersistentShape& shape) {
  const std::int64_t n = matrix.block_size;
  Buffer<std::int64_t> weights(matrix.block_offsets.size());
  for (std::int64_t k = 0; k <= matrix.block_rows(); ++k) {
    weights[static_cast<std::size_t>(k)] = matrix.block_offsets[k] * n * n + k * n * values_per_row;
  }
  const auto bounds = split_by_weight(weights, shape.blocks);
  std::vector<Draft> drafts(static_cast<std::size_t>(shape.blocks));
  for (std::size_t b = 0; b < drafts.size(); ++b) {
    drafts[b].begin = bounds[b];
    drafts[b].end = bounds[b + 1];
  }
  return drafts;
}

/// Block columns, each once, a bit for each: rising order without sorting.
class ColumnSet {
 public:
  explicit ColumnSet(std::int64_t columns)
      : words_(static_cast<std::size_t>(divide_up(columns, bits))) {}

  void insert(std::int32_t column) {
    const auto word = static_cast<std::size_t>(column) / bits;
    words_[word] |= std::uint64_t{1} << (static_cast<std::size_t>(column) % bits);
    first_ = std::min(first_, word);
    end_ = std::max(end_, word + 1);
  }

  /// All of them; then it is empty.
  std::vector<std::int32_t> take() {
    const std::size_t first = std::min(first_, end_);
    const std::span<std::uint64_t> used = std::span(words_).subspan(first, end_ - first);
    std::size_t count = 0;
    for (const std::uint64_t word : used) count += static_cast<std::size_t>(std::popcount(word));
    std::vector<std::int32_t> columns;
    columns.reserve(count);
    for (std::size_t w = 0; w < used.size(); ++w) {
      for (; used[w] != 0; used[w] &= used[w] - 1) {
        const auto bit = static_cast<std::size_t>(std::countr_zero(used[w]));
        columns.push_back(static_cast<std::int32_t>((first + w) * bits + bit));
      }
    }
    first_ = std::numeric_limits<std::size_t>::max();
    end_ = 0;
    return columns;
  }

 private:
  static constexpr std::size_t bits = 64;

  std::vector<std::uint64_t> words_;
  std::size_t first_ = std::numeric_limits<std::size_t>::max();  ///< word with a bit, at the least
  std::size_t end_ = 0;
};

/// Lines that packets of these block columns lie in, of so many bytes each of a block.
std::int64_t lines_of(std::span<const std::int32_t> rising, std::int64_t block_bytes) {
  std::int64_t lines = 0;
  std::int64_t next = 0;  // the first line that is not counted yet
  for (const std::int32_t column : rising) {
    const std::int64_t first = std::max(next, column * block_bytes / line_bytes);
    next = ((column + std::int64_t{1}) * block_bytes - 1) / line_bytes + 1;
    lines += next - first;
  }
  return lines;
}

/// The same in the mean of so many blocks that lie anywhere in `bytes`.
std::int64_t lines_anywhere(double blocks, double bytes) {
  const double lines = std::max(1.0, bytes / static_cast<double>(line_bytes));
  return static_cast<std::int64_t>(std::round(lines * -std::expm1(-blocks / lines)));
}

/// `columns` is empty, before and after.
void find_halo(const BlockPatternView& matrix, int value_bytes, ColumnSet& columns, Draft& draft) {
  const auto first = static_cast<std::size_t>(matrix.block_offsets[draft.begin]);
  const auto end = static_cast<std::size_t>(matrix.block_offsets[draft.end]);
  for (const std::int32_t column : matrix.block_columns.subspan(first, end - first)) {
    if (column < draft.begin || column >= draft.end) columns.insert(column);
  }
  draft.halo = columns.take();
  draft.halo_lines =
      lines_of(draft.halo, std::int64_t{matrix.block_size} * halo_packet_bytes(value_bytes));
}

void cut_slices(const BlockPatternView& matrix, const PersistentShape& shape, Draft& draft) {
  const Buffer<std::int64_t> offsets =
      matrix.block_offsets
          .subspan(static_cast<std::size_t>(draft.begin),
                   static_cast<std::size_t>(draft.block_rows()) + 1)
          .copy();
  const auto length = [&](std::int32_t row) {
    const auto k = static_cast<std::size_t>(row);
    return offsets[k + 1] - offsets[k];
  };
  const Buffer<std::int32_t> order = rows_by_falling_length(offsets);
  const std::int64_t blocks = offsets.back() - offsets.front();
  const std::int64_t most = most_steps_of_a_row(
      matrix.block_size, matrix.blocks(), matrix.block_rows(), shape.lanes, blocks, shape.threads);
  std::int64_t steps = 0;
  const auto add_slice = [&](int lanes, std::int64_t its_steps) {
    draft.slices.emplace_back(static_cast<std::uint32_t>(steps),
                              static_cast<std::uint32_t>(draft.slots.size()),
                              std::countr_zero(static_cast<unsigned>(lanes)));
    steps += its_steps;
  };
  for (std::size_t next = 0; next < order.size();) {
    const std::int64_t longest = length(order[next]);
    if (longest > most * warp) {
      const std::int64_t pieces = divide_up(longest, most * warp);
      draft.splits.push_back({order[next], static_cast<std::int32_t>(draft.pieces),
                              static_cast<std::int32_t>(pieces)});
      for (std::int64_t piece = 0; piece < pieces; ++piece) {
        add_slice(warp, divide_up(longest, pieces * warp));
        draft.slots.push_back(
            {static_cast<std::uint16_t>(order[next]), static_cast<std::uint16_t>(++draft.pieces)});
      }
      ++next;
      continue;
    }
    const int lanes = lanes_of_row(longest, shape.lanes, most);
    add_slice(lanes, divide_up(longest, lanes));
    for (int slot = 0; slot < warp / lanes; ++slot, ++next) {
      draft.slots.emplace_back();
      if (next >= order.size()) continue;
      draft.slots.back() = {static_cast<std::uint16_t>(order[next]), 0};
    }
  }
  add_slice(1, 0);
}

std::int64_t bytes_of_step(int n, int value_bytes) {
  return warp * (std::int64_t{n} * n * value_bytes + 2);
}

/// What must be in shared memory: windows, pieces and halos.
std::int64_t window_values(const SegmentSize& size, const PersistentNeeds& needs, int n) {
  return ((size.block_rows() + size.halo) * needs.windows + size.pieces +
          size.halo * needs.kept_halos) *
         n;
}

/// Shared memory in the order of what it saves: the window must be there; what is read and written
/// in every iteration comes before what is only read, and lists that loads wait for before all.
template <class Slices>
PersistentSegment place(const SegmentSize& size, const Slices& slices, const PersistentShape& shape,
                        const PersistentNeeds& needs, int n, int value_bytes, std::int64_t rows) {
  PersistentSegment segment;
  segment.first_row = static_cast<std::int32_t>(size.begin * n);
  segment.own = static_cast<std::int32_t>(size.block_rows() * n);
  segment.rows = static_cast<std::int32_t>(
      std::max<std::int64_t>(0, std::min(rows, size.end * n) - segment.first_row));
  segment.halo = static_cast<std::int32_t>(size.halo);
  segment.slices = static_cast<std::int32_t>(size.slices);
  segment.slots = static_cast<std::int32_t>(size.slots);
  segment.splits = static_cast<std::int32_t>(size.splits);

  SharedMemory memory(shape.shared_bytes);
  memory.place(window_values(size, needs, n) * value_bytes);
  const auto value_at = [&](std::int64_t values) {
    return static_cast<std::int32_t>(values * n * value_bytes);
  };
  const std::int64_t windows = (size.block_rows() + size.halo) * needs.windows;
  segment.pieces_at = value_at(windows);
  segment.kept_halos_at = value_at(windows + size.pieces);
  const std::int64_t vector = std::int64_t{segment.own} * value_bytes;
  segment.halo_at = memory.place(std::int64_t{segment.halo} * 4);
  segment.exported_at = memory.place(segment.own);
  segment.slices_at = memory.place((std::int64_t{segment.slices} + 1) * sizeof(PersistentSlice));
  segment.slots_at = memory.place(segment.slots * sizeof(PersistentSlot));
  segment.splits_at = memory.place(segment.splits * sizeof(PersistentSplit));
  for (std::size_t k = 0; k < needs.vectors.size(); ++k) {
    segment.vector_at[k] = memory.place(vector);
  }
  const std::int64_t step = bytes_of_step(n, value_bytes);
  segment.resident_slices = static_cast<std::int32_t>(slices.slices_within(memory.free() / step));
  segment.resident_steps = static_cast<std::int32_t>(slices.steps_before(segment.resident_slices));
  segment.cached_slices = static_cast<std::int32_t>(
      slices.slices_within(segment.resident_steps + shape.cached_bytes / step));
  segment.values_at =
      memory.place(std::int64_t{segment.resident_steps} * warp * n * n * value_bytes);
  segment.columns_at = memory.place(std::int64_t{segment.resident_steps} * warp * 2);
  return segment;
}

/// Bytes that an iteration moves to and from the multiprocessor, without what other blocks publish.
std::int64_t moved_bytes(const PersistentSegment& segment, const PersistentNeeds& needs,
                         std::int64_t steps, int n, int value_bytes) {
  std::int64_t accesses = 0;  // of vectors that are not in shared memory
  for (std::size_t k = 0; k < needs.vectors.size(); ++k) {
    accesses += segment.vector_at[k] < 0 ? needs.vectors[k].accesses : 0;
  }
  return needs.products * (steps - segment.resident_steps) * bytes_of_step(n, value_bytes) +
         accesses * segment.rows * value_bytes;
}

/// Whether the blocks of a cluster find what they read of each other in shared memory.
bool shares_all(const PersistentSegment& segment, const PersistentNeeds& needs) {
  for (std::size_t k = 0; k < needs.vectors.size(); ++k) {
    if (needs.vectors[k].shared && segment.vector_at[k] < 0) return false;
  }
  return segment.halo_at >= 0;
}

PersistentCut empty_cut(const PersistentShape& shape, int block_size, std::int64_t rows) {
  PersistentCut cut;
  cut.shape = shape;
  cut.block_size = block_size;
  cut.rows = rows;
  cut.block_rows = divide_up(rows, block_size);
  cut.fits = true;
  return cut;
}

/// For all segments that are to be added.
void reserve(std::span<const Draft> drafts, PersistentCut& cut) {
  const auto reserve_list = [&](auto& all, auto list) {
    std::size_t size = 0;
    for (const Draft& draft : drafts) size += (draft.*list).size();
    all.reserve(size);
  };
  cut.segments.reserve(drafts.size());
  reserve_list(cut.halo_columns, &Draft::halo);
  reserve_list(cut.slices, &Draft::slices);
  reserve_list(cut.slots, &Draft::slots);
  reserve_list(cut.splits, &Draft::splits);
}

/// Adds the next segment, without its lists.
template <class Slices>
void add(const SegmentSize& size, const Slices& slices, int value_bytes,
         const PersistentNeeds& needs, PersistentCut& cut) {
  const PersistentShape& shape = cut.shape;
  const PersistentSegment segment =
      place(size, slices, shape, needs, cut.block_size, value_bytes, cut.rows);
  const std::int64_t window = (size.block_rows() + size.halo + size.pieces) * cut.block_size;
  const std::int64_t bytes = window_values(size, needs, cut.block_size) * value_bytes;
  cut.window_bytes = std::max(cut.window_bytes, bytes);
  cut.fits =
      cut.fits && window < std::numeric_limits<std::uint16_t>::max() && bytes <= shape.shared_bytes;
  cut.steps += size.steps;
  cut.most_steps = std::max(cut.most_steps, size.steps);
  cut.most_halo_lines = std::max(cut.most_halo_lines, size.halo_lines);
  const std::int64_t moved = moved_bytes(segment, needs, size.steps, cut.block_size, value_bytes);
  cut.moved_bytes += moved;
  cut.most_moved_bytes = std::max(cut.most_moved_bytes, moved);
  cut.shape.clustered = shape.clustered && shares_all(segment, needs);
  cut.segments.push_back(segment);
}

/// With them.
void add(const Draft& draft, int value_bytes, const PersistentNeeds& needs, PersistentCut& cut) {
  const std::int64_t step_begin = cut.steps;
  add(draft.size(), draft, value_bytes, needs, cut);
  PersistentSegment& segment = cut.segments.back();
  segment.halo_begin = static_cast<std::int32_t>(cut.halo_columns.size());
  segment.slice_begin = static_cast<std::int64_t>(cut.slices.size());
  segment.slot_begin = static_cast<std::int64_t>(cut.slots.size());
  segment.split_begin = static_cast<std::int64_t>(cut.splits.size());
  segment.step_begin = step_begin;
  const auto append = [](auto& all, const auto& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  append(cut.halo_columns, draft.halo);
  append(cut.slices, draft.slices);
  append(cut.slots, draft.slots);
  append(cut.splits, draft.splits);
}

bool is_balanced(const PersistentCut& cut, double blocks) {
  // A few steps do not matter beside the rest of an iteration.
  constexpr std::int64_t few_steps = 64;
  return cut.most_steps <=
         4 * static_cast<std::int64_t>(blocks) / (warp * cut.shape.blocks) + few_steps;
}

}  // namespace

std::int64_t PersistentCut::bytes(int value_bytes) const {
  const auto size = [](const auto& list) {
    return static_cast<std::int64_t>(std::span(list).size_bytes());
  };
  return size(segments) + size(slices) + size(slots) + size(splits) + size(halo_columns) +
         block_rows * block_size + steps * bytes_of_step(block_size, value_bytes);
}

std::int64_t persistent_segments_of_thread(const PersistentShape& shape, std::int64_t values) {
  constexpr std::int64_t values_of_thread = 1 << 14;
  return std::max<std::int64_t>(
      1, shape.blocks * values_of_thread / std::max<std::int64_t>(1, values));
}

PersistentCut cut_persistent(const BlockPatternView& matrix, const PersistentShape& shape,
                             int value_bytes, const PersistentNeeds& needs, int threads) {
  std::vector<Draft> drafts = cut_rows(matrix, shape);
  parallel_for(
      static_cast<std::int64_t>(drafts.size()),
      persistent_segments_of_thread(shape, matrix.blocks() * matrix.block_size * matrix.block_size),
      [&](std::int64_t begin, std::int64_t end) {
        ColumnSet columns(divide_up(matrix.columns, matrix.block_size));
        for (std::int64_t b = begin; b < end; ++b) {
          find_halo(matrix, value_bytes, columns, drafts[static_cast<std::size_t>(b)]);
          cut_slices(matrix, shape, drafts[static_cast<std::size_t>(b)]);
        }
      },
      threads);
  PersistentCut cut = empty_cut(shape, matrix.block_size, matrix.rows);
  reserve(drafts, cut);
  for (const Draft& draft : drafts) add(draft, value_bytes, needs, cut);
  cut.balanced = is_balanced(cut, static_cast<double>(matrix.blocks()));
  return cut;
}

PersistentCut estimate_persistent_cut(const SegmentShape& segment, int block_size,
                                      const PersistentShape& shape, int value_bytes,
                                      const PersistentNumbers& numbers,
                                      const PersistentNeeds& needs) {
  PersistentCut cut = empty_cut(shape, block_size, static_cast<std::int64_t>(segment.unknowns));
  const std::int64_t rows_of_slice = warp / shape.lanes;
  const auto part = [&](double all, std::int64_t k) {
    return static_cast<std::int64_t>(std::round(all * static_cast<double>(k) / shape.blocks));
  };
  cut.segments.reserve(static_cast<std::size_t>(shape.blocks));
  for (int b = 0; b < shape.blocks; ++b) {
    SegmentSize size;
    size.begin = part(static_cast<double>(cut.block_rows), b);
    size.end = part(static_cast<double>(cut.block_rows), b + 1);
    // One of them has the longest row, which looks up all that it does not find in its own.
    const std::int64_t least =
        b == 0 ? static_cast<std::int64_t>(numbers.longest_row) - size.block_rows() : 0;
    size.halo = std::max(part(numbers.halo, 1), least);
    if (least > 0) {
      const std::int64_t bytes = std::int64_t{block_size} * halo_packet_bytes(value_bytes);
      size.halo_lines =
          lines_anywhere(static_cast<double>(least), static_cast<double>(cut.block_rows * bytes));
    }
    size.slices = divide_up(size.block_rows(), rows_of_slice);
    size.slots = size.slices * rows_of_slice;
    size.steps = size.slices > 0 ? part(numbers.steps, 1) : 0;
    add(size, EvenSlices{size.slices, size.steps}, value_bytes, needs, cut);
  }
  cut.most_steps = std::max(cut.most_steps, static_cast<std::int64_t>(numbers.longest_row) / warp);
  cut.balanced = is_balanced(cut, segment.blocks);
  return cut;
}

PersistentShape persistent_shape(const SegmentShape& segment, const GpuShape& gpu,
                                 const CudaPolicy& policy, const PersistentNeeds& needs) {
  const PersistentLaunch launch = persistent_launch(segment, gpu.multiprocessors, policy);
  PersistentShape shape;
  shape.blocks = launch.blocks;
  shape.threads = std::min(launch.threads, needs.most_threads);
  shape.lanes = launch.lanes;
  shape.shared_bytes = gpu.shared_bytes_per_block - needs.kernel_bytes;
  shape.cached_bytes = static_cast<std::int64_t>(policy.persistent_l2_share *
                                                 static_cast<double>(gpu.l2_bytes) / launch.blocks);
  shape.clustered = launch.blocks <= policy.persistent_cluster_blocks;
  return shape;
}

}  // namespace sparsecast
