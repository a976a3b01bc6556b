#include "core/cuda/several/nccl_group.cuh"

#include <algorithm>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/stopwatch.hpp"
#include "core/base/text/short_number.hpp"
#include "core/cuda/device/check.cuh"
#include "core/cuda/device/current_gpu.cuh"
#include "core/cuda/vendor/vendor_libraries.cuh"
#include "core/engine/ranks/rank_errors.hpp"
#include "core/engine/ranks/rank_lists.hpp"

namespace sparsecast::cuda {

namespace {

/// NCCL says little when it refuses two ranks on one GPU.
void require_own_gpus(Communicator& ranks) {
  cudaDeviceProp properties{};
  do_together(ranks, [&] {
    SPARSECAST_CUDA_CHECK(cudaGetDeviceProperties(&properties, current_device()));
  });
  const auto same = [](const cudaUUID_t& a, const cudaUUID_t& b) {
    return std::ranges::equal(a.bytes, b.bytes);
  };
  const std::vector<cudaUUID_t> all = gather(ranks, properties.uuid);
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    for (std::size_t other = 0; other < rank; ++other) {
      if (!same(all[rank], all[other])) continue;
      throw Error("ranks " + std::to_string(other) + " and " + std::to_string(rank) +
                  " share a GPU, which NCCL does not take; name one for each, or use exchange halo "
                  "or staged");
    }
  }
}

}  // namespace

NcclGroup::NcclGroup(Communicator& ranks) : NcclGroup() {
  require_own_gpus(ranks);
  NcclUniqueId id{};
  do_together(ranks, [&] {
    nccl();
    if (ranks.rank() == 0) SPARSECAST_VENDOR_CHECK(nccl().get_unique_id(&id));
  });
  id = gather(ranks, id).front();
  try {
    do_together(ranks, [&] {
      SPARSECAST_VENDOR_CHECK(
          nccl().comm_init_rank(&communicator_, ranks.size(), id, ranks.rank()));
    });
  } catch (const Error&) {
    abort();
    throw;
  }
}

NcclGroup::~NcclGroup() {
  if (communicator_ != nullptr) nccl().comm_destroy(communicator_);
}

NcclComm NcclGroup::get() const {
  if (communicator_ == nullptr) throw Error("this run by NCCL has been ended by an error");
  return communicator_;
}

void NcclGroup::abort() {
  if (communicator_ != nullptr) nccl().comm_abort(std::exchange(communicator_, nullptr));
}

template <class IsThere>
void NcclGroup::wait_until(const IsThere& is_there, double patience_seconds) {
  constexpr int looks = 256;  // between looks at the time
  double start = 0;
  for (int tries = 1;; ++tries) {
    const cudaError_t state = is_there();
    if (state == cudaSuccess) return;
    if (state != cudaErrorNotReady) {
      abort();
      SPARSECAST_CUDA_CHECK(state);
    }
    if (tries % looks != 0) continue;
    std::this_thread::yield();
    const double now = steady_seconds();
    if (start == 0) start = now;
    if (now - start < patience_seconds) continue;
    abort();
    throw Error("a rank has not answered NCCL for " + short_number(patience_seconds) + " s");
  }
}

void NcclGroup::wait(cudaStream_t stream, double patience_seconds) {
  wait_until([stream] { return cudaStreamQuery(stream); }, patience_seconds);
}

void NcclGroup::wait(cudaEvent_t event, double patience_seconds) {
  wait_until([event] { return cudaEventQuery(event); }, patience_seconds);
}

}  // namespace sparsecast::cuda
