#include "core/cpu/run/cpu_reduction.hpp"

#include "core/base/round_up.hpp"
#include "core/cpu/run/cache_line.hpp"

namespace sparsecast {
namespace {

constexpr int few = PartialSums::few;
constexpr std::size_t most = PartialSums::few + most_block_vectors;

}  // namespace

CpuReduction::CpuReduction(ThreadTeam& team, int devices, int threads_per_device,
                           Communicator* ranks)
    : team_(team),
      ranks_(ranks),
      devices_(devices),
      threads_per_device_(threads_per_device),
      stride_(static_cast<int>(round_up(few * threads_per_device, values_per_line<double>))) {
  for (auto& slots : slots_) {
    slots.assign(static_cast<std::size_t>(stride_ * devices) * (most / few), 0);
  }
}

void CpuReduction::add_up_all(const PartialSums& mine, std::span<const ScalarSlot> targets,
                              std::span<double> scalars, std::size_t device, int lane, int turn) {
  // The next reduction uses the other set of slots; before the one after it can write here again,
  // all have passed that one's synchronisation, so nobody still reads.
  double* slots = slots_[static_cast<std::size_t>(turn)].data();
  // A few sums of all threads lie together, behind them the next few.
  const auto place = [this](std::size_t sum, int which, int thread) {
    const auto group = static_cast<int>(sum) / few;
    return (group * devices_ + which) * stride_ + thread * few + static_cast<int>(sum) % few;
  };
  for (std::size_t k = 0; k < targets.size(); ++k) {
    slots[place(k, static_cast<int>(device), lane)] = mine.of(k);
  }
  team_.barrier();
  const auto total_of = [&](std::size_t k) {
    double total = 0;
    for (int i = 0; i < devices_; ++i) {
      double sum = 0;
      for (int j = 0; j < threads_per_device_; ++j) sum += slots[place(k, i, j)];
      total += sum;
    }
    return total;
  };
  if (ranks_ == nullptr) {
    for (std::size_t k = 0; k < targets.size(); ++k) {
      scalars[static_cast<std::size_t>(targets[k])] = total_of(k);
    }
    return;
  }
  if (device == 0 && lane == 0) {
    totals_.resize(targets.size());
    for (std::size_t k = 0; k < targets.size(); ++k) totals_[k] = total_of(k);
    ranks_->sum(totals_);
  }
  team_.barrier();
  for (std::size_t k = 0; k < targets.size(); ++k) {
    scalars[static_cast<std::size_t>(targets[k])] = totals_[k];
  }
}

}  // namespace sparsecast
