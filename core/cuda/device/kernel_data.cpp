#include "core/cuda/device/kernel_data.cuh"

#include <algorithm>

#include "core/base/round_up.hpp"

namespace sparsecast::cuda {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 16;

}  // namespace

const std::byte* KernelData::place(std::span<const std::byte> values) {
  const auto begin_in = [](const Chunk& chunk) {
    return static_cast<std::size_t>(round_up(std::ssize(chunk.values), alignment));
  };
  if (chunks_.empty() || begin_in(chunks_.back()) + values.size() > chunks_.back().memory.bytes()) {
    const std::size_t bytes = std::max(chunk_bytes, values.size());
    chunks_.push_back({DeviceArray<std::byte>(static_cast<std::int64_t>(bytes)), {}});
  }
  Chunk& chunk = chunks_.back();
  const std::size_t begin = begin_in(chunk);
  chunk.values.resize(begin);
  chunk.values.insert(chunk.values.end(), values.begin(), values.end());
  return chunk.memory.data() + begin;
}

void KernelData::upload() {
  for (Chunk& chunk : chunks_) {
    SPARSECAST_CUDA_CHECK(cudaMemcpy(chunk.memory.data(), chunk.values.data(), chunk.values.size(),
                                     cudaMemcpyHostToDevice));
    chunk.values = {};
  }
}

std::int64_t KernelData::bytes() const {
  std::int64_t bytes = 0;
  for (const Chunk& chunk : chunks_) bytes += static_cast<std::int64_t>(chunk.memory.bytes());
  return bytes;
}

}  // namespace sparsecast::cuda
