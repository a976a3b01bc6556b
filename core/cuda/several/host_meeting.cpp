#include "core/cuda/several/host_meeting.cuh"

#include <algorithm>

namespace sparsecast::cuda {

ThreadMeeting::ThreadMeeting(std::span<const Segment> segments, std::size_t value_bytes)
    : segments_(segments.begin(), segments.end()),
      value_bytes_(value_bytes),
      barrier_(static_cast<int>(segments.size())),
      turns_(segments.size()) {
  const auto values = static_cast<std::size_t>(std::max<std::int64_t>(1, segments_.back().end_row));
  for (auto& sums : sums_) sums.assign(most_sums * segments_.size(), 0);
  for (auto& vector : vectors_) vector = PinnedArray<std::byte>(values * value_bytes_);
}

bool ThreadMeeting::add_up(int place, std::span<double> sums) {
  const auto own = static_cast<std::size_t>(place);
  std::vector<double>& all = sums_[turns_[own].sums++ % 2];
  std::ranges::copy(sums, all.begin() + static_cast<std::ptrdiff_t>(own * most_sums));
  if (!barrier_.wait()) return false;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    sums[k] = 0;
    for (std::size_t device = 0; device < segments_.size(); ++device) {
      sums[k] += all[device * most_sums + k];
    }
  }
  return true;
}

bool ThreadMeeting::exchange(int place, const void* own_part, void* whole, cudaStream_t stream) {
  const auto own = static_cast<std::size_t>(place);
  std::byte* host = vectors_[turns_[own].exchanges++ % 2].data();
  const auto bytes = [&](std::int64_t rows) {
    return static_cast<std::size_t>(rows) * value_bytes_;
  };
  const auto copy = [&](void* to, const void* from, std::int64_t rows, cudaMemcpyKind kind) {
    if (rows > 0) SPARSECAST_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes(rows), kind, stream));
  };
  const Segment& segment = segments_[own];
  copy(host + bytes(segment.begin_row), own_part, segment.rows(), cudaMemcpyDeviceToHost);
  // What an earlier exchange brought is there too, so that its host memory may be written again
  // once all have been here.
  SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream));
  if (!barrier_.wait()) return false;
  auto* values = static_cast<std::byte*>(whole);
  const std::int64_t rows = segments_.back().end_row;
  copy(values, host, segment.begin_row, cudaMemcpyHostToDevice);
  copy(values + bytes(segment.end_row), host + bytes(segment.end_row), rows - segment.end_row,
       cudaMemcpyHostToDevice);
  return true;
}

}  // namespace sparsecast::cuda
