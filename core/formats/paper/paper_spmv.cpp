#include "core/formats/paper/paper_spmv.hpp"

#include <algorithm>

#include "core/base/threads/thread_team.hpp"

namespace sparsecast {

Buffer<std::int64_t> paper_thread_block_offsets(std::span<const std::int64_t> block_offsets,
                                                const PaperGeometry& geometry) {
  const auto rows = static_cast<std::int64_t>(block_offsets.size()) - 1;
  const std::int64_t together = geometry.block_rows;
  const std::int64_t multiple = geometry.blocks_at_once;
  Buffer<std::int64_t> offsets{0};
  for (std::int64_t first = 0; first < rows; first += together) {
    std::int64_t longest = 0;
    for (std::int64_t row = first; row < std::min(first + together, rows); ++row) {
      const auto k = static_cast<std::size_t>(row);
      longest = std::max(longest, block_offsets[k + 1] - block_offsets[k]);
    }
    const std::int64_t length = (longest + multiple - 1) / multiple * multiple;
    offsets.push_back(offsets.back() + length * together);
  }
  return offsets;
}

template <class T>
PaperArrangement<T> arrange_as_in_paper(const BcsrMatrix<T>& matrix, PaperStorage storage,
                                        const PaperGeometry& geometry) {
  if (storage == PaperStorage::plain) {
    return {matrix.block_offsets, matrix.block_columns, matrix.values};
  }
  PaperArrangement<T> arranged;
  arranged.offsets = paper_thread_block_offsets(matrix.block_offsets, geometry);
  const auto blocks = static_cast<std::size_t>(arranged.offsets.back());
  const std::int64_t size = std::int64_t{matrix.block_size} * matrix.block_size;
  arranged.block_columns.resize(blocks);
  arranged.values.resize(blocks * static_cast<std::size_t>(size));

  const std::int64_t together = geometry.block_rows;
  const std::int64_t at_once = geometry.blocks_at_once;
  const auto arrange_row = [&](std::int64_t base, std::int64_t length, std::int64_t row,
                               std::int64_t local) {
    const bool exists = row < matrix.block_rows;
    const auto k = static_cast<std::size_t>(row);
    const std::int64_t begin = exists ? matrix.block_offsets[k] : 0;
    const std::int64_t end = exists ? matrix.block_offsets[k + 1] : 0;
    const std::int32_t last =
        end > begin ? matrix.block_columns[static_cast<std::size_t>(end - 1)] : 0;
    for (std::int64_t block = 0; block < length; ++block) {
      const std::int64_t to =
          base + (storage == PaperStorage::padded
                      ? local * length + block
                      : (block / at_once * together + local) * at_once + block % at_once);
      const std::int64_t from = begin + block;
      const bool there = from < end;
      arranged.block_columns[static_cast<std::size_t>(to)] =
          there ? matrix.block_columns[static_cast<std::size_t>(from)] : last;
      T* values = arranged.values.data() + to * size;
      if (there) {
        std::copy_n(matrix.values.data() + from * size, size, values);
      } else {
        std::fill_n(values, size, T{0});
      }
    }
  };
  const auto thread_blocks = static_cast<std::int64_t>(arranged.offsets.size()) - 1;
  constexpr std::int64_t grain = 16;
  parallel_for(thread_blocks, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t block = begin; block < end; ++block) {
      const auto k = static_cast<std::size_t>(block);
      const std::int64_t base = arranged.offsets[k];
      const std::int64_t length = (arranged.offsets[k + 1] - base) / together;
      for (std::int64_t local = 0; local < together; ++local) {
        arrange_row(base, length, block * together + local, local);
      }
    }
  });
  return arranged;
}

template PaperArrangement<float> arrange_as_in_paper(const BcsrMatrix<float>&, PaperStorage,
                                                     const PaperGeometry&);
template PaperArrangement<double> arrange_as_in_paper(const BcsrMatrix<double>&, PaperStorage,
                                                      const PaperGeometry&);

}  // namespace sparsecast
