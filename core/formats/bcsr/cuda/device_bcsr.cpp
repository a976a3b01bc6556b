#include "core/formats/bcsr/cuda/device_bcsr.cuh"

#include <algorithm>
#include <vector>

#include "core/base/round_up.hpp"
#include "core/base/stopwatch.hpp"
#include "core/cuda/device/current_gpu.cuh"
#include "core/formats/bcsr/geometry.hpp"

namespace sparsecast::cuda {
namespace {

bool is_kept_as_it_is(const Layout& layout) {
  return layout.block_size == 1 && layout.row_order == RowOrder::natural;
}

}  // namespace

template <class T>
std::int64_t DeviceBcsr<T>::bytes_bound(std::int64_t rows, std::int64_t nonzeros,
                                        std::int64_t blocks, const Layout& layout,
                                        const CudaPolicy& policy) {
  const std::int64_t n = layout.block_size;
  const std::int64_t block_rows = rows / n + 2;
  const auto value_bytes = static_cast<std::int64_t>(sizeof(T));
  // All rows long is the worst; a long row takes at least so many passes of two blocks.
  const std::int64_t pieces = blocks / (2 * policy.long_row_passes) + 1;
  const std::int64_t entries = round_up(nonzeros, csr_step) * (value_bytes + 4);
  const std::int64_t converted = round_up(blocks, 32) * (n * n * value_bytes + 4);
  // Offsets in 64 bits and in those that are kept, 64 too at worst; counts, their order, and what
  // sorting works with.
  const std::int64_t offsets = block_rows * (8 + 8 + 6 * 4);
  return (is_kept_as_it_is(layout) ? entries : entries + (rows + 1) * 8 + converted) + offsets +
         (has_narrow_kernels(layout.block_size) ? blocks * 2 : 0) +
         pieces * (static_cast<std::int64_t>(sizeof(LongPiece)) + n * value_bytes + 4 +
                   static_cast<std::int64_t>(sizeof(double)) +
                   static_cast<std::int64_t>(sizeof(LongRow)));
}

template <class T>
DeviceBcsr<T>::DeviceBcsr(const CsrView<T>& matrix, const Layout& layout, const CudaPolicy& policy,
                          std::int64_t first_row) {
  const double start = steady_seconds();
  DeviceCsr<T> uploaded(matrix, csr_step);
  uploaded.first_row = first_row;
  SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
  upload_seconds_ = steady_seconds() - start;
  convert(std::move(uploaded), layout, policy);
}

template <class T>
DeviceBcsr<T>::DeviceBcsr(DeviceCsr<T> matrix, const Layout& layout, const CudaPolicy& policy) {
  convert(std::move(matrix), layout, policy);
}

template <class T>
void DeviceBcsr<T>::convert(DeviceCsr<T> matrix, const Layout& layout, const CudaPolicy& policy) {
  const double start = steady_seconds();
  block_size_ = layout.block_size;
  finishing_groups_ = policy.groups_per_finishing_block;
  rows_ = matrix.rows;
  shape_.unknowns = static_cast<double>(matrix.rows);
  shape_.total_unknowns = static_cast<double>(matrix.columns);
  BlockRows block_rows;
  if (is_kept_as_it_is(layout)) {
    block_rows.count = matrix.rows;
    keep(matrix, block_rows, policy);
    block_rows.offsets = std::move(matrix.row_offsets);
  } else {
    block_rows = find_block_rows(matrix, layout);
    fill(matrix, block_rows, layout, policy);
  }
  find_shape(block_rows, policy);
  row_index_ = std::move(block_rows.row_index);
  SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
  conversion_seconds_ = steady_seconds() - start;
}

template <class T>
StoredPattern DeviceBcsr<T>::make_offsets(std::int64_t block_rows, const CudaPolicy& policy) {
  const auto memory_of = [&](std::int64_t bytes) {
    return block_size_ == 1 ? memory_of_csr(bytes) : MemoryKind::pooled;
  };
  if (has_short_offsets(blocks_ * block_size_ * block_size_, policy)) {
    offsets32_ = DeviceArray<std::uint32_t>(block_rows + 1, memory_of(4 * block_rows));
  } else {
    offsets64_ = DeviceArray<std::uint64_t>(block_rows + 1, memory_of(8 * block_rows));
  }
  StoredPattern pattern;
  pattern.offsets32 = offsets32_.data();
  pattern.offsets64 = offsets64_.data();
  return pattern;
}

template <class T>
void DeviceBcsr<T>::keep(DeviceCsr<T>& matrix, BlockRows& rows, const CudaPolicy& policy) {
  blocks_ = matrix.nonzeros;
  StoredPattern pattern = make_offsets(rows.count, policy);
  pattern.columns_size = matrix.column_indices.size();
  if (may_narrow_columns(Layout{}, policy)) {
    columns16_ = array_of_csr<std::int16_t>(pattern.columns_size);
    pattern.columns16 = columns16_.data();
  }
  if (matrix.first_row != 0) pattern.columns = matrix.column_indices.data();
  rows.facts = keep_rows(matrix, pattern);
  if (rows.facts.far_columns != 0) columns16_ = {};
  if (columns16_.size() == 0) columns_ = std::move(matrix.column_indices);
  values_ = std::move(matrix.values);
}

template <class T>
void DeviceBcsr<T>::fill(const DeviceCsr<T>& matrix, const BlockRows& rows, const Layout& layout,
                         const CudaPolicy& policy) {
  blocks_ = rows.facts.blocks;
  StoredPattern pattern = make_offsets(rows.count, policy);
  pattern.columns_size = round_up(blocks_, csr_step);
  if (may_narrow_columns(layout, policy) && rows.facts.far_columns == 0) {
    columns16_ = DeviceArray<std::int16_t>(pattern.columns_size, MemoryKind::pooled);
    pattern.columns16 = columns16_.data();
  } else {
    columns_ = DeviceArray<std::int32_t>(pattern.columns_size, MemoryKind::pooled);
    pattern.columns = columns_.data();
  }
  values_ = DeviceArray<T>::zeros(
      block_size_ == 1 ? pattern.columns_size : interleaved_values(blocks_, block_size_),
      MemoryKind::pooled);
  fill_blocks(matrix, rows, block_size_, pattern, values_.data());
}

template <class T>
void DeviceBcsr<T>::find_shape(const BlockRows& block_rows, const CudaPolicy& policy) {
  const std::int64_t n = block_size_;
  shape_.elements = static_cast<double>(blocks_ * n * n);
  shape_.blocks = static_cast<double>(blocks_);
  shape_.block_rows = static_cast<double>(block_rows.count);
  if (columns16_.size() > 0) shape_.index_bytes = 2;
  execution_ = bcsr_execution(shape_, block_layout(block_size_), precision_of<T>(),
                              current_gpu_shape(), policy);
  if (block_rows.facts.longest_row > execution_.longest_short_row) {
    cut_long_rows(find_long_rows(block_rows.offsets, block_rows.count, blocks_,
                                 execution_.longest_short_row));
  }
}

template <class T>
void DeviceBcsr<T>::cut_long_rows(const std::vector<LongRow>& rows) {
  const std::int64_t length = execution_.piece_length;
  std::vector<LongPiece> pieces;
  for (const LongRow& row : rows) {
    const auto first = static_cast<std::int32_t>(pieces.size());
    const auto count = static_cast<std::int32_t>((row.end - row.begin + length - 1) / length);
    for (std::int64_t from = row.begin; from < row.end; from += length) {
      pieces.push_back({from, static_cast<std::int32_t>(std::min(length, row.end - from)),
                        static_cast<std::int32_t>(row.row), first, count});
    }
  }
  execution_.long_rows = std::ssize(rows);
  execution_.pieces = std::ssize(pieces);
  pieces_ = DeviceArray<LongPiece>(std::span<const LongPiece>(pieces), MemoryKind::pooled);
  piece_sums_ = DeviceArray<T>(pieces_.size() * block_size_, MemoryKind::pooled);
  piece_count_ = DeviceArray<std::int32_t>::zeros(pieces_.size(), MemoryKind::pooled);
}

template <class T>
BcsrMatrix<T> DeviceBcsr<T>::download() const {
  const auto fetch = [](const auto& array, auto& to, std::int64_t size) {
    to.resize(static_cast<std::size_t>(size));
    if (size == 0) return;
    SPARSECAST_CUDA_CHECK(cudaMemcpy(to.data(), array.data(),
                                     static_cast<std::size_t>(size) * sizeof(to[0]),
                                     cudaMemcpyDeviceToHost));
  };
  BcsrMatrix<T> result;
  result.block_size = block_size_;
  result.rows = rows_;
  result.columns = static_cast<std::int64_t>(shape_.total_unknowns);
  result.block_rows = static_cast<std::int64_t>(shape_.block_rows);
  Buffer<std::uint32_t> offsets32;
  Buffer<std::uint64_t> offsets64;
  fetch(offsets32_, offsets32, offsets32_.size());
  fetch(offsets64_, offsets64, offsets64_.size());
  result.block_offsets.assign(offsets32.begin(), offsets32.end());
  result.block_offsets.insert(result.block_offsets.end(), offsets64.begin(), offsets64.end());
  fetch(row_index_, result.row_index, row_index_.size());
  if (columns16_.size() == 0) {
    fetch(columns_, result.block_columns, blocks_);
  } else {
    Buffer<std::int16_t> differences;
    fetch(columns16_, differences, blocks_);
    for (std::size_t k = 0; k + 1 < result.block_offsets.size(); ++k) {
      const std::int32_t base = narrow_base(static_cast<std::int32_t>(k));
      for (auto b = result.block_offsets[k]; b < result.block_offsets[k + 1]; ++b) {
        result.block_columns.push_back(base + differences[static_cast<std::size_t>(b)]);
      }
    }
  }
  Buffer<T> stored;
  fetch(values_, stored, values_.size());
  result.values.resize(static_cast<std::size_t>(blocks_ * block_size_ * block_size_));
  with_block_size(block_size_, [&](auto size) {
    constexpr int n = size();
    for (std::int64_t block = 0; block < blocks_; ++block) {
      for (int value = 0; value < n * n; ++value) {
        const std::int64_t place =
            n == 1 ? block : place_of_value<T, n>(block, value / n, value % n);
        result.values[static_cast<std::size_t>(block * n * n + value)] =
            stored[static_cast<std::size_t>(place)];
      }
    }
  });
  return result;
}

template <class T>
std::int64_t DeviceBcsr<T>::most_dot_parts(std::int64_t most_blocks) const {
  return most_blocks + execution_.blocks / finishing_groups_ + 1 + execution_.piece_blocks() +
         execution_.pieces;
}

template <class T>
std::vector<Launch> DeviceBcsr<T>::multiply_launches(const ProductOperands<T>& operands,
                                                     const Gate& gate) const {
  Multiplication<T> m;
  m.block_size = block_size_;
  m.execution = execution_;
  m.offsets32 = offsets32_.data();
  m.offsets64 = offsets64_.data();
  m.columns = columns_.data();
  m.columns16 = columns16_.data();
  m.values = values_.data();
  m.map = {rows_, static_cast<std::int64_t>(shape_.block_rows), row_index_.data()};
  m.long_rows = {
      execution_.longest_short_row, pieces_.data(),     static_cast<int>(pieces_.size()), 0,
      piece_sums_.data(),           piece_count_.data()};
  m.input = operands.input;
  m.output = operands.output;
  m.halo = operands.halo;
  m.finish = operands.finish;
  m.most_blocks = operands.most_blocks;
  m.most_groups = finishing_groups_;
  return {spmv_launch(m, gate)};
}

template <class T>
std::int64_t DeviceBcsr<T>::bytes() const {
  return static_cast<std::int64_t>(offsets32_.bytes() + offsets64_.bytes() + columns_.bytes() +
                                   columns16_.bytes() + values_.bytes() + row_index_.bytes() +
                                   pieces_.bytes() + piece_sums_.bytes() + piece_count_.bytes());
}

template <class T>
BytesByKind DeviceBcsr<T>::bytes_read() const {
  BytesByKind bytes;
  bytes.values = shape_.elements * sizeof(T);
  bytes.indices = shape_.blocks * shape_.index_bytes;
  bytes.row_pointers = shape_.block_rows * (offsets64_.size() == 0 ? 4 : 8);
  return bytes;
}

template class DeviceBcsr<float>;
template class DeviceBcsr<double>;

}  // namespace sparsecast::cuda
