#include "core/schedule/microbenchmark_schedules.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/schedule/cg_schedule.hpp"

namespace sparsecast {
namespace {

/// A schedule whose iteration is this step, with the declarations that it uses and no others, so
/// that nothing is allocated for the rest.
Schedule schedule_of(Step step, const Schedule& source, std::string name) {
  Schedule schedule;
  schedule.name = std::move(name);
  const auto move_slot = [](int& slot, const auto& from, auto& to) {
    const auto& declaration = from[static_cast<std::size_t>(slot)];
    const auto found =
        std::ranges::find_if(to, [&](const auto& other) { return other.name == declaration.name; });
    slot = static_cast<int>(found - to.begin());
    if (found == to.end()) to.push_back(declaration);
  };
  for (VectorSlot& slot : step.vectors) move_slot(slot, source.vectors, schedule.vectors);
  for (ScalarSlot& slot : step.scalars) move_slot(slot, source.scalars, schedule.scalars);
  for (ScalarSlot& slot : step.sums) move_slot(slot, source.scalars, schedule.scalars);
  step.guard.reset();
  schedule.iteration = {std::move(step)};
  return schedule;
}

const Step* find_step(const Schedule& schedule, std::string_view name) {
  for (const auto* steps : {&schedule.iteration, &schedule.setup}) {
    const auto found = std::ranges::find(*steps, name, &Step::name);
    if (found != steps->end()) return &*found;
  }
  return nullptr;
}

void declare_segments(Schedule& schedule, Step& step, const std::string& prefix, int count,
                      VectorAccess access) {
  for (int i = 1; i <= count; ++i) {
    step.vectors.push_back(static_cast<VectorSlot>(schedule.vectors.size()));
    step.accesses.push_back(access);
    schedule.vectors.push_back({prefix + std::to_string(i), VectorScope::segment});
  }
}

}  // namespace

Schedule load_schedule(int vector_count, bool variable) {
  if (vector_count < 1) throw Error("a load of no vector; expected at least one");
  Schedule schedule;
  schedule.name = "load" + std::to_string(vector_count) + (variable ? "_variable" : "_fixed");
  schedule.scalars = {{"sum", 0}};
  Step step;
  step.kind = StepKind::kernel;
  step.name = variable ? "LoadVariable" : "LoadFixed";
  declare_segments(schedule, step, "load", vector_count, VectorAccess::read);
  step.scalars = {0};
  step.elements.per_unknown = vector_count;
  step.flops.per_unknown = vector_count;
  step.traffic.vector_reads_per_unknown = vector_count;
  step.launches = 1;
  schedule.iteration = {std::move(step)};
  return schedule;
}

Schedule mixed_schedule(int reads, int writes) {
  if (reads < 1 || writes < 1) {
    throw Error("a mix of " + std::to_string(reads) + " reads and " + std::to_string(writes) +
                " writes; expected at least one of each");
  }
  Schedule schedule;
  schedule.name = "mixed" + std::to_string(reads) + "_" + std::to_string(writes);
  Step step;
  step.kind = StepKind::kernel;
  step.name = "Mixed";
  declare_segments(schedule, step, "read", reads, VectorAccess::read);
  declare_segments(schedule, step, "write", writes, VectorAccess::write);
  step.elements.per_unknown = reads + writes;
  step.flops.per_unknown = reads - 1;
  step.traffic.vector_reads_per_unknown = reads;
  step.traffic.vector_writes_per_unknown = writes;
  step.launches = 1;
  schedule.iteration = {std::move(step)};
  return schedule;
}

Schedule single_step_schedule(std::string_view step_name) {
  for (const Schedule& schedule :
       {algorithm1_schedule(), fused_cg_schedule(), vendor_cg_schedule()}) {
    const Step* step = find_step(schedule, step_name);
    if (step != nullptr) return schedule_of(*step, schedule, std::string(step_name));
  }
  throw Error("no step '" + std::string(step_name) +
              "' in conjugate gradients; expected SpMV, CG1 to CG5, Red, SpMVDot, CGStart, "
              "CGResidual, CGDirection, cusparseSpMV, cublasDot, cublasAxpy, cublasScal, "
              "cublasCopy or VendorMultiply");
}

Schedule exchange_schedule() {
  const Schedule algorithm1 = algorithm1_schedule();
  const auto exchange = std::ranges::find(algorithm1.iteration, StepKind::exchange, &Step::kind);
  return schedule_of(*exchange, algorithm1, "exchange");
}

Schedule barrier_schedule() {
  Schedule schedule;
  schedule.name = "barrier";
  Step step;
  step.kind = StepKind::barrier;
  step.name = "Barrier";
  schedule.iteration = {std::move(step)};
  return schedule;
}

}  // namespace sparsecast
