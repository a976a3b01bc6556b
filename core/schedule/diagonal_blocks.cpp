#include "core/schedule/diagonal_blocks.hpp"

#include <utility>

namespace sparsecast {

Step block_step(std::vector<VectorSlot> inverses, VectorSlot input, VectorSlot output,
                ScalarSlot sum) {
  const auto rows = static_cast<double>(inverses.size());
  Step step;
  step.kind = StepKind::kernel;
  step.name = sum < 0 ? block_kernel : block_dot_kernel;
  step.vectors = std::move(inverses);
  step.vectors.push_back(input);
  step.vectors.push_back(output);
  step.accesses.assign(step.vectors.size(), VectorAccess::read);
  step.accesses.back() = VectorAccess::write;
  step.traffic.vector_reads_per_unknown = rows + 1;
  step.traffic.vector_writes_per_unknown = 1;
  step.elements.per_unknown = 2 * rows + 1;  // each value of a block and what it meets; the result
  step.flops.per_unknown = 2 * rows;
  if (sum >= 0) {
    step.sums = {sum};
    step.flops.per_unknown += 2;
  }
  step.launches = 1;
  return step;
}

}  // namespace sparsecast
