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
  copy_to_device(array.data(), values.data(), values.size_bytes());
  SPARSECAST_CUDA_CHECK(
      cudaMemset(array.data() + values.size(), 0, array.bytes() - values.size_bytes()));
  return array;
}

/// 32-bit offsets are widened on the way.
DeviceArray<std::int64_t> upload_offsets(const RowOffsets& offsets) {
  const std::span<const std::int32_t> narrow = offsets.narrow();
  if (narrow.empty()) return DeviceArray<std::int64_t>(offsets.wide());
  DeviceArray<std::int64_t> array(static_cast<std::int64_t>(narrow.size()));
  write_to_device(array.data(), array.bytes(), [&](std::size_t first, std::span<std::byte> piece) {
    const auto part =
        narrow.subspan(first / sizeof(std::int64_t), piece.size() / sizeof(std::int64_t));
    std::ranges::copy(part, reinterpret_cast<std::int64_t*>(piece.data()));
  });
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
