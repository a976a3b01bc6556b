#include "core/cuda/device_program.cuh"

#include <algorithm>
#include <utility>

#include "core/cuda/fused_cg_kernels.cuh"

namespace sparsecast::cuda {
namespace {

template <class T>
class ProgramMaker {
 public:
  ProgramMaker(const CheckedSchedule<T>& checked, const CheckedSteps& list,
               const SegmentMemory<T>& memory)
      : checked_(checked), steps_(list.steps), memory_(memory) {
    program_.checked = &list;
    program_.host_runs.assign(steps_.size(), 0);
    const auto count = std::ssize(steps_);
    program_.runs = DeviceArray<std::int64_t>::zeros(count);
    program_.tickets = DeviceArray<std::int32_t>::zeros(count);
    for (const Step& step : steps_) {
      program_.kernel_sums.push_back(DeviceArray<double>::zeros(memory.kernel_sum_count(step)));
    }
  }

  DeviceProgram make() {
    if (checked_.policy().launch_mode == LaunchMode::host) {
      make_single_steps();
    } else {
      make_whole_iterations();
    }
    return std::move(program_);
  }

 private:
  RunMemory run_memory() const { return memory_.run_memory(program_.runs); }

  void make_single_steps() {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      ProgramBuilder builder(run_memory());
      if (is_kernel(steps_[i])) add_kernel(i, builder);
      program_.by_step.push_back(builder.take_launches());
    }
  }

  void make_whole_iterations() {
    const auto first_kernel = std::ranges::find_if(steps_, is_kernel);
    // Without any kernel an iteration is one launch of operations.
    const std::size_t leading =
        first_kernel == steps_.end() ? 0 : static_cast<std::size_t>(first_kernel - steps_.begin());
    const bool checks =
        std::ranges::any_of(steps_, [](const Step& step) { return step.kind == StepKind::check; });
    const bool leads =
        std::any_of(steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(leading),
                    [](const Step& step) { return !only_host_counts(step); });
    program_.ends_on_device = checks || leads;

    ProgramBuilder builder(run_memory());
    for (std::size_t i = 0; i < leading; ++i) add_operations(i, builder);
    program_.leading = builder.take_launches();

    for (std::size_t i = leading; i < steps_.size(); ++i) {
      if (is_kernel(steps_[i])) {
        add_kernel(i, builder);
      } else {
        add_operations(i, builder);
      }
    }
    if (program_.ends_on_device) {
      builder.add({});  // the end of the iteration
      for (std::size_t i = 0; i < leading; ++i) add_operations(i, builder);
    }
    program_.iteration = builder.take_launches();
    program_.controls = builder.take_programs();
  }

  void add_operations(std::size_t index, ProgramBuilder& builder) const {
    const Step& step = steps_[index];
    ControlOperation operation;
    if (step.guard) operation.guard = DeviceTest(*step.guard);
    for (const ScalarAssignment& assignment : step.assignments) {
      operation.kind = ControlOperation::Kind::assign;
      operation.operation = assignment.operation;
      operation.target = static_cast<std::int16_t>(assignment.target);
      operation.a = static_cast<std::int16_t>(assignment.a);
      operation.b = static_cast<std::int16_t>(assignment.b);
      builder.add(operation);
    }
    for (const StopTest& stop : step.stop_tests) {
      operation.kind = ControlOperation::Kind::stop;
      operation.test = DeviceTest(stop.test);
      operation.outcome = stop.outcome;
      builder.add(operation);
    }
    const bool counts = step.kind == StepKind::exchange || step.kind == StepKind::barrier;
    if (counts && (program_.ends_on_device || step.guard)) {
      operation.kind = ControlOperation::Kind::count;
      operation.step = static_cast<std::int16_t>(index);
      builder.add(operation);
    }
  }

  void add_kernel(std::size_t index, ProgramBuilder& builder) const {
    const Step& step = steps_[index];
    Gate gate{memory_.state(), memory_.scalars().data(), program_.runs.data() + index, {}};
    if (step.guard) gate.guard = DeviceTest(*step.guard);
    std::vector<T*> operands = memory_.operands(step);
    const std::span<T* const> all(operands);
    const DeviceArray<double>& sums = program_.kernel_sums[index];
    if (step.kind == StepKind::reduce) {
      const DeviceArray<double>& partials = memory_.partials();
      builder.add_kernel(
          sum_launch<T>(all, memory_.rows(), false, partials.data(), gate, memory_.launch_shape()));
      builder.add_finish(gate.guard, partials.data(), partials.size(), step.scalars[0]);
    } else if (step.name == "SpMVDot" || is_fused_cg_kernel(step.name)) {
      add_finishing_kernel(index, gate, std::move(operands), builder);
    } else if (sums_at_end<T>(step)) {
      builder.add_kernel(sum_launch<T>(all, memory_.rows(), step.name == "LoadVariable",
                                       sums.data(), gate, memory_.launch_shape()));
    } else if (step.name == "SpMV") {
      builder.add_kernel(memory_.with_matrix([&](const auto& matrix) {
        return matrix.multiply_launch(operands[0], operands[1], gate);
      }));
    } else {
      const auto reads =
          static_cast<int>(std::ranges::count(program_.checked->accesses[index], Access::read));
      builder.add_kernel(
          vector_launch<T>(step, all, reads, memory_.rows(), gate, memory_.launch_shape()));
    }
  }

  void add_finishing_kernel(std::size_t index, const Gate& gate, std::vector<T*> operands,
                            ProgramBuilder& builder) const {
    const Step& step = steps_[index];
    BlockFinish finish;
    finish.memory = run_memory();
    finish.partials = program_.kernel_sums[index].data();
    finish.tickets = program_.tickets.data() + index;
    std::ranges::copy(step.sums, finish.slots);
    builder.add_finishing_kernel(
        finish, step.guard.has_value(),
        [this, &step, gate, operands = std::move(operands)](const BlockFinish& complete) {
          return step.name == "SpMVDot"
                     ? memory_.matrix().multiply_launch(operands[0], operands[1], gate, complete,
                                                        memory_.most_finishing_blocks())
                     : fused_cg_launch<T>(step, operands, memory_.rows(), gate, complete,
                                          memory_.launch_shape());
        });
  }

  const CheckedSchedule<T>& checked_;
  const std::span<const Step> steps_;
  const SegmentMemory<T>& memory_;
  DeviceProgram program_;
};

}  // namespace

std::int64_t DeviceProgram::bytes() const {
  std::size_t bytes = runs.bytes() + tickets.bytes();
  for (const auto& sums : kernel_sums) bytes += sums.bytes();
  for (const auto& control : controls) bytes += control.bytes();
  return static_cast<std::int64_t>(bytes) + (whole != nullptr ? whole->bytes() : 0);
}

template <class T>
DeviceProgram make_program(const CheckedSchedule<T>& checked, const CheckedSteps& list,
                           const SegmentMemory<T>& memory) {
  return ProgramMaker<T>(checked, list, memory).make();
}

template DeviceProgram make_program(const CheckedSchedule<float>&, const CheckedSteps&,
                                    const SegmentMemory<float>&);
template DeviceProgram make_program(const CheckedSchedule<double>&, const CheckedSteps&,
                                    const SegmentMemory<double>&);

/// The setup, run once, is never worth a graph.
void capture(DeviceProgram& program, const CudaPolicy& policy, cudaStream_t stream) {
  const bool graph =
      policy.launch_mode == LaunchMode::graph || policy.launch_mode == LaunchMode::automatic;
  if (!graph || program.whole != nullptr || program.iteration.empty()) return;
  const auto capture_times = [&](int count) {
    return Graph::capture(stream, [&] {
      for (int i = 0; i < count; ++i) {
        for (const Launch& launch : program.iteration) launch(stream);
      }
    });
  };
  program.one = capture_times(1);
  if (policy.iterations_per_graph > 1) program.many = capture_times(policy.iterations_per_graph);
}

}  // namespace sparsecast::cuda
