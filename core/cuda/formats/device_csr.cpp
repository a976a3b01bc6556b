#include "core/cuda/formats/device_csr.cuh"

#include <algorithm>
#include <span>

#include "core/workload/device_arrays.hpp"

namespace sparsecast::cuda {
namespace {

/// 32-bit offsets are widened on the way.
void add_offsets(const RowOffsets& offsets, std::int64_t* to, HostCopies& copies) {
  const std::span<const std::int32_t> narrow = offsets.narrow();
  if (narrow.empty()) {
    copies.add(to, offsets.wide().data(), offsets.wide().size_bytes());
    return;
  }
  constexpr std::size_t bytes = sizeof(std::int64_t);
  copies.add(to, narrow.size() * bytes, [narrow](std::size_t first, std::span<std::byte> piece) {
    std::ranges::copy(narrow.subspan(first / bytes, piece.size() / bytes),
                      reinterpret_cast<std::int64_t*>(piece.data()));
  });
}

/// Zeros behind the values.
template <class Value>
void fill_up(const DeviceArray<Value>& array, std::size_t values) {
  if (array.size() == 0) return;
  SPARSECAST_CUDA_CHECK(
      cudaMemset(array.data() + values, 0, array.bytes() - values * sizeof(Value)));
}

}  // namespace

MemoryKind memory_of_csr(std::int64_t bytes) {
  return bytes < least_own_bytes ? MemoryKind::pooled : MemoryKind::own;
}

template <class T>
DeviceCsr<T>::DeviceCsr(const CsrView<T>& matrix, std::int64_t padding)
    : rows(matrix.rows),
      columns(matrix.columns),
      nonzeros(matrix.nonzeros()),
      row_offsets(static_cast<std::int64_t>(matrix.row_offsets.size())) {
  const std::int64_t size = (nonzeros + padding - 1) / padding * padding;
  column_indices = array_of_csr<std::int32_t>(size);
  values = array_of_csr<T>(size);
  HostCopies copies;
  add_offsets(matrix.row_offsets, row_offsets.data(), copies);
  copies.add(column_indices.data(), matrix.column_indices.data(),
             matrix.column_indices.size_bytes());
  copies.add(values.data(), matrix.values.data(), matrix.values.size_bytes());
  // On the default stream, which the copies wait for.
  fill_up(column_indices, matrix.column_indices.size());
  fill_up(values, matrix.values.size());
  copies.run();
}

template struct DeviceCsr<float>;
template struct DeviceCsr<double>;

}  // namespace sparsecast::cuda
