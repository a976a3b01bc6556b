#include "core/cuda/formats/device_csr.cuh"

#include <algorithm>
#include <span>

namespace sparsecast::cuda {
namespace {

/// Copies `count` values and fills up with zeros.
template <class Value>
DeviceArray<Value> upload_padded(std::span<const Value> values, std::int64_t size) {
  DeviceArray<Value> array(size, memory_of_csr(size * static_cast<std::int64_t>(sizeof(Value))));
  if (size == 0) return array;
  SPARSECAST_CUDA_CHECK(
      cudaMemcpy(array.data(), values.data(), values.size_bytes(), cudaMemcpyHostToDevice));
  SPARSECAST_CUDA_CHECK(
      cudaMemset(array.data() + values.size(), 0, array.bytes() - values.size_bytes()));
  return array;
}

/// 32-bit offsets are widened on the way, a piece at a time.
DeviceArray<std::int64_t> upload_offsets(const RowOffsets& offsets) {
  if (offsets.narrow().empty()) return DeviceArray<std::int64_t>(offsets.wide());
  constexpr std::size_t piece_size = 1 << 18;
  DeviceArray<std::int64_t> array(static_cast<std::int64_t>(offsets.size()));
  for (std::size_t first = 0; first < offsets.size(); first += piece_size) {
    const Buffer<std::int64_t> piece =
        offsets.subspan(first, std::min(piece_size, offsets.size() - first)).copy();
    SPARSECAST_CUDA_CHECK(cudaMemcpy(array.data() + first, piece.data(),
                                     piece.size() * sizeof(std::int64_t), cudaMemcpyHostToDevice));
  }
  return array;
}

}  // namespace

MemoryKind memory_of_csr(std::int64_t bytes) {
  return bytes < std::int64_t{4} << 20 ? MemoryKind::pooled : MemoryKind::own;
}

template <class T>
DeviceCsr<T>::DeviceCsr(const CsrView<T>& matrix, std::int64_t padding)
    : rows(matrix.rows),
      columns(matrix.columns),
      nonzeros(matrix.nonzeros()),
      row_offsets(upload_offsets(matrix.row_offsets)) {
  const std::int64_t size = (nonzeros + padding - 1) / padding * padding;
  column_indices = upload_padded(matrix.column_indices, size);
  values = upload_padded(matrix.values, size);
}

template struct DeviceCsr<float>;
template struct DeviceCsr<double>;

}  // namespace sparsecast::cuda
