#include "core/formats/strips/strips.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "core/base/error.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/formats/bcsr/bcsr.hpp"

namespace sparsecast {
namespace {

constexpr std::int64_t blocks_per_part = 4096;

Buffer<std::uint32_t> offsets_of(const Buffer<std::int64_t>& block_offsets, StripContent content) {
  const auto block_rows = static_cast<std::int64_t>(block_offsets.size()) - 1;
  Buffer<std::uint32_t> offsets(static_cast<std::size_t>(strip_offsets(content, block_rows)));
  for (std::int64_t k = 0; k < block_rows; ++k) {
    const auto begin = static_cast<std::uint32_t>(block_offsets[k]);
    const auto end = static_cast<std::uint32_t>(block_offsets[k + 1]);
    if (content == StripContent::rows) {
      offsets[2 * k] = begin;
      offsets[2 * k + 1] = end;
    } else {
      offsets[k] = begin;
    }
  }
  if (content == StripContent::quads) {
    offsets[block_rows] = static_cast<std::uint32_t>(block_offsets.back());
  }
  return offsets;
}

}  // namespace

StripContent strip_content(const Layout& layout) {
  return layout.format == "bcsr4-strips" ? StripContent::rows : StripContent::quads;
}

template <class T>
StripMatrix<T> convert_to_strips(const CsrView<T>& matrix, const Segment& segment,
                                 StripContent content, int threads) {
  BcsrMatrix<T> blocked = convert_to_bcsr(matrix, segment, block_layout(strip_block_size), threads);
  const std::int64_t blocks = blocked.blocks();
  if (blocks > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(std::string("layout ") +
                (content == StripContent::rows ? "bcsr4-strips: " : "bcsr4-quads: ") +
                std::to_string(blocks) +
                " blocks; up to 4294967295 have offsets of 32 bits: use bcsr4");
  }
  StripMatrix<T> result;
  result.content = content;
  result.rows = blocked.rows;
  result.columns = blocked.columns;
  result.block_rows = blocked.block_rows;
  result.offsets = offsets_of(blocked.block_offsets, content);
  result.block_columns = std::move(blocked.block_columns);
  result.values.resize(blocked.values.size());
  parallel_for(
      blocks, blocks_per_part,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t block = begin; block < end; ++block) {
          const T* from = blocked.values.data() + block * strip_block_size * strip_block_size;
          for (int i = 0; i < strip_block_size; ++i) {
            for (int j = 0; j < strip_block_size; ++j) {
              const auto [strip, value] = strip_place(content, i, j);
              result.values[(strip * blocks + block) * strip_values + value] =
                  from[i * strip_block_size + j];
            }
          }
        }
      },
      threads);
  return result;
}

SegmentShape strip_shape(double rows, double columns, double blocks, StripContent content) {
  SegmentShape shape;
  shape.unknowns = rows;
  shape.total_unknowns = columns;
  shape.elements = blocks * strip_block_size * strip_block_size;
  shape.blocks = blocks;
  shape.block_rows = std::ceil(rows / strip_block_size);
  shape.offset_bytes = (content == StripContent::rows ? 2 : 1) * sizeof(std::uint32_t);
  return shape;
}

template StripMatrix<float> convert_to_strips(const CsrView<float>&, const Segment&, StripContent,
                                              int);
template StripMatrix<double> convert_to_strips(const CsrView<double>&, const Segment&, StripContent,
                                               int);

}  // namespace sparsecast
