#include "core/cuda/persistent_matrix.cuh"

#include <algorithm>
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

/// A segment while it is built.
struct Draft {
  std::int64_t begin = 0;  ///< block rows
  std::int64_t end = 0;
  std::vector<std::int32_t> halo;
  std::vector<std::int32_t> order;  ///< local block rows by falling length
  std::vector<std::uint32_t> offsets;

  std::int64_t block_rows() const { return end - begin; }
  std::int64_t slices() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
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
std::vector<Draft> cut(const BcsrMatrix<T>& matrix, const PersistentShape& shape) {
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

template <class T>
void cut_slices(const BcsrMatrix<T>& matrix, int lanes, Draft& draft) {
  const auto length = [&](std::int32_t row) {
    const auto k = static_cast<std::size_t>(draft.begin + row);
    return matrix.block_offsets[k + 1] - matrix.block_offsets[k];
  };
  draft.order.resize(static_cast<std::size_t>(draft.block_rows()));
  std::iota(draft.order.begin(), draft.order.end(), 0);
  std::ranges::stable_sort(draft.order, std::ranges::greater{}, length);
  const std::size_t rows = static_cast<std::size_t>(warp_size / lanes);
  draft.offsets.push_back(0);
  for (std::size_t first = 0; first < draft.order.size(); first += rows) {
    const std::int64_t longest = length(draft.order[first]);
    draft.offsets.push_back(draft.offsets.back() +
                            static_cast<std::uint32_t>((longest + lanes - 1) / lanes));
  }
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
  segment.slices = static_cast<std::int32_t>(draft.slices());

  SharedMemory memory(shape.shared_bytes);
  const std::int64_t window = (segment.own + std::int64_t{segment.halo} * n) * value_bytes;
  memory.place(window);
  const std::int64_t vector = std::int64_t{segment.own} * value_bytes;
  const std::int64_t slice_rows = std::int64_t{segment.slices} * (warp_size / shape.lanes);
  segment.halo_at = memory.place(std::int64_t{segment.halo} * 4);
  segment.exported_at = memory.place(segment.own);
  segment.offsets_at = memory.place((std::int64_t{segment.slices} + 1) * 4);
  segment.slice_rows_at = memory.place(slice_rows * 4);
  segment.u_at = memory.place(vector);
  segment.z_at = memory.place(vector);
  segment.c_at = memory.place(vector);
  segment.d_at = memory.place(vector);
  const std::int64_t step = warp_size * (std::int64_t{n} * n * value_bytes + 2);
  const auto slices_of = [&](std::int64_t steps) {
    const auto end = std::upper_bound(draft.offsets.begin(), draft.offsets.end(), steps);
    return static_cast<std::int32_t>(std::max<std::ptrdiff_t>(0, end - draft.offsets.begin() - 1));
  };
  segment.resident_slices = slices_of(memory.free() / step);
  segment.resident_steps =
      static_cast<std::int32_t>(draft.offsets[static_cast<std::size_t>(segment.resident_slices)]);
  segment.cached_slices = slices_of(segment.resident_steps + shape.cached_bytes / step);
  segment.values_at =
      memory.place(std::int64_t{segment.resident_steps} * warp_size * n * n * value_bytes);
  segment.columns_at = memory.place(std::int64_t{segment.resident_steps} * warp_size * 2);
  return segment;
}

/// Writes the steps of a segment, and its slices' rows.
template <class T>
void fill(const BcsrMatrix<T>& matrix, int lanes, const Draft& draft,
          std::span<std::int32_t> slice_rows, std::span<std::uint16_t> columns,
          std::span<T> values) {
  const auto n = static_cast<std::size_t>(matrix.block_size);
  const std::size_t nn = n * n;
  const auto width = static_cast<std::size_t>(lanes);
  const std::size_t rows = warp_size / width;
  const auto local = [&](std::int32_t column) {
    if (column >= draft.begin && column < draft.end) {
      return static_cast<std::uint16_t>(column - draft.begin);
    }
    const auto at = std::ranges::lower_bound(draft.halo, column) - draft.halo.begin();
    return static_cast<std::uint16_t>(draft.block_rows() + at);
  };
  for (std::size_t slot = 0; slot < static_cast<std::size_t>(draft.slices()) * rows; ++slot) {
    const std::size_t slice = slot / rows;
    const bool there = slot < draft.order.size();
    const std::int32_t row = there ? draft.order[slot] : -1;
    slice_rows[slot] = row;
    std::size_t block = 0;
    std::size_t end = 0;
    if (there) {
      const auto k = static_cast<std::size_t>(draft.begin + row);
      block = static_cast<std::size_t>(matrix.block_offsets[k]);
      end = static_cast<std::size_t>(matrix.block_offsets[k + 1]);
    }
    for (std::size_t step = draft.offsets[slice]; step < draft.offsets[slice + 1]; ++step) {
      for (std::size_t lane = 0; lane < width; ++lane, ++block) {
        const std::size_t item = step * warp_size + slot % rows * width + lane;
        // What fills a row up meets a value of the row's own, so that it spreads no NaN.
        columns[item] = block < end ? local(matrix.block_columns[block])
                                    : static_cast<std::uint16_t>(std::max(row, 0));
        for (std::size_t k = 0; k < nn; ++k) {
          values[(step * nn + k) * warp_size + item % warp_size] =
              block < end ? matrix.values[block * nn + k] : T{0};
        }
      }
    }
  }
}

}  // namespace

template <class T>
PersistentMatrix<T>::PersistentMatrix(const BcsrMatrix<T>& matrix, const PersistentShape& shape)
    : shape_(shape), block_size_(matrix.block_size), rows_(matrix.rows) {
  const std::int64_t n = matrix.block_size;
  std::vector<Draft> drafts = cut(matrix, shape);
  parallel_for(static_cast<std::int64_t>(drafts.size()), 8,
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t b = begin; b < end; ++b) {
                   find_halo(matrix, drafts[static_cast<std::size_t>(b)]);
                   cut_slices(matrix, shape.lanes, drafts[static_cast<std::size_t>(b)]);
                 }
               });

  std::vector<PersistentSegment> segments;
  std::vector<std::uint32_t> slice_offsets;
  std::vector<std::int32_t> halo_columns;
  std::vector<std::uint8_t> exported(static_cast<std::size_t>(matrix.block_rows * n));
  std::int64_t steps = 0;
  std::int64_t resident = 0;
  std::int64_t most_steps = 0;  // of a segment
  for (const Draft& draft : drafts) {
    PersistentSegment segment = place(draft, shape, block_size_, sizeof(T), rows_);
    const std::int64_t window = segment.own + segment.halo * n;
    window_bytes_ = std::max(window_bytes_, window * static_cast<std::int64_t>(sizeof(T)));
    fits_ = segments.empty() || fits_;
    fits_ = fits_ && window <= std::numeric_limits<std::uint16_t>::max() &&
            window * static_cast<std::int64_t>(sizeof(T)) <= shape.shared_bytes;
    segment.halo_begin = static_cast<std::int32_t>(halo_columns.size());
    segment.slice_begin = static_cast<std::int64_t>(slice_offsets.size());
    segment.step_begin = steps;
    steps += draft.offsets.back();
    most_steps = std::max<std::int64_t>(most_steps, draft.offsets.back());
    resident += segment.resident_steps;
    halo_columns.insert(halo_columns.end(), draft.halo.begin(), draft.halo.end());
    slice_offsets.insert(slice_offsets.end(), draft.offsets.begin(), draft.offsets.end());
    for (const std::int32_t column : draft.halo) {
      for (std::int64_t k = 0; k < n; ++k) exported[static_cast<std::size_t>(column * n + k)] = 1;
    }
    segments.push_back(segment);
  }
  if (!fits_) return;
  // A few steps do not matter beside the rest of an iteration.
  constexpr std::int64_t few_steps = 64;
  balanced_ = most_steps <= 2 * matrix.blocks() / (warp_size * shape.blocks) + few_steps;
  resident_share_ = steps > 0 ? static_cast<double>(resident) / static_cast<double>(steps) : 1;

  const auto nn = static_cast<std::size_t>(n * n);
  const std::size_t slice_size = static_cast<std::size_t>(warp_size / shape.lanes);
  std::vector<std::int32_t> slice_rows(slice_offsets.size() * slice_size);
  Buffer<std::uint16_t> columns(static_cast<std::size_t>(steps) * warp_size);
  Buffer<T> values(columns.size() * nn);
  parallel_for(
      static_cast<std::int64_t>(drafts.size()), 8, [&](std::int64_t begin, std::int64_t end) {
        for (auto b = static_cast<std::size_t>(begin); b < static_cast<std::size_t>(end); ++b) {
          const auto first = static_cast<std::size_t>(segments[b].step_begin) * warp_size;
          const auto rows_at = static_cast<std::size_t>(segments[b].slice_begin) * slice_size;
          fill(matrix, shape.lanes, drafts[b], std::span(slice_rows).subspan(rows_at),
               std::span(columns.data(), columns.size()).subspan(first),
               std::span(values.data(), values.size()).subspan(first * nn));
        }
      });
  segments_ = DeviceArray<PersistentSegment>(std::span<const PersistentSegment>(segments));
  slice_offsets_ = DeviceArray<std::uint32_t>(std::span<const std::uint32_t>(slice_offsets));
  slice_rows_ = DeviceArray<std::int32_t>(std::span<const std::int32_t>(slice_rows));
  columns_ = DeviceArray<std::uint16_t>(std::span<const std::uint16_t>(columns));
  values_ = DeviceArray<T>(std::span<const T>(values));
  halo_columns_ = DeviceArray<std::int32_t>(std::span<const std::int32_t>(halo_columns));
  exported_ = DeviceArray<std::uint8_t>(std::span<const std::uint8_t>(exported));
}

template <class T>
std::int64_t PersistentMatrix<T>::bytes() const {
  return static_cast<std::int64_t>(segments_.bytes() + slice_offsets_.bytes() +
                                   slice_rows_.bytes() + columns_.bytes() + values_.bytes() +
                                   halo_columns_.bytes() + exported_.bytes());
}

template <class T>
PersistentStorage<T> PersistentMatrix<T>::storage() const {
  return {segments_.data(), slice_offsets_.data(), slice_rows_.data(), columns_.data(),
          values_.data(),   halo_columns_.data(),  exported_.data(),   rows_,
          shape_.lanes};
}

template class PersistentMatrix<float>;
template class PersistentMatrix<double>;

}  // namespace sparsecast::cuda
