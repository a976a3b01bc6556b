#include "core/cuda/ranks/rank_meeting.cuh"

#include "core/cuda/device/check.cuh"

namespace sparsecast::cuda {

template <class T>
RankMeeting<T>::RankMeeting(const RankPart& part, MessageMemory messages)
    : part_(part), packed_(part) {
  if (messages == MessageMemory::gpu) return;
  std::int64_t received = 0;
  for (const HaloExchange::ToReceive& receive : part.halo.receives) received += receive.count;
  host_ = HostMessages{part, PinnedArray<T>(static_cast<std::size_t>(packed_.size()) + 1),
                       PinnedArray<T>(static_cast<std::size_t>(received) + 1)};
  host_->part.halo = packed_halo(part.halo);
}

template <class T>
bool RankMeeting<T>::add_up(int /*place*/, std::span<double> sums) {
  part_.ranks->sum(sums);
  return true;
}

template <class T>
bool RankMeeting<T>::wait() {
  part_.ranks->barrier();
  return true;
}

template <class T>
bool RankMeeting<T>::exchange(int /*place*/, const void* own_part, void* whole,
                              cudaStream_t stream) {
  if (packed_.size() > 0) packed_.pack_launch(static_cast<const T*>(own_part))(stream);
  if (host_) {
    exchange_in_host(static_cast<T*>(whole), stream);
    return true;
  }
  // MPI knows nothing of the stream: the values are packed, and no kernel reads the last halo.
  SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream));
  fetch_packed_halo<T>(part_, {packed_.data(), static_cast<std::size_t>(packed_.size())},
                       static_cast<T*>(whole));
  return true;
}

template <class T>
void RankMeeting<T>::exchange_in_host(T* whole, cudaStream_t stream) {
  const auto count = static_cast<std::size_t>(packed_.size());
  if (count > 0) {
    SPARSECAST_CUDA_CHECK(cudaMemcpyAsync(host_->sent.data(), packed_.data(), count * sizeof(T),
                                          cudaMemcpyDeviceToHost, stream));
  }
  // What an earlier exchange brought is on the device then, too.
  SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream));
  fetch_packed_halo<T>(host_->part, {host_->sent.data(), count}, host_->received.data());
  for (std::size_t k = 0; k < part_.halo.receives.size(); ++k) {
    const HaloExchange::ToReceive& receive = part_.halo.receives[k];
    const T* const values = host_->received.data() + host_->part.halo.receives[k].place;
    SPARSECAST_CUDA_CHECK(cudaMemcpyAsync(whole + receive.place, values,
                                          static_cast<std::size_t>(receive.count) * sizeof(T),
                                          cudaMemcpyHostToDevice, stream));
  }
}

template class RankMeeting<float>;
template class RankMeeting<double>;

}  // namespace sparsecast::cuda
