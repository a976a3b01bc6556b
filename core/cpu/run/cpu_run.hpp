#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/cpu/cpu_registry.hpp"
#include "core/cpu/run/cpu_program.hpp"
#include "core/cpu/run/cpu_team.hpp"
#include "core/engine/backend.hpp"

namespace sparsecast {

/// A program on the threads of a team: all of them carry it out together, item by item.
template <class T>
class CpuRun {
 public:
  /// Looks the kernels up and binds them to the memory of each device. Program and team outlive it.
  CpuRun(const CpuProgram& program, CpuTeam<T>& team, std::int64_t rows_per_part);

  /// Runs the program up to so many times, less if a check ends it.
  RunReport run(std::int64_t iterations);

  /// How often each item of the program has run.
  std::span<const std::int64_t> item_runs() const { return item_runs_; }

 private:
  void bind();
  RunReport run_thread(std::int64_t iterations, int index);
  void run_group(const CpuProgram& program, std::size_t item_index, CpuDevice<T>& device,
                 CpuThread& thread);
  double run_self_scheduled(std::size_t step, CpuDevice<T>& device, CpuThread& thread);
  double& kernel_sum(std::size_t item, int thread);
  void add_up_kernel_sums();

  const CpuProgram& program_;
  CpuTeam<T>& team_;
  const std::int64_t rows_per_part_;
  std::vector<CpuFunction<T>> functions_;       ///< per step; null where it is no kernel or sum
  std::vector<std::vector<CpuCall<T>>> calls_;  ///< per device and step
  std::vector<std::int64_t> item_runs_;
  std::vector<double> kernel_sums_;  ///< per item and thread: parts of a sum known at the end
};

}  // namespace sparsecast
