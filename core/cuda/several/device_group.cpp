#include "core/cuda/several/device_group.cuh"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <new>
#include <set>
#include <utility>

#include "core/base/error.hpp"

namespace sparsecast::cuda {
namespace {

/// Calls `visit(from, to)` for devices that are not the same.
template <class Visit>
void each_pair(const std::vector<GpuPart>& devices, const Visit& visit) {
  for (const GpuPart& from : devices) {
    for (const GpuPart& to : devices) {
      if (from != to) visit(from.gpu, to.gpu);
    }
  }
}

}  // namespace

bool all_reach_each_other(const std::vector<GpuPart>& devices) {
  bool all = true;
  each_pair(devices, [&](int from, int to) {
    int can = 0;
    SPARSECAST_CUDA_CHECK(cudaDeviceCanAccessPeer(&can, from, to));
    all = all && can != 0;
  });
  return all;
}

void let_reach_each_other(const std::vector<GpuPart>& devices) {
  // Each pair is asked for once in a process.
  static std::mutex mutex;
  static std::set<std::pair<int, int>> reached;
  const std::lock_guard lock(mutex);
  each_pair(devices, [](int from, int to) {
    if (reached.contains({from, to})) return;
    use_gpu(from);
    const cudaError_t error = cudaDeviceEnablePeerAccess(to, 0);
    if (error == cudaErrorPeerAccessAlreadyEnabled) {  // by someone else
      cudaGetLastError();
    } else {
      SPARSECAST_CUDA_CHECK(error);
    }
    reached.insert({from, to});
  });
}

ExchangeMode possible_exchange(ExchangeMode wanted, const std::vector<GpuPart>& devices) {
  if (is_between_ranks(wanted)) {
    throw Error("exchange " + std::string(to_string(wanted)) +
                " is between ranks (mpirun), one GPU each; use halo in one process");
  }
  if (wanted == ExchangeMode::staged || !all_reach_each_other(devices)) {
    return ExchangeMode::staged;
  }
  return wanted == ExchangeMode::automatic ? ExchangeMode::halo : wanted;
}

DeviceGroup::DeviceGroup(const std::vector<GpuPart>& devices, ExchangeMode exchange,
                         double patience_seconds)
    : devices_(devices), exchange_(exchange), patience_seconds_(patience_seconds) {
  if (size() == 1) return;
  const bool staged = exchange == ExchangeMode::staged;
  if (!staged) let_reach_each_other(devices_);
  stop_word_ = PinnedArray<std::int32_t>(1);
  *stop_word_.data() = 0;
  if (staged) {
    host_inboxes_ = PinnedArray<DeviceInbox>(devices_.size());
    std::uninitialized_value_construct_n(host_inboxes_.data(), devices_.size());
  }
  for (const GpuPart& device : devices_) {
    use_gpu(device);
    if (!staged) inboxes_.push_back(DeviceArray<DeviceInbox>::zeros(1));
    turns_.push_back(DeviceArray<DeviceTurns>::zeros(1));
    SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
  }
}

DeviceGroup::~DeviceGroup() = default;

DeviceLinks DeviceGroup::links(int place, RunState* state) const {
  DeviceLinks links;
  if (size() == 1) return links;
  links.count = size();
  links.own = place;
  for (int other = 0; other < size(); ++other) {
    links.inboxes[other] = exchange_ == ExchangeMode::staged
                               ? host_inboxes_.data() + other
                               : inboxes_[static_cast<std::size_t>(other)].data();
  }
  links.turns = turns_[static_cast<std::size_t>(place)].data();
  links.ended = &state->ended;
  links.stopped = stop_word_.data();
  links.patience = static_cast<std::int64_t>(1e9 * patience_seconds_);
  return links;
}

void DeviceGroup::stop() {
  stopped_ = true;
  if (size() > 1) std::atomic_ref<std::int32_t>(*stop_word_.data()).store(1);
}

void DeviceGroup::require_answers(std::int32_t ended) const {
  if (ended >= 0 || ended == ended_by_host) return;
  const auto silent = static_cast<std::size_t>(-1 - ended);
  char seconds[32];
  std::snprintf(seconds, sizeof(seconds), "%g", patience_seconds_);
  throw Error(to_string(devices_[silent]) + " did not answer the other devices for " + seconds +
              " s; see whether it still works (sparsecast devices), or leave it out");
}

std::int64_t DeviceGroup::bytes() const {
  if (size() == 1) return 0;
  return static_cast<std::int64_t>(turns_.front().bytes() +
                                   (inboxes_.empty() ? 0 : inboxes_.front().bytes()));
}

}  // namespace sparsecast::cuda
