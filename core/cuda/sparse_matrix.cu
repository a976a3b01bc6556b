#include "core/cuda/sparse_matrix.cuh"

#include <algorithm>
#include <vector>

#include "core/thread_team.hpp"

namespace sparsecast::cuda {
namespace {

std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

template <class Offset>
DeviceArray<Offset> upload_as(const Buffer<std::int64_t>& offsets) {
  Buffer<Offset> converted(offsets.size());
  std::ranges::transform(offsets, converted.begin(),
                         [](std::int64_t offset) { return static_cast<Offset>(offset); });
  return DeviceArray<Offset>(std::span<const Offset>(converted));
}

/// Blocks in a piece of a long row.
std::int64_t piece_length(int block_size, const CudaPolicy& policy) {
  return std::max(32, policy.values_per_long_piece / (block_size * block_size));
}

}  // namespace

template <class T>
std::int64_t SparseMatrix<T>::bytes_bound(std::int64_t rows, std::int64_t blocks, int block_size,
                                          const CudaPolicy& policy) {
  const std::int64_t n = block_size;
  const auto value_bytes = static_cast<std::int64_t>(sizeof(T));
  // All rows long is the worst; a long row takes at least so many passes of two blocks.
  const std::int64_t pieces = blocks / (2 * policy.long_row_passes) + 1;
  return round_up(blocks, 32) * (n * n * value_bytes + 4) + (rows / n + 2) * 12 +
         pieces * (static_cast<std::int64_t>(sizeof(LongPiece)) + n * value_bytes + 4 +
                   static_cast<std::int64_t>(sizeof(double)));
}

template <class T>
SparseMatrix<T>::SparseMatrix(const BcsrMatrix<T>& matrix, const CudaPolicy& policy)
    : block_size_(matrix.block_size), rows_(matrix.rows), blocks_(matrix.blocks()) {
  shape_.unknowns = static_cast<double>(matrix.rows);
  shape_.total_unknowns = static_cast<double>(matrix.columns);
  shape_.elements = static_cast<double>(matrix.values.size());
  shape_.blocks = static_cast<double>(blocks_);
  shape_.block_rows = static_cast<double>(matrix.block_rows);
  lanes_ = spmv_lanes(shape_, block_size_, policy);

  const auto values = static_cast<std::int64_t>(matrix.values.size());
  if (values <= policy.most_values_with_32_bit_offsets) {
    offsets32_ = upload_as<std::uint32_t>(matrix.block_offsets);
  } else {
    offsets64_ = upload_as<std::uint64_t>(matrix.block_offsets);
  }
  upload_values(matrix);
  row_index_ = DeviceArray<std::int32_t>(std::span<const std::int32_t>(matrix.row_index));
  find_long_rows(matrix, policy);
}

template <class T>
void SparseMatrix<T>::upload_values(const BcsrMatrix<T>& matrix) {
  const auto copy = [](auto* to, const auto& from) {
    if (from.empty()) return;
    SPARSECAST_CUDA_CHECK(
        cudaMemcpy(to, from.data(), from.size() * sizeof(from[0]), cudaMemcpyHostToDevice));
  };
  // Lanes of CSR load whole groups of four; the last may be partly filled.
  columns_ = DeviceArray<std::int32_t>::zeros(round_up(blocks_, csr_step));
  copy(columns_.data(), matrix.block_columns);
  if (block_size_ == 1) {
    values_ = DeviceArray<T>::zeros(round_up(blocks_, csr_step));
    copy(values_.data(), matrix.values);
    return;
  }
  with_block_size(block_size_, [&](auto size) {
    constexpr int n = size();
    using Item = ItemShape<T, n>;
    const std::int64_t items = blocks_ * Item::per_block;
    const std::int64_t groups = (items + Item::group - 1) / Item::group;
    constexpr std::int64_t group_values = std::int64_t{Item::group} * Item::values;
    Buffer<T> interleaved(static_cast<std::size_t>(groups * group_values));
    constexpr std::int64_t groups_per_part = 256;
    parallel_for(groups, groups_per_part, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t group = begin; group < end; ++group) {
        for (int i = 0; i < Item::group; ++i) {
          const std::int64_t item = group * Item::group + i;
          const T* from = matrix.values.data() + item * Item::values;
          T* to = interleaved.data() + group * group_values + i * Item::unit;
          for (int k = 0; k < Item::units; ++k) {
            for (int v = 0; v < Item::unit; ++v) {
              to[k * Item::group * Item::unit + v] = item < items ? from[k * Item::unit + v] : T{0};
            }
          }
        }
      }
    });
    values_ = DeviceArray<T>(std::span<const T>(interleaved));
  });
}

template <class T>
void SparseMatrix<T>::find_long_rows(const BcsrMatrix<T>& matrix, const CudaPolicy& policy) {
  const std::int64_t length = piece_length(block_size_, policy);
  // Two loads of each lane are under way.
  const std::int64_t one_pass =
      2 * (block_size_ == 1 ? csr_step * lanes_ : lanes_ / items_per_block(block_size_));
  longest_short_row_ = policy.long_row_passes * one_pass;
  // A whole warp that takes a row anyway gains only by sharing it.
  if (lanes_ == warp_size) longest_short_row_ = std::max(longest_short_row_, length);
  std::vector<LongPiece> pieces;
  for (std::int64_t row = 0; row < matrix.block_rows; ++row) {
    const std::int64_t begin = matrix.block_offsets[static_cast<std::size_t>(row)];
    const std::int64_t end = matrix.block_offsets[static_cast<std::size_t>(row) + 1];
    if (end - begin <= longest_short_row_) continue;
    const auto first = static_cast<std::int32_t>(pieces.size());
    const auto count = static_cast<std::int32_t>((end - begin + length - 1) / length);
    for (std::int64_t from = begin; from < end; from += length) {
      pieces.push_back({from, static_cast<std::int32_t>(std::min(length, end - from)),
                        static_cast<std::int32_t>(row), first, count});
    }
  }
  pieces_ = DeviceArray<LongPiece>(std::span<const LongPiece>(pieces));
  piece_sums_ = DeviceArray<T>(pieces_.size() * block_size_);
  piece_count_ = DeviceArray<std::int32_t>::zeros(pieces_.size());
}

template <class T>
std::int64_t SparseMatrix<T>::most_dot_parts(std::int64_t most_blocks) const {
  return most_blocks + long_row_blocks(pieces_.size()) + pieces_.size();
}

template <class T>
Launch SparseMatrix<T>::multiply_launch(const T* input, T* output, const Gate& gate,
                                        const BlockFinish& finish, std::int64_t most_blocks) const {
  Multiplication<T> m;
  m.block_size = block_size_;
  m.lanes = lanes_;
  m.offsets32 = offsets32_.data();
  m.offsets64 = offsets64_.data();
  m.columns = columns_.data();
  m.values = values_.data();
  m.map = {rows_, static_cast<std::int64_t>(shape_.block_rows), row_index_.data()};
  m.long_rows = {longest_short_row_, pieces_.data(),     static_cast<int>(pieces_.size()), 0,
                 piece_sums_.data(), piece_count_.data()};
  m.input = input;
  m.output = output;
  m.finish = finish;
  m.most_blocks = most_blocks;
  return spmv_launch(m, gate);
}

template <class T>
std::int64_t SparseMatrix<T>::bytes() const {
  return static_cast<std::int64_t>(offsets32_.bytes() + offsets64_.bytes() + columns_.bytes() +
                                   values_.bytes() + row_index_.bytes() + pieces_.bytes() +
                                   piece_sums_.bytes() + piece_count_.bytes());
}

template <class T>
BytesByKind SparseMatrix<T>::bytes_read() const {
  BytesByKind bytes;
  bytes.values = shape_.elements * sizeof(T);
  bytes.indices = shape_.blocks * sizeof(std::int32_t);
  bytes.row_pointers = shape_.block_rows * (offsets64_.size() == 0 ? 4 : 8);
  return bytes;
}

template class SparseMatrix<float>;
template class SparseMatrix<double>;

}  // namespace sparsecast::cuda
