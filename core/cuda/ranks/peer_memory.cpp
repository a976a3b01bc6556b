#include "core/cuda/ranks/peer_memory.cuh"

#include <cuda_runtime.h>

#include <cstdint>
#include <random>
#include <span>
#include <utility>

#include "core/base/error.hpp"
#include "core/cuda/device/check.cuh"
#include "core/cuda/device/current_gpu.cuh"
#include "core/cuda/device/device_array.cuh"
#include "core/cuda/several/device_group.cuh"
#include "core/engine/ranks/rank_errors.hpp"
#include "core/engine/ranks/rank_lists.hpp"

namespace sparsecast::cuda {
namespace {

/// What a rank tells the others of its memory.
struct Given {
  std::uint64_t process = 0;  ///< another number in each process
  void* address = nullptr;    ///< in that process
  int device = 0;             ///< as it counts them
  cudaIpcMemHandle_t handle{};
};

std::uint64_t random_number() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

std::uint64_t process_number() {
  static const std::uint64_t number = random_number();
  return number;
}

}  // namespace

PeerMemory::PeerMemory(Communicator& ranks, void* own) : PeerMemory() {
  Given mine{process_number(), own, current_device(), {}};
  do_together(ranks, [&] { SPARSECAST_CUDA_CHECK(cudaIpcGetMemHandle(&mine.handle, own)); });
  const std::vector<Given> all = gather(ranks, mine);
  do_together(ranks, [&] {
    for (const Given& given : all) {
      void* address = given.address;
      if (given.process != mine.process) {
        SPARSECAST_CUDA_CHECK(
            cudaIpcOpenMemHandle(&address, given.handle, cudaIpcMemLazyEnablePeerAccess));
        mapped_.push_back(address);
      } else {
        let_reach_each_other({mine.device, given.device});
      }
      addresses_.push_back(address);
    }
  });
}

PeerMemory::PeerMemory(PeerMemory&& other) noexcept
    : addresses_(std::exchange(other.addresses_, {})), mapped_(std::exchange(other.mapped_, {})) {}

PeerMemory& PeerMemory::operator=(PeerMemory&& other) noexcept {
  std::swap(addresses_, other.addresses_);
  std::swap(mapped_, other.mapped_);
  return *this;
}

PeerMemory::~PeerMemory() {
  for (void* address : mapped_) cudaIpcCloseMemHandle(address);
}

std::string why_not_reached(Communicator& ranks) {
  try {
    const std::uint64_t mine = random_number();
    DeviceArray<std::uint64_t> probe;
    do_together(ranks, [&] {
      probe = DeviceArray<std::uint64_t>(std::span<const std::uint64_t>(&mine, 1));
      SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
    });
    const std::vector<std::uint64_t> numbers = gather(ranks, mine);
    {
      const PeerMemory reached(ranks, probe.data());
      do_together(ranks, [&] {
        for (int rank = 0; rank < ranks.size(); ++rank) {
          std::uint64_t seen = 0;
          SPARSECAST_CUDA_CHECK(
              cudaMemcpy(&seen, reached.of(rank), sizeof seen, cudaMemcpyDefault));
          if (seen == numbers[static_cast<std::size_t>(rank)]) continue;
          throw Error("what is read there is not what a rank has written");
        }
      });
    }
    ranks.barrier();  // nobody frees what another one has mapped
  } catch (const Error& error) {
    cudaGetLastError();
    return error.what();
  }
  return {};
}

}  // namespace sparsecast::cuda
