#include <vector>

#include "core/cuda/device/early_launch.cuh"
#include "core/cuda/several/packed_values.cuh"

namespace sparsecast::cuda {
namespace {

constexpr int threads = 256;

template <class T>
__global__ void __launch_bounds__(threads)
    pack(const T* own, const std::int32_t* places, std::int64_t count, T* packed) {
  wait_for_kernel_before();
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i < count) packed[i] = own[places[i]];
}

}  // namespace

template <class T>
PackedValues<T>::PackedValues(const RankPart& part) {
  std::vector<std::int32_t> places;
  for (const HaloExchange::ToSend& send : part.halo.sends) {
    for (const std::int32_t place : send.places) {
      places.push_back(place - static_cast<std::int32_t>(part.own.begin_row));
    }
  }
  places_ = DeviceArray<std::int32_t>(std::span<const std::int32_t>(places));
  packed_ = DeviceArray<T>(places_.size());
}

template <class T>
Launch PackedValues<T>::pack_launch(const T* own) const {
  const auto blocks = static_cast<unsigned>((size() + threads - 1) / threads);
  return
      [=, places = places_.data(), count = size(), packed = packed_.data()](cudaStream_t stream) {
        launch_early(pack<T>, blocks, threads, stream, own, places, count, packed);
      };
}

template class PackedValues<float>;
template class PackedValues<double>;

}  // namespace sparsecast::cuda
