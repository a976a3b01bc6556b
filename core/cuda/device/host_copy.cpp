#include "core/cuda/device/host_copy.cuh"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/base/buffer.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/cuda/device/current_gpu.cuh"
#include "core/cuda/device/stream.cuh"

namespace sparsecast::cuda {
namespace {

/// What a thread fills at a time, at most: smaller ones keep the link waiting.
constexpr std::size_t most_piece_bytes = 1 << 20;
/// The least that pays: what is copied is cut into so many pieces at least, down to this.
constexpr std::size_t least_piece_bytes = 256 << 10;
constexpr std::size_t pieces_to_share = 16;
/// Fewer bytes go by the driver, which waits for nobody.
constexpr std::size_t least_bytes = 1 << 20;
/// More do not copy faster, by the link of an H200 (bench/upload_benchmark.cpp).
constexpr int most_threads = 8;

/// Pieces that a thread fills in turn, and the stream that copies them.
class Lane {
 public:
  Lane() : stream_(Stream::create()) {
    for (Piece& piece : pieces_) {
      piece.memory = PinnedArray<std::byte>(most_piece_bytes);
      piece.copied = Event::create();
    }
  }

  /// Room for the next piece, which the device has been given all of before.
  std::byte* next() {
    turn_ = 1 - turn_;
    SPARSECAST_CUDA_CHECK(cudaEventSynchronize(pieces_[turn_].copied.get()));
    return pieces_[turn_].memory.data();
  }
  void copy(void* to, std::size_t bytes) {
    const Piece& piece = pieces_[turn_];
    SPARSECAST_CUDA_CHECK(
        cudaMemcpyAsync(to, piece.memory.data(), bytes, cudaMemcpyHostToDevice, stream_.get()));
    SPARSECAST_CUDA_CHECK(cudaEventRecord(piece.copied.get(), stream_.get()));
  }
  void wait() const { SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream_.get())); }

 private:
  struct Piece {
    PinnedArray<std::byte> memory;
    Event copied;
  };
  Stream stream_;
  std::array<Piece, 2> pieces_;
  std::size_t turn_ = 0;
};

/// Those of each device that no thread has. They live as long as the process, as pinned pages do.
class Lanes {
 public:
  /// One of the current device, which is `device`.
  std::unique_ptr<Lane> take(int device) {
    const std::scoped_lock lock(mutex_);
    std::vector<std::unique_ptr<Lane>>& free = free_[device];
    if (free.empty()) return std::make_unique<Lane>();
    std::unique_ptr<Lane> lane = std::move(free.back());
    free.pop_back();
    return lane;
  }
  void give_back(int device, std::unique_ptr<Lane> lane) {
    const std::scoped_lock lock(mutex_);
    free_[device].push_back(std::move(lane));
  }
  /// Makes the first ones.
  void prepare(int device, int count) {
    const std::scoped_lock lock(mutex_);
    const auto [place, first] = free_.try_emplace(device);
    if (!first) return;
    for (int k = 0; k < count; ++k) place->second.push_back(std::make_unique<Lane>());
  }

 private:
  std::mutex mutex_;
  std::map<int, std::vector<std::unique_ptr<Lane>>> free_;
};

Lanes& lanes() {
  static auto* const all = new Lanes;
  return *all;
}

int threads_of_copy() {
  return std::min(most_threads, available_threads());
}

/// The driver returns when it has read the values; they may still be under way.
void copy_by_driver(void* to, const void* from, std::size_t bytes) {
  SPARSECAST_CUDA_CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
  SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(nullptr));
}

}  // namespace

void write_to_device(
    void* to, std::size_t bytes,
    const std::function<void(std::size_t first, std::span<std::byte> piece)>& write) {
  if (bytes == 0) return;
  if (bytes < least_bytes) {
    Buffer<std::byte> all(bytes);
    write(0, all);
    copy_by_driver(to, all.data(), bytes);
    return;
  }
  SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(nullptr));
  const int device = current_device();
  const std::size_t share = bytes / pieces_to_share / 64 * 64;
  const std::size_t piece_bytes = std::clamp(share, least_piece_bytes, most_piece_bytes);
  const auto pieces = static_cast<std::int64_t>((bytes + piece_bytes - 1) / piece_bytes);
  parallel_for(
      pieces, 1,
      [&](std::int64_t begin, std::int64_t end) {
        // A part of a GPU, which the caller may have, is its current device too.
        if (current_device() != device) SPARSECAST_CUDA_CHECK(cudaSetDevice(device));
        std::unique_ptr<Lane> lane = lanes().take(device);
        for (std::int64_t k = begin; k < end; ++k) {
          const std::size_t first = static_cast<std::size_t>(k) * piece_bytes;
          const std::size_t count = std::min(piece_bytes, bytes - first);
          std::byte* const piece = lane->next();
          write(first, {piece, count});
          lane->copy(static_cast<std::byte*>(to) + first, count);
        }
        lane->wait();
        lanes().give_back(device, std::move(lane));
      },
      threads_of_copy());
}

void copy_to_device(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  if (bytes < least_bytes) {
    copy_by_driver(to, from, bytes);
    return;
  }
  write_to_device(to, bytes, [from](std::size_t first, std::span<std::byte> piece) {
    std::memcpy(piece.data(), static_cast<const std::byte*>(from) + first, piece.size());
  });
}

void prepare_copies() {
  lanes().prepare(current_device(), threads_of_copy());
}

}  // namespace sparsecast::cuda
