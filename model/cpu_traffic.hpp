#pragma once

#include <vector>

#include "core/schedule/schedule.hpp"
#include "model/cpu_costs.hpp"
#include "model/step_traffic.hpp"
#include "model/traffic_model.hpp"

/// @file
/// What the traffic model says of a step on a CPU: its threads pass the arrays of a step through
/// their caches, a nearest and a private one each and one that they share. Equations:
/// docs/model.md, "The traffic model".

namespace sparsecast {

/// A kernel or reduction of an iteration, and what it moves.
struct CpuStep {
  const Step& step;
  const StepTraffic& traffic;
  int waits = 0;  ///< of the threads for each other
};

/// How often threads wait for each other at each step of an iteration (by its index), as the CPU
/// back end plans it for one device: at the end of what sums, and before a multiplication that
/// looks up what was written since. Steps with a guard count for nothing.
std::vector<int> cpu_waits(const Schedule& schedule);

/// The price of a step on vectors. Without `bytes` and `bound`.
StepPrice cpu_kernel_price(const CpuStep& step, const TrafficCase& segment,
                           const CpuKernelCosts& costs, const CpuCosts& cpu);

/// The same of a multiplication.
StepPrice cpu_product_price(const CpuStep& step, const TrafficCase& segment,
                            const CpuProductCosts& costs, const CpuCosts& cpu);

}  // namespace sparsecast
