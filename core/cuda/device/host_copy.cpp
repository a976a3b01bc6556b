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
#include "core/workload/device_arrays.hpp"

namespace sparsecast::cuda {
namespace {

/// What a thread fills at a time, at most: smaller ones keep the link waiting.
constexpr std::size_t most_piece_bytes = 1 << 20;
/// The least that pays: what is copied is cut into so many pieces at least, down to this.
constexpr std::size_t least_piece_bytes = 256 << 10;
constexpr std::size_t pieces_to_share = 16;
/// More do not copy faster, by the link of an H200 (bench/upload_benchmark.cpp).
constexpr int most_threads = 8;

/// Pieces that a thread fills in turn, and the stream that copies them.
class Lane {
 public:
  Lane() : stream_(Stream::create()) {
    for (Room& room : rooms_) {
      room.memory = PinnedArray<std::byte>(most_piece_bytes);
      room.copied = Event::create();
    }
  }

  /// Room for the next piece, which the device has been given all of before.
  std::byte* next() {
    turn_ = 1 - turn_;
    SPARSECAST_CUDA_CHECK(cudaEventSynchronize(rooms_[turn_].copied.get()));
    return rooms_[turn_].memory.data();
  }
  void copy(void* to, std::size_t bytes) {
    const Room& room = rooms_[turn_];
    SPARSECAST_CUDA_CHECK(
        cudaMemcpyAsync(to, room.memory.data(), bytes, cudaMemcpyHostToDevice, stream_.get()));
    SPARSECAST_CUDA_CHECK(cudaEventRecord(room.copied.get(), stream_.get()));
  }
  void wait() const { SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream_.get())); }

 private:
  struct Room {
    PinnedArray<std::byte> memory;
    Event copied;
  };
  Stream stream_;
  std::array<Room, 2> rooms_;
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

/// A part of an array that a thread copies at a time.
struct Piece {
  std::size_t copy = 0;  ///< which array
  std::size_t first = 0;
  std::size_t bytes = 0;
};

std::size_t piece_bytes_of(std::size_t all_bytes) {
  const std::size_t share = all_bytes / pieces_to_share / 64 * 64;
  return std::clamp(share, least_piece_bytes, most_piece_bytes);
}

}  // namespace

void HostCopies::add(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  copies_.push_back(
      {static_cast<std::byte*>(to), bytes, static_cast<const std::byte*>(from), nullptr});
}

void HostCopies::add(void* to, std::size_t bytes, Write write) {
  if (bytes == 0) return;
  copies_.push_back({static_cast<std::byte*>(to), bytes, nullptr, std::move(write)});
}

void HostCopies::run() const {
  if (copies_.empty()) return;
  std::size_t all_bytes = 0;
  for (const Copy& copy : copies_) all_bytes += copy.bytes;
  // The driver waits for nobody.
  if (all_bytes < std::size_t{least_shared_copy_bytes}) {
    for (const Copy& copy : copies_) {
      Buffer<std::byte> made;
      if (copy.from == nullptr) {
        made.resize(copy.bytes);
        copy.write(0, made);
      }
      SPARSECAST_CUDA_CHECK(cudaMemcpy(copy.to, copy.from != nullptr ? copy.from : made.data(),
                                       copy.bytes, cudaMemcpyHostToDevice));
    }
    // The driver returns when it has read the values; they may still be under way.
    SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(nullptr));
    return;
  }

  const std::size_t piece_bytes = piece_bytes_of(all_bytes);
  std::vector<Piece> pieces;
  for (std::size_t k = 0; k < copies_.size(); ++k) {
    for (std::size_t first = 0; first < copies_[k].bytes; first += piece_bytes) {
      pieces.push_back({k, first, std::min(piece_bytes, copies_[k].bytes - first)});
    }
  }
  SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(nullptr));
  const int device = current_device();
  parallel_for(
      std::ssize(pieces), 1,
      [&](std::int64_t begin, std::int64_t end) {
        // A part of a GPU, which the caller may have, is its current device too.
        if (current_device() != device) SPARSECAST_CUDA_CHECK(cudaSetDevice(device));
        std::unique_ptr<Lane> lane = lanes().take(device);
        for (std::int64_t k = begin; k < end; ++k) {
          const auto& [which, first, bytes] = pieces[static_cast<std::size_t>(k)];
          const Copy& copy = copies_[which];
          std::byte* const room = lane->next();
          if (copy.from != nullptr) {
            std::memcpy(room, copy.from + first, bytes);
          } else {
            copy.write(first, {room, bytes});
          }
          lane->copy(copy.to + first, bytes);
        }
        lane->wait();
        lanes().give_back(device, std::move(lane));
      },
      threads_of_copy());
}

void copy_to_device(void* to, const void* from, std::size_t bytes) {
  HostCopies copies;
  copies.add(to, from, bytes);
  copies.run();
}

void prepare_copies() {
  lanes().prepare(current_device(), threads_of_copy());
}

}  // namespace sparsecast::cuda
