#include "core/cuda/device/pinned_memory.cuh"

#include <mutex>
#include <vector>

#include "core/cuda/device/check.cuh"

namespace sparsecast::cuda {
namespace {

/// Of a kept page, all alike.
constexpr std::size_t piece_bytes = 1024;
constexpr std::size_t page_bytes = 64 * piece_bytes;

struct Pieces {
  std::mutex mutex;
  std::vector<std::byte*> free;
};

/// Lives as long as the process: pages are not released when the CUDA runtime may be gone.
Pieces& pieces() {
  static auto* const all = new Pieces;
  return *all;
}

void* pin(std::size_t bytes) {
  void* memory = nullptr;
  SPARSECAST_CUDA_CHECK(cudaMallocHost(&memory, bytes));
  return memory;
}

}  // namespace

void* allocate_pinned(std::size_t bytes) {
  if (bytes > piece_bytes) return pin(bytes);
  const std::scoped_lock lock(pieces().mutex);
  std::vector<std::byte*>& free = pieces().free;
  if (free.empty()) {
    auto* const page = static_cast<std::byte*>(pin(page_bytes));
    for (std::size_t at = 0; at < page_bytes; at += piece_bytes) free.push_back(page + at);
  }
  std::byte* const piece = free.back();
  free.pop_back();
  return piece;
}

void free_pinned(void* memory, std::size_t bytes) noexcept {
  if (memory == nullptr) return;
  if (bytes > piece_bytes) {
    cudaFreeHost(memory);
    return;
  }
  const std::scoped_lock lock(pieces().mutex);
  pieces().free.push_back(static_cast<std::byte*>(memory));
}

}  // namespace sparsecast::cuda
