#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/precision.hpp"
#include "core/schedule/schedule.hpp"
#include "model/traffic/priced_schedule.hpp"
#include "model/traffic/pricer.hpp"
#include "model/traffic/step_traffic.hpp"
#include "model/traffic/traffic_case.hpp"

/// @file
/// The traffic model of iterations on a CPU: its threads pass the arrays of a step through their
/// caches, a nearest and a private one each and one that they share. Equations: docs/model.md,
/// "On a CPU".

namespace sparsecast {

/// Prices steps by what each thread does.
class CpuPricer final : public Pricer {
 public:
  /// Of a case on a CPU. The schedule that is priced must outlive it.
  CpuPricer(const PricedSchedule& schedule, const TrafficCase& segment, Precision precision);

  TrafficPrice price(const TrafficParameters& parameters) const override;
  std::size_t part_count() const override { return kernel_of_step_.size() + 1; }
  double part_seconds(std::size_t part, const TrafficParameters& parameters) const override;
  bool part_depends_on(std::size_t part, std::string_view parameter) const override;
  std::vector<std::string> parameter_groups() const override;

 private:
  /// A step that runs in every iteration, and those like it.
  struct Kernel {
    const Step* step = nullptr;
    StepTraffic traffic;
    bool multiplies = false;
    int waits = 0;  ///< of the threads for each other
  };

  StepPrice price_kernel(const Kernel& kernel, const TrafficParameters& parameters) const;
  StepPrice price_vectors(const Kernel& kernel, const CpuKernelCosts& costs,
                          const CpuCosts& cpu) const;
  StepPrice price_product(const Kernel& kernel, const CpuProductCosts& costs,
                          const CpuCosts& cpu) const;
  const Kernel& kernel_of(std::size_t step) const { return kernels_[kernel_of_step_[step]]; }
  double scalar_seconds(const TrafficParameters& parameters) const;
  std::string group_of(const Kernel& kernel) const;

  TrafficCase segment_;
  double threads_;
  Precision precision_;
  std::string layout_;           ///< its name, the key of products
  std::vector<Kernel> kernels_;  ///< of each kind one
  std::vector<std::size_t> kernel_of_step_;
  int scalar_steps_ = 0;  ///< without rows, or with a closed guard
};

}  // namespace sparsecast
