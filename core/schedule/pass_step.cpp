#include "core/schedule/pass_step.hpp"

#include <utility>

#include "core/base/error.hpp"

namespace sparsecast {

Step pass_step(VectorPass pass, std::vector<VectorSlot> vectors, std::vector<ScalarSlot> sums) {
  if (const auto fault = fault_of(pass, vectors, sums.size())) throw Error(*fault);
  Step step;
  step.kind = StepKind::kernel;
  step.name = pass_kernel;
  step.accesses = pass_accesses(pass, vectors.size());
  for (const VectorAccess access : step.accesses) {
    step.traffic.vector_reads_per_unknown += access != VectorAccess::write ? 1 : 0;
    step.traffic.vector_writes_per_unknown += access != VectorAccess::read ? 1 : 0;
  }
  step.elements.per_unknown =
      step.traffic.vector_reads_per_unknown + step.traffic.vector_writes_per_unknown;
  step.flops.per_unknown = pass_flops(pass);
  step.launches = 1;
  step.vectors = std::move(vectors);
  step.sums = std::move(sums);
  step.pass = std::move(pass);
  return step;
}

}  // namespace sparsecast
