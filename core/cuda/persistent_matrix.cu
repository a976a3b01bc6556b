#include "core/cuda/persistent_matrix.cuh"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "core/cuda/block_sum.cuh"
#include "core/partition.hpp"
#include "core/thread_team.hpp"

namespace sparsecast::cuda {
namespace {

/// What a row costs beside its values, in values: vector updates.
constexpr std::int64_t values_per_row = 6;

std::int64_t divide_up(std::int64_t value, std::int64_t by) {
  return (value + by - 1) / by;
}

/// A segment while it is built.
struct Draft {
  std::int64_t begin = 0;  ///< block rows
  std::int64_t end = 0;
  std::vector<std::int32_t> halo;
  std::vector<PersistentSlice> slices;  ///< and one behind the last
  std::vector<PersistentSlot> slots;
  std::vector<PersistentSplit> splits;
  std::int64_t pieces = 0;

  std::int64_t block_rows() const { return end - begin; }
  std::int64_t steps() const { return slices.back().step; }
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

template <class T>
std::vector<Draft> cut_rows(const BcsrMatrix<T>& matrix, const PersistentShape& shape) {
  const std::int64_t n = matrix.block_size;
  std::vector<std::int64_t> weights(static_cast<std::size_t>(matrix.block_rows) + 1);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    weights[k] =
        matrix.block_offsets[k] * n * n + static_cast<std::int64_t>(k) * n * values_per_row;
  }
  const auto bounds = split_by_weight(weights, shape.blocks);
  std::vector<Draft> drafts(static_cast<std::size_t>(shape.blocks));
  for (std::size_t b = 0; b < drafts.size(); ++b) {
    drafts[b].begin = bounds[b];
    drafts[b].end = bounds[b + 1];
  }
  return drafts;
}

template <class T>
void find_halo(const BcsrMatrix<T>& matrix, Draft& draft) {
  const auto offset = [&](std::int64_t row) {
    return matrix.block_offsets[static_cast<std::size_t>(row)];
  };
  for (std::int64_t e = offset(draft.begin); e < offset(draft.end); ++e) {
    const std::int32_t column = matrix.block_columns[static_cast<std::size_t>(e)];
    if (column < draft.begin || column >= draft.end) draft.halo.push_back(column);
  }
  std::ranges::sort(draft.halo);
  const auto rest = std::ranges::unique(draft.halo);
  draft.halo.erase(rest.begin(), rest.end());
}

/// The most steps that a lane is to take of one row in a segment of so many blocks.
template <class T>
std::int64_t most_steps_of_a_row(const BcsrMatrix<T>& matrix, std::int64_t blocks,
                                 const PersistentShape& shape) {
  const std::int64_t few = matrix.block_size == 1 ? few_steps_of_values : few_steps_of_blocks;
  const std::int64_t mean =
      divide_up(matrix.blocks(), std::max<std::int64_t>(1, matrix.block_rows * shape.lanes));
  return std::max({few, mean + mean / 2, blocks / (2 * shape.threads)});
}

template <class T>
void cut_slices(const BcsrMatrix<T>& matrix, const PersistentShape& shape, Draft& draft) {
  const auto length = [&](std::int32_t row) {
    const auto k = static_cast<std::size_t>(draft.begin + row);
    return matrix.block_offsets[k + 1] - matrix.block_offsets[k];
  };
  std::vector<std::int32_t> order(static_cast<std::size_t>(draft.block_rows()));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater{}, length);
  const std::int64_t blocks = matrix.block_offsets[static_cast<std::size_t>(draft.end)] -
                              matrix.block_offsets[static_cast<std::size_t>(draft.begin)];
  const std::int64_t most = most_steps_of_a_row(matrix, blocks, shape);
  std::int64_t steps = 0;
  const auto add_slice = [&](int lanes, std::int64_t its_steps) {
    draft.slices.emplace_back(static_cast<std::uint32_t>(steps),
                              static_cast<std::uint32_t>(draft.slots.size()),
                              std::countr_zero(static_cast<unsigned>(lanes)));
    steps += its_steps;
  };
  for (std::size_t next = 0; next < order.size();) {
    const std::int64_t longest = length(order[next]);
    if (longest > most * warp_size) {
      const std::int64_t pieces = divide_up(longest, most * warp_size);
      draft.splits.push_back({order[next], static_cast<std::int32_t>(draft.pieces),
                              static_cast<std::int32_t>(pieces)});
      for (std::int64_t piece = 0; piece < pieces; ++piece) {
        add_slice(warp_size, divide_up(longest, pieces * warp_size));
        draft.slots.push_back(
            {static_cast<std::uint16_t>(order[next]), static_cast<std::uint16_t>(++draft.pieces)});
      }
      ++next;
      continue;
    }
    int lanes = shape.lanes;
    while (lanes < warp_size && longest > most * lanes) lanes *= 2;
    add_slice(lanes, divide_up(longest, lanes));
    for (int slot = 0; slot < warp_size / lanes; ++slot, ++next) {
      draft.slots.emplace_back();
      if (next >= order.size()) continue;
      draft.slots.back() = {static_cast<std::uint16_t>(order[next]), 0};
    }
  }
  add_slice(1, 0);
}

std::int64_t bytes_of_step(int n, int value_bytes) {
  return warp_size * (std::int64_t{n} * n * value_bytes + 2);
}

/// With the pieces behind it.
std::int64_t window_values(const PersistentSegment& segment, const Draft& draft, int n) {
  return segment.own + (segment.halo + draft.pieces) * n;
}

/// Shared memory in the order of what it saves: the window must be there; what is read and written
/// in every iteration comes before what is only read, and lists that loads wait for before all.
PersistentSegment place(const Draft& draft, const PersistentShape& shape, int n, int value_bytes,
                        std::int64_t rows) {
  PersistentSegment segment;
  segment.first_row = static_cast<std::int32_t>(draft.begin * n);
  segment.own = static_cast<std::int32_t>(draft.block_rows() * n);
  segment.rows = static_cast<std::int32_t>(
      std::max<std::int64_t>(0, std::min(rows, draft.end * n) - segment.first_row));
  segment.halo = static_cast<std::int32_t>(draft.halo.size());
  segment.slices = static_cast<std::int32_t>(draft.slices.size()) - 1;
  segment.slots = static_cast<std::int32_t>(draft.slots.size());
  segment.splits = static_cast<std::int32_t>(draft.splits.size());

  SharedMemory memory(shape.shared_bytes);
  memory.place(window_values(segment, draft, n) * value_bytes);
  const std::int64_t vector = std::int64_t{segment.own} * value_bytes;
  segment.halo_at = memory.place(std::int64_t{segment.halo} * 4);
  segment.exported_at = memory.place(segment.own);
  segment.slices_at = memory.place((std::int64_t{segment.slices} + 1) * sizeof(PersistentSlice));
  segment.slots_at = memory.place(segment.slots * sizeof(PersistentSlot));
  segment.splits_at = memory.place(segment.splits * sizeof(PersistentSplit));
  segment.u_at = memory.place(vector);
  segment.z_at = memory.place(vector);
  segment.x_at = memory.place(vector);
  segment.c_at = memory.place(vector);
  segment.d_at = memory.place(vector);
  const std::int64_t step = bytes_of_step(n, value_bytes);
  const auto slices_of = [&](std::int64_t steps) {
    const auto end = std::ranges::upper_bound(draft.slices, steps, {}, &PersistentSlice::step);
    return static_cast<std::int32_t>(std::max<std::ptrdiff_t>(0, end - draft.slices.begin() - 1));
  };
  segment.resident_slices = slices_of(memory.free() / step);
  segment.resident_steps = static_cast<std::int32_t>(
      draft.slices[static_cast<std::size_t>(segment.resident_slices)].step);
  segment.cached_slices = slices_of(segment.resident_steps + shape.cached_bytes / step);
  segment.values_at =
      memory.place(std::int64_t{segment.resident_steps} * warp_size * n * n * value_bytes);
  segment.columns_at = memory.place(std::int64_t{segment.resident_steps} * warp_size * 2);
  return segment;
}

/// The part of the cut that is a segment's.
struct Segment {
  std::int64_t first;  ///< block row
  std::int64_t block_rows;
  std::span<const PersistentSlice> slices;
  std::span<const PersistentSlot> slots;
  std::span<const std::int32_t> halo;

  Segment(const PersistentCut& cut, const PersistentSegment& segment)
      : first(segment.first_row / cut.block_size), block_rows(segment.own / cut.block_size) {
    const auto part = [](const auto& all, std::int64_t begin, std::int64_t count) {
      return std::span(all).subspan(static_cast<std::size_t>(begin),
                                    static_cast<std::size_t>(count));
    };
    slices = part(cut.slices, segment.slice_begin, segment.slices + 1);
    slots = part(cut.slots, segment.slot_begin, segment.slots);
    halo = part(cut.halo_columns, segment.halo_begin, segment.halo);
  }

  std::uint16_t local(std::int32_t column) const {
    if (column >= first && column < first + block_rows) {
      return static_cast<std::uint16_t>(column - first);
    }
    const auto at = std::ranges::lower_bound(halo, column) - halo.begin();
    return static_cast<std::uint16_t>(block_rows + at);
  }
};

/// Bytes that an iteration of conjugate gradients moves to and from the multiprocessor, without
/// what other blocks publish.
std::int64_t moved_bytes(const PersistentSegment& segment, const Draft& draft, int n,
                         int value_bytes) {
  std::int64_t accesses = 0;  // of vectors that are not in shared memory
  for (const std::int32_t at : {segment.x_at, segment.u_at, segment.z_at}) {
    accesses += at < 0 ? 2 : 0;
  }
  for (const std::int32_t at : {segment.c_at, segment.d_at}) accesses += at < 0 ? 1 : 0;
  return (draft.steps() - segment.resident_steps) * bytes_of_step(n, value_bytes) +
         accesses * segment.rows * value_bytes;
}

/// Writes the steps of a segment.
template <class T>
void fill(const BcsrMatrix<T>& matrix, const Segment& segment, std::span<std::uint16_t> columns,
          std::span<T> values) {
  const auto nn = static_cast<std::size_t>(matrix.block_size * matrix.block_size);
  std::size_t block = 0;
  for (std::size_t s = 0; s + 1 < segment.slices.size(); ++s) {
    const PersistentSlice& slice = segment.slices[s];
    const std::size_t step_end = segment.slices[s + 1].step;
    const std::size_t width = std::size_t{1} << (slice.packed % 8);
    for (std::size_t first_lane = 0; first_lane < warp_size; first_lane += width) {
      const PersistentSlot slot = segment.slots[slice.packed / 8 + first_lane / width];
      const bool there = slot.row != PersistentSlot{}.row;
      std::size_t end = 0;
      if (there) {
        const auto k = static_cast<std::size_t>(segment.first + slot.row);
        // A piece goes on where the one before it ended.
        const std::size_t before = slice.packed / 8;
        const bool goes_on = slot.piece > 1 && segment.slots[before - 1].row == slot.row;
        if (!goes_on) block = static_cast<std::size_t>(matrix.block_offsets[k]);
        end = static_cast<std::size_t>(matrix.block_offsets[k + 1]);
      }
      for (std::size_t step = slice.step; step < step_end; ++step) {
        for (std::size_t lane = first_lane; lane < first_lane + width; ++lane) {
          const bool filled = there && block < end;
          // What fills a row up meets a value of the row's own, so that it spreads no NaN.
          columns[step * warp_size + lane] = filled  ? segment.local(matrix.block_columns[block])
                                             : there ? slot.row
                                                     : 0;
          for (std::size_t k = 0; k < nn; ++k) {
            values[(step * nn + k) * warp_size + lane] =
                filled ? matrix.values[block * nn + k] : T{0};
          }
          block += filled ? 1 : 0;
        }
      }
    }
  }
}

}  // namespace

std::int64_t PersistentCut::bytes(int value_bytes) const {
  const auto size = [](const auto& list) {
    return static_cast<std::int64_t>(std::span(list).size_bytes());
  };
  return size(segments) + size(slices) + size(slots) + size(splits) + size(halo_columns) +
         block_rows * block_size + steps * bytes_of_step(block_size, value_bytes);
}

template <class T>
PersistentCut cut_persistent(const BcsrMatrix<T>& matrix, const PersistentShape& shape) {
  const std::int64_t n = matrix.block_size;
  PersistentCut cut;
  cut.shape = shape;
  cut.block_size = matrix.block_size;
  cut.rows = matrix.rows;
  cut.block_rows = matrix.block_rows;
  cut.fits = true;
  std::vector<Draft> drafts = cut_rows(matrix, shape);
  parallel_for(static_cast<std::int64_t>(drafts.size()), 8,
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t b = begin; b < end; ++b) {
                   find_halo(matrix, drafts[static_cast<std::size_t>(b)]);
                   cut_slices(matrix, shape, drafts[static_cast<std::size_t>(b)]);
                 }
               });

  std::int64_t most_steps = 0;  // of a segment
  for (const Draft& draft : drafts) {
    PersistentSegment segment = place(draft, shape, cut.block_size, sizeof(T), cut.rows);
    const std::int64_t window = window_values(segment, draft, cut.block_size);
    const std::int64_t bytes = window * static_cast<std::int64_t>(sizeof(T));
    cut.window_bytes = std::max(cut.window_bytes, bytes);
    cut.fits = cut.fits && window < std::numeric_limits<std::uint16_t>::max() &&
               bytes <= shape.shared_bytes;
    segment.halo_begin = static_cast<std::int32_t>(cut.halo_columns.size());
    segment.slice_begin = static_cast<std::int64_t>(cut.slices.size());
    segment.slot_begin = static_cast<std::int64_t>(cut.slots.size());
    segment.split_begin = static_cast<std::int64_t>(cut.splits.size());
    segment.step_begin = cut.steps;
    cut.steps += draft.steps();
    most_steps = std::max(most_steps, draft.steps());
    cut.moved_bytes += moved_bytes(segment, draft, cut.block_size, sizeof(T));
    cut.shape.clustered = cut.shape.clustered && segment.z_at >= 0 && segment.halo_at >= 0;
    const auto append = [](auto& all, const auto& more) {
      all.insert(all.end(), more.begin(), more.end());
    };
    append(cut.halo_columns, draft.halo);
    append(cut.slices, draft.slices);
    append(cut.slots, draft.slots);
    append(cut.splits, draft.splits);
    cut.segments.push_back(segment);
  }
  // A few steps do not matter beside the rest of an iteration.
  constexpr std::int64_t few_steps = 64;
  cut.balanced = most_steps <= 4 * matrix.blocks() / (warp_size * shape.blocks) + few_steps;
  return cut;
}

template <class T>
PersistentMatrix<T>::PersistentMatrix(const BcsrMatrix<T>& matrix, const PersistentCut& cut)
    : shape_(cut.shape), block_size_(cut.block_size), rows_(cut.rows) {
  const auto n = static_cast<std::size_t>(cut.block_size);
  std::vector<std::uint8_t> exported(static_cast<std::size_t>(cut.block_rows) * n);
  for (const std::int32_t column : cut.halo_columns) {
    for (std::size_t k = 0; k < n; ++k) exported[static_cast<std::size_t>(column) * n + k] = 1;
  }
  Buffer<std::uint16_t> columns(static_cast<std::size_t>(cut.steps) * warp_size);
  Buffer<T> values(columns.size() * n * n);
  parallel_for(static_cast<std::int64_t>(cut.segments.size()), 8,
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t b = begin; b < end; ++b) {
                   const PersistentSegment& segment = cut.segments[static_cast<std::size_t>(b)];
                   const auto first = static_cast<std::size_t>(segment.step_begin) * warp_size;
                   fill(matrix, Segment(cut, segment),
                        std::span(columns.data(), columns.size()).subspan(first),
                        std::span(values.data(), values.size()).subspan(first * n * n));
                 }
               });
  const auto upload = []<class U>(DeviceArray<U>& to, const auto& from) {
    to = DeviceArray<U>(std::span<const U>(from.data(), from.size()));
  };
  upload(segments_, cut.segments);
  upload(slices_, cut.slices);
  upload(slots_, cut.slots);
  upload(splits_, cut.splits);
  upload(columns_, columns);
  upload(values_, values);
  upload(halo_columns_, cut.halo_columns);
  upload(exported_, exported);
}

template <class T>
std::int64_t PersistentMatrix<T>::bytes() const {
  return static_cast<std::int64_t>(segments_.bytes() + slices_.bytes() + slots_.bytes() +
                                   splits_.bytes() + columns_.bytes() + values_.bytes() +
                                   halo_columns_.bytes() + exported_.bytes());
}

template <class T>
PersistentStorage<T> PersistentMatrix<T>::storage() const {
  return {segments_.data(), slices_.data(),       slots_.data(),    splits_.data(), columns_.data(),
          values_.data(),   halo_columns_.data(), exported_.data(), rows_};
}

template PersistentCut cut_persistent(const BcsrMatrix<float>&, const PersistentShape&);
template PersistentCut cut_persistent(const BcsrMatrix<double>&, const PersistentShape&);
template class PersistentMatrix<float>;
template class PersistentMatrix<double>;

}  // namespace sparsecast::cuda
