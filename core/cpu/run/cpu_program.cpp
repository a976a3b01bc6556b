#include "core/cpu/run/cpu_program.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/cpu/cpu_registry.hpp"
#include "core/engine/kernel_table.hpp"

namespace sparsecast {
namespace {

CpuProgram make_program(std::span<const Step> steps, RowOrder row_order, bool repeated,
                        bool several) {
  CpuProgram program;
  program.steps = steps;
  for (const Step& step : steps) {
    PlannedStep planned;
    planned.kind = step.kind;
    planned.guard = step.guard;
    planned.vectors = step.vectors;
    bool sums_at_end = false;
    if (step.kind == StepKind::kernel || step.kind == StepKind::reduce) {
      const KernelSignature& entry = find_kernel(step, cpu_name);
      planned.accesses = entry.accesses(step, row_order);
      planned.uses_matrix = entry.uses_matrix;
      planned.transposed = step.transposed;
      planned.self_scheduled = entry.self_scheduled;
      planned.sums = !step.sums.empty();
      sums_at_end = step.kind == StepKind::kernel && entry.sums_at_end;
    }
    program.planned.push_back(std::move(planned));
    program.sums.push_back(step.kind == StepKind::reduce ? step.scalars : step.sums);
    program.sums_at_end.push_back(sums_at_end);
  }
  program.items = plan_steps(program.planned, repeated, several);
  return program;
}

bool uses_matrix(const CpuProgram& program) {
  return std::ranges::any_of(program.planned, &PlannedStep::uses_matrix);
}

/// A full vector has the matrix's columns, a part its rows: only SpMV may tell them apart.
bool needs_square_matrix(const CpuProgram& program, const Schedule& schedule) {
  const auto is_full = [&](VectorSlot slot) {
    return schedule.vectors[static_cast<std::size_t>(slot)].scope == VectorScope::full;
  };
  return std::ranges::any_of(program.planned, [&](const PlannedStep& step) {
    bool touches_full = step.kind == StepKind::exchange || step.transposed;
    for (std::size_t i = 0; i < step.accesses.size(); ++i) {
      touches_full = touches_full || (is_full(step.vectors[i]) && in_segment(step.accesses[i]));
    }
    return touches_full;
  });
}

}  // namespace

CpuPrograms make_cpu_programs(const Schedule& schedule, RowOrder row_order, std::int64_t rows,
                              std::int64_t columns, bool several) {
  check_schedule(schedule);
  CpuPrograms programs;
  programs.setup = make_program(schedule.setup, row_order, false, several);
  programs.iteration = make_program(schedule.iteration, row_order, true, several);
  programs.finish = make_program(schedule.finish, row_order, false, several);
  const auto all = {&programs.setup, &programs.iteration, &programs.finish};
  programs.uses_matrix =
      std::ranges::any_of(all, [](const CpuProgram* list) { return uses_matrix(*list); });
  if (rows != columns && std::ranges::any_of(all, [&](const CpuProgram* list) {
        return needs_square_matrix(*list, schedule);
      })) {
    throw Error("schedule '" + schedule.name + "' needs a square matrix; this one has " +
                std::to_string(rows) + " rows and " + std::to_string(columns) + " columns");
  }
  return programs;
}

}  // namespace sparsecast
