#include "core/cuda/run/control_operations.hpp"

namespace sparsecast::cuda {

DeviceTest guard_of(const Step& step) {
  return step.guard ? DeviceTest(*step.guard) : DeviceTest();
}

std::vector<ControlOperation> control_operations(const Step& step) {
  std::vector<ControlOperation> operations;
  ControlOperation operation;
  operation.guard = guard_of(step);
  for (const ScalarAssignment& assignment : step.assignments) {
    operation.kind = ControlOperation::Kind::assign;
    operation.operation = assignment.operation;
    operation.target = static_cast<std::int16_t>(assignment.target);
    operation.a = static_cast<std::int16_t>(assignment.a);
    operation.b = static_cast<std::int16_t>(assignment.b);
    operation.c = static_cast<std::int16_t>(assignment.c);
    operations.push_back(operation);
  }
  for (const StopTest& stop : step.stop_tests) {
    operation.kind = ControlOperation::Kind::stop;
    operation.test = DeviceTest(stop.test);
    operation.outcome = stop.outcome;
    operations.push_back(operation);
  }
  return operations;
}

}  // namespace sparsecast::cuda
