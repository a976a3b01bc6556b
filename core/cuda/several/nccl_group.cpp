#include "core/cuda/several/nccl_group.cuh"

#include <string>
#include <thread>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/stopwatch.hpp"
#include "core/base/text/short_number.hpp"
#include "core/cuda/device/check.cuh"
#include "core/cuda/vendor/vendor_libraries.cuh"
#include "core/engine/ranks/rank_errors.hpp"
#include "core/engine/ranks/rank_lists.hpp"

namespace sparsecast::cuda {

NcclGroup::NcclGroup(Communicator& ranks) {
  NcclUniqueId id{};
  do_together(ranks, [&] {
    nccl();
    if (ranks.rank() == 0) SPARSECAST_VENDOR_CHECK(nccl().get_unique_id(&id));
  });
  id = gather(ranks, id).front();
  do_together(ranks, [&] {
    SPARSECAST_VENDOR_CHECK(nccl().comm_init_rank(&communicator_, ranks.size(), id, ranks.rank()));
  });
}

NcclGroup::~NcclGroup() {
  if (communicator_ != nullptr) nccl().comm_destroy(communicator_);
}

template <class IsThere>
void NcclGroup::wait_until(const IsThere& is_there, double patience_seconds) {
  constexpr int looks = 256;  // between looks at the time
  double start = 0;
  for (int tries = 1;; ++tries) {
    const cudaError_t state = is_there();
    if (state == cudaSuccess) return;
    if (state != cudaErrorNotReady) SPARSECAST_CUDA_CHECK(state);
    if (tries % looks != 0) continue;
    std::this_thread::yield();
    const double now = steady_seconds();
    if (start == 0) start = now;
    if (now - start < patience_seconds) continue;
    // Its kernels would wait for ever, and so would who waits for the stream.
    nccl().comm_abort(std::exchange(communicator_, nullptr));
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
