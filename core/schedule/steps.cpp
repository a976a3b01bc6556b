#include "core/schedule/steps.hpp"

#include <utility>

namespace sparsecast {

Step product_step(VectorSlot input, VectorSlot output, ScalarSlot sum) {
  Step step;
  step.kind = StepKind::kernel;
  step.name = sum < 0 ? "SpMV" : "SpMVDot";
  step.vectors = {input, output};
  step.accesses = {VectorAccess::read, VectorAccess::write};
  step.elements.per_element = 2;  // Table 3: the matrix value and the vector value it meets
  step.flops.per_element = 2;
  step.traffic.values_per_element = 1;
  step.traffic.indices_per_block = 1;
  step.traffic.offsets_per_block_row = 1;
  step.traffic.gathered_per_total_unknown = 1;
  step.traffic.vector_writes_per_unknown = 1;
  step.launches = 1;
  if (sum >= 0) {
    step.sums = {sum};
    step.elements.per_unknown = 1;
    step.flops.per_unknown = 2;
  }
  return step;
}

Step library_product_step(VectorSlot input, VectorSlot output) {
  Step step = product_step(input, output);
  step.name = "cusparseSpMV";
  step.traffic.offsets_per_block_row = 0.5;  // 4 bytes wide there
  return step;
}

Step exchange_step(VectorSlot full) {
  Step step;
  step.kind = StepKind::exchange;
  step.name = "Exchange";
  step.vectors = {full};
  step.accesses = {VectorAccess::update};
  step.traffic.exchanged_per_total_unknown = 1;  // each device sends its part, gets the others
  return step;
}

Step scalar_step(std::vector<ScalarAssignment> assignments) {
  Step step;
  step.kind = StepKind::host_scalar;
  step.name = "Scalars";
  step.assignments = std::move(assignments);
  return step;
}

Step check_step(std::vector<StopTest> tests) {
  Step step;
  step.kind = StepKind::check;
  step.name = "Check";
  step.stop_tests = std::move(tests);
  return step;
}

}  // namespace sparsecast
