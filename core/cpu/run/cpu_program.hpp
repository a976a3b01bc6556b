#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/cpu/cpu_plan.hpp"
#include "core/schedule/schedule.hpp"
#include "core/workload/layout.hpp"

namespace sparsecast {

/// One list of steps of a schedule, described and planned for the CPU. Valid as long as the
/// schedule.
struct CpuProgram {
  std::span<const Step> steps;
  std::vector<PlannedStep> planned;           ///< per step
  std::vector<std::vector<ScalarSlot>> sums;  ///< per step: what it sums into
  std::vector<char> sums_at_end;              ///< per step: as `KernelSignature` says
  std::vector<PlanItem> items;
};

/// All lists of a schedule.
struct CpuPrograms {
  CpuProgram setup;
  CpuProgram iteration;
  CpuProgram finish;
  bool uses_matrix = false;
};

/// Looks every step up, so that a schedule that cannot run is refused before anything is done.
/// `rows` and `columns` are those of the matrix, both the unknowns without one; `several`: there is
/// more than one device. Throws `Error` like `check_schedule` and `find_kernel`, and when steps
/// other than products need a square matrix and this one is not.
CpuPrograms make_cpu_programs(const Schedule& schedule, RowOrder row_order, std::int64_t rows,
                              std::int64_t columns, bool several);

}  // namespace sparsecast
