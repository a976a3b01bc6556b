#include "core/cuda/ranks/rank_links.cuh"

#include <string>

#include "core/base/error.hpp"
#include "core/base/text/short_number.hpp"
#include "core/engine/ranks/rank_errors.hpp"

namespace sparsecast::cuda {

RankLinks::RankLinks(Communicator& ranks, double patience_seconds)
    : rank_(ranks.rank()), size_(ranks.size()), patience_seconds_(patience_seconds) {
  do_together(ranks, [&] {
    inbox_ = DeviceArray<DeviceInbox>::zeros(1);
    turns_ = DeviceArray<DeviceTurns>::zeros(1);
    stop_word_ = PinnedArray<std::int32_t>(1);
    *stop_word_.data() = 0;
    SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
  });
  inboxes_ = PeerMemory(ranks, inbox_.data());
}

DeviceLinks RankLinks::of(RunState* state) const {
  DeviceLinks links;
  links.count = size_;
  links.own = rank_;
  for (int rank = 0; rank < size_; ++rank) {
    links.inboxes[rank] = static_cast<DeviceInbox*>(inboxes_.of(rank));
  }
  links.turns = turns_.data();
  links.ended = &state->ended;
  links.stopped = stop_word_.data();
  links.patience = static_cast<std::int64_t>(1e9 * patience_seconds_);
  return links;
}

void RankLinks::require_answers(std::int32_t ended) const {
  if (ended >= 0) return;
  throw Error("the GPU of rank " + std::to_string(-1 - ended) + " did not answer for " +
              short_number(patience_seconds_) +
              " s; see whether it still works (sparsecast devices)");
}

}  // namespace sparsecast::cuda
