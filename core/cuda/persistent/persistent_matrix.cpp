#include "core/cuda/persistent/persistent_matrix.cuh"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "core/analysis/partition.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/cuda/device/warp.cuh"
#include "core/cuda/formats/device_csr.cuh"

namespace sparsecast::cuda {
namespace {

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
};

/// Where in a segment's window its block columns are, by block column: looked up once for each
/// block. Those that it does not look up have any place.
class WindowPlaces {
 public:
  explicit WindowPlaces(std::int64_t block_columns)
      : places_(static_cast<std::size_t>(block_columns)) {}

  void take(const Segment& segment) {
    const auto own = static_cast<std::size_t>(segment.block_rows);
    const auto first = places_.begin() + segment.first;
    std::iota(first, first + segment.block_rows, std::uint16_t{0});
    for (std::size_t k = 0; k < segment.halo.size(); ++k) {
      places_[static_cast<std::size_t>(segment.halo[k])] = static_cast<std::uint16_t>(own + k);
    }
  }
  std::uint16_t operator[](std::int32_t column) const {
    return places_[static_cast<std::size_t>(column)];
  }

 private:
  Buffer<std::uint16_t> places_;
};

/// Writes the steps of a segment.
template <class T>
void fill(const BlockPatternView& matrix, std::span<const T> block_values, const Segment& segment,
          const WindowPlaces& places, std::span<std::uint16_t> columns, std::span<T> values) {
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
          columns[step * warp_size + lane] = filled  ? places[matrix.block_columns[block]]
                                             : there ? slot.row
                                                     : 0;
          for (std::size_t k = 0; k < nn; ++k) {
            values[(step * nn + k) * warp_size + lane] =
                filled ? block_values[block * nn + k] : T{0};
          }
          block += filled ? 1 : 0;
        }
      }
    }
  }
}

}  // namespace

template <class T>
PersistentMatrix<T>::PersistentMatrix(const BlockPatternView& pattern,
                                      std::span<const T> block_values, const PersistentCut& cut)
    : shape_(cut.shape), block_size_(cut.block_size), rows_(cut.rows) {
  const auto n = static_cast<std::size_t>(cut.block_size);
  std::vector<std::uint8_t> exported(static_cast<std::size_t>(cut.block_rows) * n);
  for (const std::int32_t column : cut.halo_columns) {
    for (std::size_t k = 0; k < n; ++k) exported[static_cast<std::size_t>(column) * n + k] = 1;
  }
  Buffer<std::uint16_t> columns(static_cast<std::size_t>(cut.steps) * warp_size);
  Buffer<T> values(columns.size() * n * n);
  parallel_for(
      static_cast<std::int64_t>(cut.segments.size()),
      persistent_segments_of_thread(cut.shape, std::ssize(block_values)),
      [&](std::int64_t begin, std::int64_t end) {
        WindowPlaces places((pattern.columns + pattern.block_size - 1) / pattern.block_size);
        for (std::int64_t b = begin; b < end; ++b) {
          const PersistentSegment& of = cut.segments[static_cast<std::size_t>(b)];
          const auto first = static_cast<std::size_t>(of.step_begin) * warp_size;
          const Segment segment(cut, of);
          places.take(segment);
          fill(pattern, block_values, segment, places,
               std::span(columns.data(), columns.size()).subspan(first),
               std::span(values.data(), values.size()).subspan(first * n * n));
        }
      });
  HostCopies copies;
  const auto upload = [&copies]<class U>(DeviceArray<U>& to, const auto& from) {
    to = array_of_csr<U>(static_cast<std::int64_t>(from.size()));
    copies.add(to.data(), from.data(), to.bytes());
  };
  upload(segments_, cut.segments);
  upload(slices_, cut.slices);
  upload(slots_, cut.slots);
  upload(splits_, cut.splits);
  upload(columns_, columns);
  upload(values_, values);
  upload(halo_columns_, cut.halo_columns);
  upload(exported_, exported);
  copies.run();
}

template <class T>
std::int64_t PersistentMatrix<T>::bytes() const {
  return static_cast<std::int64_t>(segments_.bytes() + slices_.bytes() + slots_.bytes() +
                                   splits_.bytes() + columns_.bytes() + values_.bytes() +
                                   halo_columns_.bytes() + exported_.bytes());
}

template <class T>
BytesByKind PersistentMatrix<T>::bytes_read() const {
  BytesByKind bytes;
  bytes.values = static_cast<double>(values_.bytes());
  bytes.indices = static_cast<double>(columns_.bytes());
  bytes.row_pointers = static_cast<double>(slices_.bytes() + slots_.bytes() + splits_.bytes());
  return bytes;
}

template <class T>
PersistentStorage<T> PersistentMatrix<T>::storage() const {
  return {segments_.data(), slices_.data(),       slots_.data(),    splits_.data(), columns_.data(),
          values_.data(),   halo_columns_.data(), exported_.data(), rows_};
}

template class PersistentMatrix<float>;
template class PersistentMatrix<double>;

}  // namespace sparsecast::cuda
