#include "core/cpu/run/cpu_reduction.hpp"

#include "core/base/round_up.hpp"
#include "core/cpu/run/cache_line.hpp"

namespace sparsecast {
namespace {

constexpr int most_sums = sizeof(PartialSums) / sizeof(double);

}  // namespace

CpuReduction::CpuReduction(ThreadTeam& team, int devices, int threads_per_device)
    : team_(team),
      devices_(devices),
      threads_per_device_(threads_per_device),
      stride_(static_cast<int>(round_up(most_sums * threads_per_device, values_per_line<double>))) {
  for (auto& slots : slots_) slots.assign(static_cast<std::size_t>(stride_ * devices), 0);
}

void CpuReduction::add_up_all(const PartialSums& mine, std::span<const ScalarSlot> targets,
                              std::span<double> scalars, std::size_t device, int lane, int turn) {
  // The next reduction uses the other set of slots; before the one after it can write here again,
  // all have passed that one's synchronisation, so nobody still reads.
  std::vector<double>& slots = slots_[static_cast<std::size_t>(turn)];
  double* own = slots.data() + static_cast<int>(device) * stride_ + lane * most_sums;
  for (std::size_t k = 0; k < targets.size(); ++k) own[k] = mine.values[k];
  team_.barrier();
  for (std::size_t k = 0; k < targets.size(); ++k) {
    double total = 0;
    for (int i = 0; i < devices_; ++i) {
      const double* parts = slots.data() + i * stride_ + k;
      double sum = 0;
      for (int j = 0; j < threads_per_device_; ++j) sum += parts[j * most_sums];
      total += sum;
    }
    scalars[static_cast<std::size_t>(targets[k])] = total;
  }
}

}  // namespace sparsecast
