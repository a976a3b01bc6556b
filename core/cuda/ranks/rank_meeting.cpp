#include "core/cuda/ranks/rank_meeting.cuh"

#include "core/cuda/device/check.cuh"

namespace sparsecast::cuda {
template <class T>
RankMeeting<T>::RankMeeting(const RankPart& part) : part_(part), in_host_(part), packed_(part) {
  in_host_.halo = packed_halo(part.halo);
  std::int64_t received = 0;
  for (const HaloExchange::ToReceive& receive : part.halo.receives) received += receive.count;
  sent_ = PinnedArray<T>(static_cast<std::size_t>(packed_.size()) + 1);
  received_ = PinnedArray<T>(static_cast<std::size_t>(received) + 1);
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
  const auto count = static_cast<std::size_t>(packed_.size());
  if (count > 0) {
    packed_.pack_launch(static_cast<const T*>(own_part), {})(stream);
    SPARSECAST_CUDA_CHECK(cudaMemcpyAsync(sent_.data(), packed_.data(), count * sizeof(T),
                                          cudaMemcpyDeviceToHost, stream));
  }
  // What an earlier exchange brought is on the device then, too.
  SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream));
  fetch_packed_halo<T>(in_host_, {sent_.data(), count}, received_.data());
  for (std::size_t k = 0; k < part_.halo.receives.size(); ++k) {
    const HaloExchange::ToReceive& receive = part_.halo.receives[k];
    SPARSECAST_CUDA_CHECK(cudaMemcpyAsync(
        static_cast<T*>(whole) + receive.place, received_.data() + in_host_.halo.receives[k].place,
        static_cast<std::size_t>(receive.count) * sizeof(T), cudaMemcpyHostToDevice, stream));
  }
  return true;
}

template class RankMeeting<float>;
template class RankMeeting<double>;

}  // namespace sparsecast::cuda
