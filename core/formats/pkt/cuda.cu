#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/stopwatch.hpp"
#include "core/cuda/device/device_array.cuh"
#include "core/cuda/device/early_launch.cuh"
#include "core/cuda/formats/device_csr.cuh"
#include "core/cuda/formats/device_matrix.cuh"
#include "core/cuda/run/run_operations.cuh"
#include "core/formats/coo/cuda/coo_part.cuh"
#include "core/formats/most_stored.hpp"
#include "core/formats/pkt/pkt.hpp"

/// @file
/// Packets on a GPU (Bell and Garland 2008, section 4.6 and Figure 26): a thread block a packet.
/// Its rows are at the same places of the vectors as in the matrix: the vector is gathered, results
/// are scattered, where rows are clustered. The paper renumbers both vectors in place of that.

namespace sparsecast::cuda {
namespace {

/// Entries of a lane that are loaded before the first is used.
constexpr int entries_at_once = 4;

/// What a kernel gets of a `PacketMatrix` in device memory.
template <class T>
struct PacketStorage {
  std::int64_t packets = 0;
  /// From the segment's first row on: rows behind have no part of the vector.
  std::int64_t columns = 0;
  const Packet* list = nullptr;
  const std::int32_t* row_index = nullptr;  ///< null: rows are in their places
  const std::uint32_t* indices = nullptr;
  const T* values = nullptr;
};

/// Adds a lane's products to results that no other lane adds to: rows are whole.
template <int lanes, class T>
__device__ void add_packet(const PacketStorage<T>& a, const Packet& packet, const T* x_local,
                           T* y_local) {
  const std::uint32_t* indices = a.indices + packet.first_entry + threadIdx.x;
  const T* values = a.values + packet.first_entry + threadIdx.x;
  for (int left = packet.depth; left > 0; left -= entries_at_once) {
    std::uint32_t index[entries_at_once];
    T value[entries_at_once];
#pragma unroll
    for (int u = 0; u < entries_at_once; ++u) {
      index[u] = u < left ? __ldg(indices + u * lanes) : no_packet_entry;
      value[u] = u < left ? __ldg(values + u * lanes) : T{0};
    }
#pragma unroll
    for (int u = 0; u < entries_at_once; ++u) {
      if (index[u] == no_packet_entry) continue;
      y_local[row_in_packet(index[u])] += value[u] * x_local[column_in_packet(index[u])];
    }
    indices += entries_at_once * lanes;
    values += entries_at_once * lanes;
  }
}

template <class T, int most_rows, int lanes>
__global__ void __launch_bounds__(lanes)
    multiply_packets(Gate gate, const PacketStorage<T> a, const T* input, T* output) {
  __shared__ T x_local[most_rows];
  __shared__ T y_local[most_rows];
  // No kernel writes the matrix. A segment without rows has a thread block, too.
  const Packet packet = blockIdx.x < a.packets ? a.list[blockIdx.x] : Packet{};
  const auto row_at = [&](int place) {
    const std::int32_t stored = packet.first_place + place;
    return a.row_index == nullptr ? stored : __ldg(a.row_index + stored);
  };
  wait_for_kernel_before();
  if (!enters(gate)) return;
  for (int place = static_cast<int>(threadIdx.x); place < packet.rows; place += lanes) {
    const std::int32_t row = row_at(place);
    x_local[place] = row < a.columns ? input[row] : T{0};
    y_local[place] = 0;
  }
  __syncthreads();
  add_packet<lanes>(a, packet, x_local, y_local);
  __syncthreads();
  for (int place = static_cast<int>(threadIdx.x); place < packet.rows; place += lanes) {
    output[row_at(place)] = y_local[place];
  }
}

template <class T>
class DevicePackets final : public DeviceMatrix<T> {
 public:
  explicit DevicePackets(const SegmentSource<T>& source)
      : geometry_(packet_geometry(source.layout)) {
    const double start = steady_seconds();
    const RowClusters clusters =
        packet_clusters(source.matrix.pattern(), source.segment, source.layout);
    const PacketMatrix<T> matrix =
        convert_to_packets(source.matrix, source.segment, clusters, geometry_.lanes);
    conversion_seconds_ = steady_seconds() - start;
    packets_ = DeviceArray<Packet>(std::span<const Packet>(matrix.packets));
    if (geometry_.clusters) {
      row_index_ = DeviceArray<std::int32_t>(std::span<const std::int32_t>(matrix.row_index));
    }
    indices_ = DeviceArray<std::uint32_t>(std::span<const std::uint32_t>(matrix.indices));
    values_ = DeviceArray<T>(std::span<const T>(matrix.values));
    DeviceCsr<T> uploaded(matrix.rest.view(), 1);
    uploaded.first_row = source.segment.begin_row;
    const std::int64_t rest = uploaded.nonzeros;
    rest_ = CooPart<T>(uploaded, 0, rest, false);
    SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
    upload_seconds_ = steady_seconds() - start - conversion_seconds_;
    storage_ = {packets_.size(), matrix.columns - source.segment.begin_row,
                packets_.data(), row_index_.data(),
                indices_.data(), values_.data()};
    shape_ = packet_shape(static_cast<double>(matrix.rows), static_cast<double>(matrix.columns),
                          {packets_.size(), values_.size(), rest}, source.layout);
  }

  std::vector<Launch> multiply_launches(const ProductOperands<T>& operands,
                                        const Gate& gate) const override {
    std::vector<Launch> launches{launch(operands, gate)};
    for (Launch& launch : rest_.add_launches(operands, gate)) launches.push_back(std::move(launch));
    return launches;
  }
  bool sums() const override { return false; }
  bool waits_for_halos() const override { return false; }
  std::int64_t most_dot_parts(std::int64_t most_blocks) const override { return most_blocks; }

  const SegmentShape& shape() const override { return shape_; }
  std::int64_t bytes() const override {
    return static_cast<std::int64_t>(packets_.bytes() + row_index_.bytes() + indices_.bytes() +
                                     values_.bytes()) +
           rest_.bytes();
  }
  BytesByKind bytes_read() const override {
    BytesByKind bytes = rest_.bytes_read();
    bytes.values += static_cast<double>(values_.bytes());
    bytes.indices += static_cast<double>(indices_.bytes());
    bytes.row_pointers = static_cast<double>(packets_.bytes() + row_index_.bytes());
    return bytes;
  }
  double upload_seconds() const override { return upload_seconds_; }
  double conversion_seconds() const override { return conversion_seconds_; }

 private:
  Launch launch(const ProductOperands<T>& operands, const Gate& gate) const {
    switch (geometry_.most_rows) {
      case 500:
        return launch<500, 128>(operands, gate);
      case 1000:
        return launch<1000, 256>(operands, gate);
      default:
        return launch<2000, 512>(operands, gate);
    }
  }
  template <int most_rows, int lanes>
  Launch launch(const ProductOperands<T>& operands, const Gate& gate) const {
    return [=, storage = storage_](cudaStream_t stream) {
      const auto blocks = static_cast<unsigned>(std::max<std::int64_t>(1, storage.packets));
      launch_early(multiply_packets<T, most_rows, lanes>, blocks, lanes, stream, gate, storage,
                   operands.input, operands.output);
    };
  }

  PacketGeometry geometry_;
  PacketStorage<T> storage_;
  DeviceArray<Packet> packets_;
  DeviceArray<std::int32_t> row_index_;  ///< none where rows are in their places
  DeviceArray<std::uint32_t> indices_;
  DeviceArray<T> values_;
  CooPart<T> rest_;
  SegmentShape shape_;
  double upload_seconds_ = 0;
  double conversion_seconds_ = 0;  ///< on the host
};

/// Of so much; the rest is uploaded as CSR before it is stored as COO.
template <class T>
std::int64_t bytes_of(std::int64_t rows, const PacketSize& size) {
  constexpr std::int64_t entry_bytes = sizeof(std::uint32_t) + sizeof(T);
  return size.packets * std::int64_t{sizeof(Packet)} + rows * std::int64_t{sizeof(std::int32_t)} +
         (size.values + size.rest) * entry_bytes + (rows + 1) * std::int64_t{sizeof(std::int64_t)} +
         CooPart<T>::bytes_bound(rows, 0, size.rest);
}

template <class T>
std::int64_t bytes_bound(const SegmentSource<T>& source, bool counted) {
  const std::int64_t rows = source.segment.rows();
  const PacketGeometry geometry = packet_geometry(source.layout);
  if (!counted) {
    // More is refused when it is made.
    const std::int64_t nonzeros = source.segment.nonzeros(source.matrix.row_offsets);
    return bytes_of<T>(rows, {rows, most_stored_values(nonzeros), nonzeros});
  }
  const PatternView pattern = source.matrix.pattern();
  return bytes_of<T>(
      rows, packet_size(pattern, source.segment,
                        packet_clusters(pattern, source.segment, source.layout), geometry.lanes));
}

template <class T>
const CudaFormat<T> entry{bytes_bound<T>,
                          [](const SegmentSource<T>& source) -> std::unique_ptr<DeviceMatrix<T>> {
                            return std::make_unique<DevicePackets<T>>(source);
                          }};

}  // namespace

template <class T>
const CudaFormat<T>& pkt_cuda_format() {
  return entry<T>;
}
template const CudaFormat<float>& pkt_cuda_format();
template const CudaFormat<double>& pkt_cuda_format();

}  // namespace sparsecast::cuda
