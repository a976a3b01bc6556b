#include "core/cuda/several/nccl_exchange.cuh"

#include <algorithm>
#include <utility>

#include "core/cuda/device/device_array.cuh"
#include "core/cuda/vendor/vendor_libraries.cuh"
#include "core/engine/ranks/rank_errors.hpp"
#include "core/schedule/vector_pass.hpp"

namespace sparsecast::cuda {
namespace {

constexpr double connecting_seconds = 120;

template <class T>
constexpr NcclType nccl_type() {
  return sizeof(T) == sizeof(float) ? NcclType::float32 : NcclType::float64;
}

bool lie_together(std::span<const std::int32_t> places) {
  return places.empty() || (std::ranges::is_sorted(places) &&
                            places.back() - places.front() + 1 == std::ssize(places));
}

/// The part whose values have to be packed to be sent.
RankPart with_scattered_sends(RankPart part) {
  std::erase_if(part.halo.sends,
                [](const HaloExchange::ToSend& send) { return lie_together(send.places); });
  return part;
}

/// As one call of NCCL.
template <class Calls>
Launch grouped(Calls calls) {
  return [calls = std::move(calls)](cudaStream_t stream) {
    SPARSECAST_VENDOR_CHECK(nccl().group_start());
    calls(stream);
    SPARSECAST_VENDOR_CHECK(nccl().group_end());
  };
}

}  // namespace

template <class T>
NcclExchange<T>::NcclExchange(NcclGroup& group, const RankPart& part, cudaStream_t stream)
    : group_(group), part_(part) {
  std::int64_t packed = 0;
  std::int64_t most_sent = 0;
  for (const HaloExchange::ToSend& send : part.halo.sends) {
    const bool packs = !lie_together(send.places);
    const auto count = std::ssize(send.places);
    const std::int64_t first = count > 0 ? send.places.front() - part.own.begin_row : 0;
    sent_.push_back({send.rank, packs, packs ? packed : first, send.places.size()});
    if (packs) packed += count;
    most_sent = std::max(most_sent, count);
  }
  DeviceArray<double> scalars;
  DeviceArray<T> vector;
  do_together(*part.ranks, [&] {
    packed_ = PackedValues<T>(with_scattered_sends(part));
    halo_stream_ = Stream::create_first();
    begun_ = Event::create();
    arrived_ = Event::create();
    scalars = DeviceArray<double>::zeros(most_step_sums);
    vector = DeviceArray<T>::zeros(most_sent + part.halo.values() + 1);
    SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
  });
  // The first calls connect, which a graph cannot.
  do_together(*part.ranks, [&] {
    for (const std::size_t sums : {1, most_step_sums}) {
      sum_launch({scalars.data(), sums})(stream);
    }
    std::vector<Sent> sent = sent_;
    for (Sent& each : sent) each.first = 0;
    HaloExchange halo = packed_halo(part.halo);
    for (HaloExchange::ToReceive& each : halo.receives) each.place += most_sent;
    grouped([&](cudaStream_t to) {
      send_and_receive(sent, halo.receives, vector.data(), vector.data(), vector.data(), to);
    })(stream);
    group.wait(stream, connecting_seconds);
  });
}

/// Calls of NCCL that make one group.
template <class T>
void NcclExchange<T>::send_and_receive(std::span<const Sent> sent,
                                       std::span<const HaloExchange::ToReceive> received,
                                       const T* own, const T* packed, T* whole,
                                       cudaStream_t stream) const {
  for (const Sent& each : sent) {
    SPARSECAST_VENDOR_CHECK(nccl().send((each.packed ? packed : own) + each.first, each.count,
                                        nccl_type<T>(), each.rank, group_.get(), stream));
  }
  for (const HaloExchange::ToReceive& each : received) {
    SPARSECAST_VENDOR_CHECK(nccl().receive(whole + each.place, static_cast<std::size_t>(each.count),
                                           nccl_type<T>(), each.rank, group_.get(), stream));
  }
}

template <class T>
Launch NcclExchange<T>::exchanging(const T* own, T* whole) const {
  return [this, own, whole](cudaStream_t stream) {
    send_and_receive(sent_, part_.halo.receives, own, packed_.data(), whole, stream);
  };
}

template <class T>
Launch NcclExchange<T>::summing(std::span<double> sums) const {
  return [sums, &group = group_](cudaStream_t stream) {
    SPARSECAST_VENDOR_CHECK(nccl().all_reduce(sums.data(), sums.data(), sums.size(),
                                              NcclType::float64, NcclOperation::sum, group.get(),
                                              stream));
  };
}

/// The own values that do not lie together are packed first.
template <class T>
std::vector<Launch> NcclExchange<T>::packed_first(const T* own, Launch calls) const {
  std::vector<Launch> launches;
  if (packed_.size() > 0) launches.push_back(packed_.pack_launch(own));
  launches.push_back(grouped(std::move(calls)));
  return launches;
}

template <class T>
std::vector<Launch> NcclExchange<T>::exchange_launches(const T* own, T* whole) const {
  if (sent_.empty() && part_.halo.receives.empty()) return {};
  return packed_first(own, exchanging(own, whole));
}

template <class T>
Launch NcclExchange<T>::begin_launch(const T* own, T* whole) const {
  return [this, launches = exchange_launches(own, whole)](cudaStream_t stream) {
    SPARSECAST_CUDA_CHECK(cudaEventRecord(begun_.get(), stream));
    SPARSECAST_CUDA_CHECK(cudaStreamWaitEvent(halo_stream_.get(), begun_.get()));
    for (const Launch& launch : launches) launch(halo_stream_.get());
    SPARSECAST_CUDA_CHECK(cudaEventRecord(arrived_.get(), halo_stream_.get()));
  };
}

template <class T>
Launch NcclExchange<T>::await_launch() const {
  return [this](cudaStream_t stream) {
    SPARSECAST_CUDA_CHECK(cudaStreamWaitEvent(stream, arrived_.get()));
  };
}

template <class T>
Launch NcclExchange<T>::sum_launch(std::span<double> sums) const {
  return grouped(summing(sums));
}

template <class T>
std::vector<Launch> NcclExchange<T>::exchange_and_sum_launches(const T* own, T* whole,
                                                               std::span<double> sums) const {
  return packed_first(
      own, [exchanges = exchanging(own, whole), adds = summing(sums)](cudaStream_t stream) {
        exchanges(stream);
        adds(stream);
      });
}

template <class T>
Launch NcclExchange<T>::clear_unused_launch(T* whole) const {
  std::int64_t unused = part_.own.begin_row;
  for (const HaloExchange::ToReceive& each : part_.halo.receives) {
    unused = std::min(unused, each.place);
  }
  const std::size_t bytes = static_cast<std::size_t>(unused) * sizeof(T);
  return [whole, bytes](cudaStream_t stream) {
    SPARSECAST_CUDA_CHECK(cudaMemsetAsync(whole, 0, bytes, stream));
  };
}

template class NcclExchange<float>;
template class NcclExchange<double>;

}  // namespace sparsecast::cuda
