#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/cuda/device/check.cuh"

namespace sparsecast::cuda {

/// Sets value i of `count` values on the device to `pattern[(first + i) % pattern.size()]`, and
/// waits for it: a little comes from the host, the rest are copies of that.
template <class T>
void repeat_values(std::span<const T> pattern, std::int64_t first, T* to, std::int64_t count,
                   cudaStream_t stream) {
  const std::int64_t period = std::ssize(pattern);
  constexpr std::int64_t most_from_host = 4096;
  const std::int64_t whole = std::max<std::int64_t>(1, most_from_host / period) * period;
  std::vector<T> begin(static_cast<std::size_t>(std::min(whole, count)));
  for (std::int64_t i = 0; i < std::ssize(begin); ++i) {
    begin[static_cast<std::size_t>(i)] = pattern[static_cast<std::size_t>((first + i) % period)];
  }
  const auto copy = [&](const T* from, std::int64_t place, std::int64_t values) {
    SPARSECAST_CUDA_CHECK(cudaMemcpyAsync(
        to + place, from, static_cast<std::size_t>(values) * sizeof(T), cudaMemcpyDefault, stream));
  };
  copy(begin.data(), 0, std::ssize(begin));
  for (std::int64_t done = std::ssize(begin); done < count; done *= 2) {
    copy(to, done, std::min(done, count - done));
  }
  SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream));
}

}  // namespace sparsecast::cuda
