#include "core/cuda/several/nccl_exchange.cuh"

#include <array>

#include "core/cuda/device/device_array.cuh"
#include "core/cuda/vendor/vendor_libraries.cuh"
#include "core/engine/ranks/rank_errors.hpp"

namespace sparsecast::cuda {
namespace {

constexpr double connecting_seconds = 120;

template <class T>
constexpr NcclType nccl_type() {
  return sizeof(T) == sizeof(float) ? NcclType::float32 : NcclType::float64;
}

/// Sends what is packed, and receives into the vector.
template <class T>
void send_and_receive(const RankPart& part, NcclComm communicator, const T* packed, T* whole,
                      cudaStream_t stream) {
  if (part.halo.sends.empty() && part.halo.receives.empty()) return;
  SPARSECAST_VENDOR_CHECK(nccl().group_start());
  for (const HaloExchange::ToSend& send : part.halo.sends) {
    SPARSECAST_VENDOR_CHECK(
        nccl().send(packed, send.places.size(), nccl_type<T>(), send.rank, communicator, stream));
    packed += send.places.size();
  }
  for (const HaloExchange::ToReceive& receive : part.halo.receives) {
    SPARSECAST_VENDOR_CHECK(nccl().receive(whole + receive.place,
                                           static_cast<std::size_t>(receive.count), nccl_type<T>(),
                                           receive.rank, communicator, stream));
  }
  SPARSECAST_VENDOR_CHECK(nccl().group_end());
}

}  // namespace

template <class T>
NcclExchange<T>::NcclExchange(NcclGroup& group, const RankPart& part, cudaStream_t stream)
    : group_(group), part_(part) {
  RankPart compact = part;
  compact.halo = packed_halo(part.halo);
  DeviceArray<double> scalars;
  DeviceArray<T> vector;
  do_together(*part.ranks, [&] {
    packed_ = PackedValues<T>(part);
    scalars = DeviceArray<double>::zeros(2);
    vector = DeviceArray<T>::zeros(part.halo.values() + 1);
    SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
  });
  // The first calls connect, which a graph cannot.
  do_together(*part.ranks, [&] {
    sum_launch(scalars.data(), std::array<ScalarSlot, 1>{0}, scalars.data() + 1)(stream);
    send_and_receive(compact, group.get(), packed_.data(), vector.data(), stream);
    group.wait(stream, connecting_seconds);
  });
}

template <class T>
std::vector<Launch> NcclExchange<T>::exchange_launches(const T* own, T* whole, const Gate& gate) {
  return {packed_.pack_launch(own, gate),
          [&part = part_, &group = group_, from = packed_.data(), whole](cudaStream_t stream) {
            send_and_receive(part, group.get(), from, whole, stream);
          }};
}

template <class T>
Launch NcclExchange<T>::sum_launch(const double* scalars, std::span<const ScalarSlot> slots,
                                   double* totals) const {
  // Neighbours are one call.
  struct Stretch {
    const double* from;
    double* to;
    std::size_t count;
  };
  std::vector<Stretch> stretches;
  for (std::size_t k = 0; k < slots.size(); ++k) {
    if (k > 0 && slots[k] == slots[k - 1] + 1) {
      ++stretches.back().count;
    } else {
      stretches.push_back({scalars + slots[k], totals + k, 1});
    }
  }
  return [stretches, &group = group_](cudaStream_t stream) {
    if (stretches.size() > 1) SPARSECAST_VENDOR_CHECK(nccl().group_start());
    for (const Stretch& each : stretches) {
      SPARSECAST_VENDOR_CHECK(nccl().all_reduce(each.from, each.to, each.count, NcclType::float64,
                                                NcclOperation::sum, group.get(), stream));
    }
    if (stretches.size() > 1) SPARSECAST_VENDOR_CHECK(nccl().group_end());
  };
}

template class NcclExchange<float>;
template class NcclExchange<double>;

}  // namespace sparsecast::cuda
