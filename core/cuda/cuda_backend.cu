#include "core/cuda_backend.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "core/bcsr.hpp"
#include "core/cpu_kernels.hpp"
#include "core/cpu_registry.hpp"
#include "core/cuda/check.cuh"
#include "core/cuda/device_array.cuh"
#include "core/cuda/device_memory.cuh"
#include "core/cuda/fused_cg_kernels.cuh"
#include "core/cuda/host_run.cuh"
#include "core/cuda/paper_spmv.cuh"
#include "core/cuda/program_builder.cuh"
#include "core/cuda/run_state.cuh"
#include "core/cuda/sparse_matrix.cuh"
#include "core/cuda/stream.cuh"
#include "core/cuda/vector_kernels.cuh"
#include "core/cuda/vendor_cg.cuh"
#include "core/cuda/whole_schedule.cuh"
#include "core/error.hpp"
#include "core/gpu_devices.hpp"

namespace sparsecast {
namespace {

using Clock = std::chrono::steady_clock;
using namespace cuda;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// How a kernel or reduce step uses its vectors: operands and their order are the CPU's.
template <class T>
const CpuKernelEntry<T>& kernel_entry(const Step& step) {
  constexpr std::array known{"SpMV", "SpMVDot",   "CG1",          "CG2",        "CG3",
                             "CG4",  "CG5",       "CGStart",      "CGResidual", "CGDirection",
                             "Copy", "LoadFixed", "LoadVariable", "Mixed"};
  if (step.kind == StepKind::kernel && std::ranges::find(known, step.name) == known.end()) {
    std::string names;
    for (const char* name : known) names += (names.empty() ? "" : ", ") + std::string(name);
    throw Error("CUDA has no kernel '" + step.name + "'; it has " + names);
  }
  return find_cpu_kernel<T>(step);
}

/// One list of steps (setup or iteration), ready to be launched.
struct Program {
  std::span<const Step> steps;
  std::vector<Launch> leading;    ///< once a call, before the first iteration
  std::vector<Launch> iteration;  ///< every iteration
  /// The device counts iterations and ends the run; otherwise exactly as many run as are launched.
  bool ends_on_device = false;
  std::vector<int> launches;                          ///< per step that runs
  std::vector<std::vector<Access>> accesses;          ///< per step and vector
  DeviceArray<std::int64_t> runs;                     ///< per step: how often it ran
  std::vector<std::int64_t> host_runs;                ///< of steps that only the host counts
  std::vector<DeviceArray<double>> kernel_sums;       ///< per step: the parts of a kernel's sums
  DeviceArray<std::int32_t> tickets;                  ///< per step that ends as `BlockFinish` says
  std::vector<DeviceArray<ControlProgram>> controls;  ///< what the launches carry out
  std::vector<std::vector<Launch>> by_step;           ///< of launch mode `host`, alone
  Graph one;                                          ///< an iteration
  Graph many;                                         ///< `iterations_per_graph` of them
  std::unique_ptr<WholeScheduleKernel> whole;         ///< in place of all these launches
  std::int64_t whole_launches = 0;
};

bool is_kernel(const Step& step) {
  return step.kind == StepKind::kernel || step.kind == StepKind::reduce;
}

template <class T>
class CudaPreparedSchedule final : public PreparedSchedule<T> {
 public:
  /// `matrix` is null for a schedule of vectors only.
  CudaPreparedSchedule(int device, const CudaPolicy& policy, const Schedule& schedule,
                       const CsrView<T>* matrix, const Layout& layout, std::int64_t unknowns)
      : device_(device), schedule_(schedule), layout_(layout), rows_(unknowns) {
    columns_ = matrix != nullptr ? matrix->columns : unknowns;
    shape_.policy = policy;
    check_schedule(schedule_);
    setup_.steps = schedule_.setup;
    iteration_.steps = schedule_.iteration;
    describe_steps(setup_);
    describe_steps(iteration_);
    if (uses_matrix_ && matrix == nullptr) {
      throw Error("schedule '" + schedule_.name + "' multiplies: prepare it with a matrix");
    }
    require_square_where_needed();
    require_whole_schedule_kernel();
    if (policy.paper_spmv) paper_geometry(*policy.paper_spmv, layout_.block_size);  // refuses
    SPARSECAST_CUDA_CHECK(cudaSetDevice(device_));
    SPARSECAST_CUDA_CHECK(
        cudaDeviceGetAttribute(&shape_.multiprocessors, cudaDevAttrMultiProcessorCount, device_));
    require_memory(matrix);
    stream_ = Stream::create();
    for (auto& event : polled_) event = Event::create();
    if (uses_matrix_) {
      if (policy.paper_spmv) {
        const auto start = Clock::now();
        const BcsrMatrix<T> converted = convert_to_bcsr(*matrix, {0, rows_}, layout_);
        conversion_seconds_ = seconds_since(start);
        const auto upload_start = Clock::now();
        paper_matrix_ = PaperMatrix<T>(converted, *policy.paper_spmv, vector_bytes());
        upload_seconds_ = seconds_since(upload_start);
      } else {
        matrix_ = SparseMatrix<T>(*matrix, layout_, policy);
        conversion_seconds_ = matrix_.conversion_seconds();
        upload_seconds_ = matrix_.upload_seconds();
      }
    }
    allocate();
    build(setup_);
    build(iteration_);
    if (uses_matrix_) find_whole_schedule_kernel(*matrix);
    capture(iteration_);
    // What was copied and cleared above went through another stream.
    SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
  }

  /// The matrix's memory may be given away once nothing reads it.
  ~CudaPreparedSchedule() override {
    cudaSetDevice(device_);
    cudaStreamSynchronize(stream_.get());
  }

  void set_vector(std::string_view name, std::span<const T> values) override {
    const VectorSlot slot = vector_slot(schedule_, name);
    require_size(slot, values.size());
    use_device();
    SPARSECAST_CUDA_CHECK(cudaMemcpyAsync(vector(slot), values.data(), values.size_bytes(),
                                          cudaMemcpyHostToDevice, stream_.get()));
    SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream_.get()));
  }

  void get_vector(std::string_view name, std::span<T> values) const override {
    const VectorSlot slot = vector_slot(schedule_, name);
    require_size(slot, values.size());
    use_device();
    SPARSECAST_CUDA_CHECK(cudaMemcpyAsync(values.data(), vector(slot), values.size_bytes(),
                                          cudaMemcpyDeviceToHost, stream_.get()));
    SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream_.get()));
  }

  void set_scalar(std::string_view name, double value) override {
    const ScalarSlot slot = scalar_slot(schedule_, name);
    use_device();
    SPARSECAST_CUDA_CHECK(cudaMemcpyAsync(scalars_.data() + slot, &value, sizeof(value),
                                          cudaMemcpyHostToDevice, stream_.get()));
    SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream_.get()));
  }

  double scalar(std::string_view name) const override {
    const ScalarSlot slot = scalar_slot(schedule_, name);
    use_device();
    double value = 0;
    SPARSECAST_CUDA_CHECK(cudaMemcpyAsync(&value, scalars_.data() + slot, sizeof(value),
                                          cudaMemcpyDeviceToHost, stream_.get()));
    SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream_.get()));
    return value;
  }

  RunReport run_setup() override { return run(setup_, 1); }

  RunReport run(std::int64_t iterations) override {
    const RunReport report = run(iteration_, iterations);
    iterations_ += report.iterations;
    return report;
  }

  RunCounters counters() const override {
    use_device();
    RunCounters counters;
    counters.iterations = iterations_;
    counters.submitted_launches = submitted_launches_;
    counters.host_waits = host_waits_;
    count(setup_, counters);
    count(iteration_, counters);
    return counters;
  }

  std::vector<SegmentShape> segments() const override {
    if (uses_matrix_) return {with_matrix([](const auto& matrix) { return matrix.shape(); })};
    SegmentShape shape;
    shape.unknowns = static_cast<double>(rows_);
    shape.total_unknowns = static_cast<double>(columns_);
    return {shape};
  }

  std::vector<std::int64_t> bytes_per_device() const override { return {bytes_}; }
  double conversion_seconds() const override { return conversion_seconds_; }
  double upload_seconds() const override { return upload_seconds_; }

 private:
  // --- preparation ---

  /// Looks every step up, so that a schedule that cannot run is refused before anything is done.
  void describe_steps(Program& program) {
    for (const Step& step : program.steps) {
      program.accesses.emplace_back();
      program.launches.push_back(0);
      if (!is_kernel(step)) continue;
      const CpuKernelEntry<T>& entry = kernel_entry<T>(step);
      if (shape_.policy.paper_spmv && step.name == "SpMVDot") {
        throw Error("schedule '" + schedule_.name +
                    "': the paper's SpMV adds up no dot product; use Algorithm 1");
      }
      program.accesses.back() = entry.accesses(step, layout_.row_order);
      program.launches.back() = step.kind == StepKind::reduce ? 2 : 1;
      uses_matrix_ = uses_matrix_ || entry.uses_matrix;
    }
    program.host_runs.assign(program.steps.size(), 0);
  }

  /// A full vector has the matrix's columns, a part its rows: only SpMV may tell them apart.
  void require_square_where_needed() const {
    if (rows_ == columns_) return;
    for (const Program* program : {&setup_, &iteration_}) {
      for (std::size_t i = 0; i < program->steps.size(); ++i) {
        const Step& step = program->steps[i];
        bool touches_full = step.kind == StepKind::exchange;
        for (std::size_t k = 0; k < program->accesses[i].size(); ++k) {
          touches_full =
              touches_full || (is_full(step.vectors[k]) && by_row(program->accesses[i][k]));
        }
        if (touches_full) {
          throw Error("schedule '" + schedule_.name + "' needs a square matrix; this one has " +
                      std::to_string(rows_) + " rows and " + std::to_string(columns_) + " columns");
        }
      }
    }
  }

  void require_whole_schedule_kernel() const {
    if (shape_.policy.launch_mode != LaunchMode::persistent) return;
    const std::string refusal =
        "schedule '" + schedule_.name + "' cannot run as a persistent kernel";
    if (!has_whole_schedule_kernel(schedule_)) {
      throw Error(refusal + ": there is none for it, only for 'fused'; use launch mode graph");
    }
    if (shape_.policy.paper_spmv) {
      throw Error(refusal + " with the mappings of the paper; use launch mode graph");
    }
  }

  void find_whole_schedule_kernel(const CsrView<T>& matrix) {
    if (shape_.policy.paper_spmv) return;
    const auto start = Clock::now();
    std::vector<T*> vectors;
    for (VectorSlot slot = 0; slot < vector_count(); ++slot) vectors.push_back(vector(slot));
    iteration_.whole = make_whole_schedule_kernel<T>(
        {schedule_, matrix, layout_, matrix_.shape(), vectors, memory(iteration_)}, shape_.policy);
    if (iteration_.whole == nullptr) return;
    bytes_ += iteration_.whole->bytes();
    conversion_seconds_ += seconds_since(start);
  }

  /// Values in the memory of a vector, with zeros behind it for blocks that hang over.
  std::int64_t vector_capacity(VectorSlot slot) const {
    return round_up((is_full(slot) ? columns_ : rows_) + input_padding, 32);
  }

  /// Of vectors and partial sums.
  std::int64_t vector_bytes() const {
    std::int64_t bytes = partial_sum_count() * static_cast<std::int64_t>(sizeof(double));
    for (VectorSlot slot = 0; slot < vector_count(); ++slot) {
      bytes += vector_capacity(slot) * static_cast<std::int64_t>(sizeof(T));
    }
    return bytes;
  }

  /// The paper's storage counts its own bytes, once it knows its padding.
  void require_memory(const CsrView<T>* matrix) const {
    const bool converts = uses_matrix_ && !shape_.policy.paper_spmv;
    const auto with_blocks = [&](std::int64_t blocks) {
      return vector_bytes() + (converts
                                   ? SparseMatrix<T>::bytes_bound(rows_, matrix->nonzeros(), blocks,
                                                                  layout_, shape_.policy)
                                   : 0);
    };
    // A block holds at least one nonzero; blocks are counted only if that bound does not suffice.
    std::int64_t needed = with_blocks(converts ? matrix->nonzeros() : 0);
    if (needed > usable_memory() && converts && layout_.block_size > 1) {
      needed = with_blocks(count_blocks(*matrix, {0, rows_}, layout_.block_size).back());
    }
    require_memory_for("schedule '" + schedule_.name + "' in layout " + to_string(layout_), needed,
                       device_, "use f32, or a layout with fewer stored elements");
  }

  bool is_variable(const Step& step) const { return step.name == "LoadVariable"; }

  std::int64_t partial_sums(bool variable) const {
    return sum_blocks(rows_, static_cast<int>(sizeof(T)), variable, shape_);
  }

  /// Of all reductions, which share one array, and of kernels that sum, each of which has its own.
  std::int64_t partial_sum_count() const {
    std::int64_t count = partial_sums(false);
    for (const Program* program : {&setup_, &iteration_}) {
      for (const Step& step : program->steps) count += kernel_sum_count(step);
    }
    return count;
  }
  std::int64_t kernel_sum_count(const Step& step) const {
    if (sums_at_end(step)) return partial_sums(is_variable(step));
    return static_cast<std::int64_t>(step.sums.size()) * sum_parts(step);
  }

  static bool sums_at_end(const Step& step) {
    return step.kind == StepKind::kernel && kernel_entry<T>(step).sums_at_end;
  }

  /// Partial sums of one scalar of a kernel that ends with sums, at most.
  std::int64_t sum_parts(const Step& step) const {
    return step.name == "SpMVDot" ? matrix_.most_dot_parts(most_finishing_blocks())
                                  : most_finishing_blocks();
  }
  std::int64_t most_finishing_blocks() const {
    return static_cast<std::int64_t>(shape_.multiprocessors) *
           shape_.policy.finishing_blocks_per_multiprocessor;
  }

  void allocate() {
    for (VectorSlot slot = 0; slot < vector_count(); ++slot) {
      vectors_.push_back(DeviceArray<T>::zeros(vector_capacity(slot)));
      bytes_ += static_cast<std::int64_t>(vectors_.back().bytes());
    }
    bytes_ += with_matrix([](const auto& matrix) { return matrix.bytes(); });
    std::vector<double> initial;
    for (const ScalarDeclaration& declaration : schedule_.scalars) {
      initial.push_back(declaration.initial);
    }
    // A kernel's operands may be none at all.
    initial.push_back(0);
    if (initial.size() > BlockFinish::most_scalars) {
      throw Error("schedule '" + schedule_.name + "' has " +
                  std::to_string(schedule_.scalars.size()) + " scalars; CUDA takes at most " +
                  std::to_string(BlockFinish::most_scalars - 1));
    }
    scalars_ = DeviceArray<double>(std::span<const double>(initial));
    state_ = DeviceArray<RunState>::zeros(1);
    partials_ = DeviceArray<double>(partial_sums(false));
    bytes_ += static_cast<std::int64_t>(scalars_.bytes() + state_.bytes() + partials_.bytes());
    for (Program* program : {&setup_, &iteration_}) {
      program->runs =
          DeviceArray<std::int64_t>::zeros(static_cast<std::int64_t>(program->steps.size()));
      for (const Step& step : program->steps) {
        program->kernel_sums.push_back(DeviceArray<double>::zeros(kernel_sum_count(step)));
        bytes_ += static_cast<std::int64_t>(program->kernel_sums.back().bytes());
      }
      program->tickets =
          DeviceArray<std::int32_t>::zeros(static_cast<std::int64_t>(program->steps.size()));
      bytes_ += static_cast<std::int64_t>(program->runs.bytes() + program->tickets.bytes());
    }
    polls_ = PinnedArray<RunState>(2);
  }

  RunMemory memory(const Program& program) const {
    return {state_.data(), scalars_.data(), program.runs.data(),
            static_cast<int>(schedule_.scalars.size())};
  }

  bool by_host() const { return shape_.policy.launch_mode == LaunchMode::host; }

  void build(Program& program) {
    const auto& steps = program.steps;
    if (by_host()) {
      for (std::size_t i = 0; i < steps.size(); ++i) {
        ProgramBuilder builder(memory(program));
        if (is_kernel(steps[i])) add_kernel(program, i, builder);
        program.by_step.push_back(builder.take_launches());
      }
      return;
    }
    const auto first_kernel = std::ranges::find_if(steps, is_kernel);
    // Without any kernel an iteration is one launch of operations.
    const std::size_t leading =
        first_kernel == steps.end() ? 0 : static_cast<std::size_t>(first_kernel - steps.begin());
    const bool checks =
        std::ranges::any_of(steps, [](const Step& step) { return step.kind == StepKind::check; });
    const bool leads =
        std::any_of(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(leading),
                    [](const Step& step) { return !only_host_counts(step); });
    program.ends_on_device = checks || leads;

    ProgramBuilder builder(memory(program));
    for (std::size_t i = 0; i < leading; ++i) add_operations(program, i, builder);
    program.leading = builder.take_launches();

    for (std::size_t i = leading; i < steps.size(); ++i) {
      if (is_kernel(steps[i])) {
        add_kernel(program, i, builder);
      } else {
        add_operations(program, i, builder);
      }
    }
    if (program.ends_on_device) {
      builder.add({});  // the end of the iteration
      for (std::size_t i = 0; i < leading; ++i) add_operations(program, i, builder);
    }
    program.iteration = builder.take_launches();
    program.controls = builder.take_programs();
    for (const auto& control : program.controls) {
      bytes_ += static_cast<std::int64_t>(control.bytes());
    }
  }

  /// One device has nothing to exchange and nobody to wait for.
  static bool only_host_counts(const Step& step) {
    return (step.kind == StepKind::exchange || step.kind == StepKind::barrier) && !step.guard;
  }

  static void add_operations(const Program& program, std::size_t index, ProgramBuilder& builder) {
    const Step& step = program.steps[index];
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
    if (counts && (program.ends_on_device || step.guard)) {
      operation.kind = ControlOperation::Kind::count;
      operation.step = static_cast<std::int16_t>(index);
      builder.add(operation);
    }
  }

  void add_kernel(const Program& program, std::size_t index, ProgramBuilder& builder) {
    const Step& step = program.steps[index];
    Gate gate{state_.data(), scalars_.data(), program.runs.data() + index, {}};
    if (step.guard) gate.guard = DeviceTest(*step.guard);
    std::vector<T*> operands;
    for (const VectorSlot slot : step.vectors) operands.push_back(vector(slot));
    const std::span<T* const> all(operands);
    if (step.kind == StepKind::reduce) {
      builder.add_kernel(sum_launch<T>(all, rows_, false, partials_.data(), gate, shape_));
      builder.add_finish(gate.guard, partials_.data(), partials_.size(), step.scalars[0]);
    } else if (step.name == "SpMVDot" || is_fused_cg_kernel(step.name)) {
      add_finishing_kernel(program, index, gate, std::move(operands), builder);
    } else if (sums_at_end(step)) {
      builder.add_kernel(sum_launch<T>(all, rows_, is_variable(step),
                                       program.kernel_sums[index].data(), gate, shape_));
    } else if (step.name == "SpMV") {
      builder.add_kernel(with_matrix([&](const auto& matrix) {
        return matrix.multiply_launch(operands[0], operands[1], gate);
      }));
    } else {
      const auto reads =
          static_cast<int>(std::ranges::count(program.accesses[index], Access::read));
      builder.add_kernel(vector_launch<T>(step, all, reads, rows_, gate, shape_));
    }
  }

  void add_finishing_kernel(const Program& program, std::size_t index, const Gate& gate,
                            std::vector<T*> operands, ProgramBuilder& builder) {
    const Step& step = program.steps[index];
    BlockFinish finish;
    finish.memory = memory(program);
    finish.partials = program.kernel_sums[index].data();
    finish.tickets = program.tickets.data() + index;
    std::ranges::copy(step.sums, finish.slots);
    builder.add_finishing_kernel(
        finish, step.guard.has_value(),
        [this, &step, gate, operands = std::move(operands)](const BlockFinish& complete) {
          return step.name == "SpMVDot"
                     ? matrix_.multiply_launch(operands[0], operands[1], gate, complete,
                                               most_finishing_blocks())
                     : fused_cg_launch<T>(step, operands, rows_, gate, complete, shape_);
        });
  }

  // --- the run ---

  RunReport run(Program& program, std::int64_t iterations) {
    RunReport report;
    if (iterations <= 0) return report;
    use_device();
    launch_begin(stream_.get(), memory(program), iterations);
    ++submitted_launches_;
    if (by_host()) {
      HostRun host(program.steps, program.by_step, {scalars_.data(), schedule_.scalars.size()},
                   program.host_runs, stream_.get());
      report = host.run(iterations);
      submitted_launches_ += host.launched();
      host_waits_ += host.waits();
      add_up_kernel_sums(program);
      return report;
    }
    if (program.whole != nullptr) {
      launch_whole(program, iterations);
    } else {
      launch_all(program.leading);
      if (program.ends_on_device) {
        launch_in_batches(program, iterations);
      } else {
        launch_iterations(program, iterations);
      }
    }
    SPARSECAST_CUDA_CHECK(cudaMemcpyAsync(polls_.data(), state_.data(), sizeof(RunState),
                                          cudaMemcpyDeviceToHost, stream_.get()));
    SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream_.get()));
    ++host_waits_;
    report.iterations = iterations;
    if (program.ends_on_device) {
      const RunState& state = polls_.data()[0];
      report.iterations = state.iterations;
      report.outcome = static_cast<Outcome>(state.ended - 1);
    }
    for (std::size_t i = 0; i < program.steps.size(); ++i) {
      if (!program.ends_on_device && only_host_counts(program.steps[i])) {
        program.host_runs[i] += iterations;
      }
    }
    add_up_kernel_sums(program);
    return report;
  }

  /// Several launches only where one would keep the GPU for too long.
  void launch_whole(Program& program, std::int64_t iterations) {
    for (std::int64_t launched = 0; launched < iterations;) {
      const std::int64_t count =
          std::min(shape_.policy.iterations_per_persistent_launch, iterations - launched);
      program.whole->launch(stream_.get(), count);
      ++program.whole_launches;
      ++submitted_launches_;
      launched += count;
      if (launched == iterations) return;
      SPARSECAST_CUDA_CHECK(cudaMemcpyAsync(polls_.data(), state_.data(), sizeof(RunState),
                                            cudaMemcpyDeviceToHost, stream_.get()));
      SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream_.get()));
      ++host_waits_;
      if (polls_.data()->ended != 1 + static_cast<int>(Outcome::iteration_limit)) return;
    }
  }

  /// Two batches are under way while the host waits for the one before them.
  void launch_in_batches(Program& program, std::int64_t iterations) {
    const std::int64_t most = std::max(1, shape_.policy.iterations_between_polls);
    std::size_t batch = 0;
    for (std::int64_t launched = 0; launched < iterations; ++batch) {
      const std::size_t turn = batch % polled_.size();
      if (batch >= polled_.size()) {
        SPARSECAST_CUDA_CHECK(cudaEventSynchronize(polled_[turn].get()));
        ++host_waits_;
        if (polls_.data()[turn].ended != 0) return;
      }
      const std::int64_t count = std::min(most, iterations - launched);
      launch_iterations(program, count);
      launched += count;
      SPARSECAST_CUDA_CHECK(cudaMemcpyAsync(polls_.data() + turn, state_.data(), sizeof(RunState),
                                            cudaMemcpyDeviceToHost, stream_.get()));
      SPARSECAST_CUDA_CHECK(cudaEventRecord(polled_[turn].get(), stream_.get()));
    }
  }

  void launch_iterations(const Program& program, std::int64_t count) {
    const int per_graph = shape_.policy.iterations_per_graph;
    const auto launch = [this](const Graph& graph) {
      graph.launch(stream_.get());
      submitted_launches_ += graph.kernels();
    };
    while (count > 0) {
      if (program.many && count >= per_graph) {
        launch(program.many);
        count -= per_graph;
        continue;
      }
      if (program.one) {
        launch(program.one);
      } else {
        launch_all(program.iteration);
      }
      --count;
    }
  }

  void launch_all(const std::vector<Launch>& launches) {
    for (const Launch& launch : launches) launch(stream_.get());
    submitted_launches_ += static_cast<std::int64_t>(launches.size());
  }

  /// The setup, run once, is never worth a graph.
  void capture(Program& program) {
    const int per_graph = shape_.policy.iterations_per_graph;
    const LaunchMode mode = shape_.policy.launch_mode;
    const bool graph = mode == LaunchMode::graph || mode == LaunchMode::automatic;
    if (!graph || program.whole != nullptr || program.iteration.empty()) return;
    const auto capture_times = [&](int count) {
      return Graph::capture(stream_.get(), [&] {
        for (int i = 0; i < count; ++i) {
          for (const Launch& launch : program.iteration) launch(stream_.get());
        }
      });
    };
    program.one = capture_times(1);
    if (per_graph > 1) program.many = capture_times(per_graph);
  }

  /// Of kernels such as LoadFixed: their scalar is known when a run is over.
  void add_up_kernel_sums(Program& program) {
    if (std::ranges::none_of(program.steps, sums_at_end)) return;
    const std::vector<std::int64_t> runs = device_runs(program);
    launch_begin(stream_.get(), memory(program), 1);  // opens the gate
    for (std::size_t i = 0; i < program.steps.size(); ++i) {
      const DeviceArray<double>& partials = program.kernel_sums[i];
      if (!sums_at_end(program.steps[i]) || runs[i] == 0) continue;
      launch_finish(stream_.get(), memory(program), {}, partials.data(), partials.size(),
                    program.steps[i].scalars[0], {});
    }
    SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream_.get()));
  }

  // --- counters ---

  std::vector<std::int64_t> device_runs(const Program& program) const {
    std::vector<std::int64_t> runs(program.steps.size());
    if (runs.empty()) return runs;
    SPARSECAST_CUDA_CHECK(cudaMemcpyAsync(runs.data(), program.runs.data(), program.runs.bytes(),
                                          cudaMemcpyDeviceToHost, stream_.get()));
    SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream_.get()));
    return runs;
  }

  void count(const Program& program, RunCounters& counters) const {
    const std::vector<std::int64_t> device = device_runs(program);
    counters.launches += program.whole_launches;
    for (std::size_t i = 0; i < program.steps.size(); ++i) {
      const Step& step = program.steps[i];
      const std::int64_t runs = device[i] + program.host_runs[i];
      const bool reduces = step.kind == StepKind::reduce;
      const bool exchanges = step.kind == StepKind::exchange;
      if (program.whole == nullptr) counters.launches += runs * program.launches[i];
      if (is_kernel(step)) counters.kernels += runs;
      if (reduces) counters.reductions += runs;
      if (exchanges) counters.exchanges += runs;
      if (reduces || exchanges || step.kind == StepKind::barrier || !step.sums.empty()) {
        counters.barriers += runs;
      }
      count_bytes(step, program.accesses[i], static_cast<double>(runs), counters.bytes);
    }
  }

  void count_bytes(const Step& step, const std::vector<Access>& accesses, double runs,
                   BytesByKind& bytes) const {
    for (std::size_t k = 0; k < accesses.size(); ++k) {
      const bool gathers = accesses[k] == Access::gather && is_full(step.vectors[k]);
      const double values = static_cast<double>(gathers ? columns_ : rows_);
      if (reads(accesses[k])) bytes.vector_reads += runs * values * sizeof(T);
      if (writes(accesses[k])) bytes.vector_writes += runs * values * sizeof(T);
    }
    if (step.kind != StepKind::kernel || !kernel_entry<T>(step).uses_matrix) return;
    const BytesByKind read = with_matrix([](const auto& matrix) { return matrix.bytes_read(); });
    bytes.values += runs * read.values;
    bytes.indices += runs * read.indices;
    bytes.row_pointers += runs * read.row_pointers;
  }

  // --- small things ---

  void use_device() const { SPARSECAST_CUDA_CHECK(cudaSetDevice(device_)); }
  int vector_count() const { return static_cast<int>(schedule_.vectors.size()); }
  bool is_full(VectorSlot slot) const {
    return schedule_.vectors[static_cast<std::size_t>(slot)].scope == VectorScope::full;
  }
  /// The matrix in the storage that the policy chose.
  template <class Function>
  auto with_matrix(const Function& function) const {
    return shape_.policy.paper_spmv ? function(paper_matrix_) : function(matrix_);
  }
  T* vector(VectorSlot slot) const { return vectors_[static_cast<std::size_t>(slot)].data(); }
  void require_size(VectorSlot slot, std::size_t size) const {
    const std::int64_t expected = is_full(slot) ? columns_ : rows_;
    if (static_cast<std::int64_t>(size) != expected) {
      throw Error("vector '" + schedule_.vectors[static_cast<std::size_t>(slot)].name + "' has " +
                  std::to_string(expected) + " values; got " + std::to_string(size));
    }
  }

  const int device_;
  const Schedule schedule_;
  const Layout layout_;
  const std::int64_t rows_;
  std::int64_t columns_ = 0;
  LaunchShape shape_;
  bool uses_matrix_ = false;
  Stream stream_;
  std::array<Event, 2> polled_;
  PinnedArray<RunState> polls_;
  SparseMatrix<T> matrix_;
  PaperMatrix<T> paper_matrix_;          ///< in its place where the policy says so
  std::vector<DeviceArray<T>> vectors_;  ///< per slot
  DeviceArray<double> scalars_;
  DeviceArray<RunState> state_;
  DeviceArray<double> partials_;  ///< of the reduction that runs
  Program setup_;
  Program iteration_;
  std::int64_t iterations_ = 0;
  std::int64_t submitted_launches_ = 0;
  std::int64_t host_waits_ = 0;
  std::int64_t bytes_ = 0;
  double conversion_seconds_ = 0;
  double upload_seconds_ = 0;
};

template <class T>
std::unique_ptr<PreparedSchedule<T>> prepare_vectors(int device, const CudaPolicy& policy,
                                                     const Schedule& schedule,
                                                     std::int64_t unknowns) {
  if (unknowns < 0) {
    throw Error("vectors of " + std::to_string(unknowns) + " unknowns; expected 0 or more");
  }
  if (is_vendor_cg(schedule)) {
    return prepare_vendor_vectors<T>(device, policy, schedule, unknowns);
  }
  return std::make_unique<CudaPreparedSchedule<T>>(device, policy, schedule, nullptr, Layout{},
                                                   unknowns);
}

}  // namespace

CudaBackend::CudaBackend(int device, const CudaPolicy& policy) : device_(device), policy_(policy) {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  cudaGetLastError();
  if (error != cudaSuccess || count == 0) {
    throw Error("no device 'cuda:" + std::to_string(device) + "': " + list_gpus().absence +
                "; use 'cpu'");
  }
  if (device < 0 || device >= count) {
    throw Error("no device 'cuda:" + std::to_string(device) + "'; there are cuda:0" +
                (count > 1 ? " to cuda:" + std::to_string(count - 1) : std::string()) +
                " and 'cpu'");
  }
}

CudaBackend::~CudaBackend() = default;

int CudaBackend::device_count() const {
  return 1;
}

std::string CudaBackend::description() const {
  cudaDeviceProp properties{};
  SPARSECAST_CUDA_CHECK(cudaGetDeviceProperties(&properties, device_));
  return std::string(properties.name) + ", cuda:" + std::to_string(device_);
}

std::unique_ptr<PreparedSchedule<float>> CudaBackend::prepare(const Schedule& schedule,
                                                              const CsrView<float>& matrix,
                                                              const Layout& layout) {
  if (is_vendor_cg(schedule)) {
    return prepare_vendor_cg(device_, policy_, schedule, matrix, layout);
  }
  return std::make_unique<CudaPreparedSchedule<float>>(device_, policy_, schedule, &matrix, layout,
                                                       matrix.rows);
}

std::unique_ptr<PreparedSchedule<double>> CudaBackend::prepare(const Schedule& schedule,
                                                               const CsrView<double>& matrix,
                                                               const Layout& layout) {
  if (is_vendor_cg(schedule)) {
    return prepare_vendor_cg(device_, policy_, schedule, matrix, layout);
  }
  return std::make_unique<CudaPreparedSchedule<double>>(device_, policy_, schedule, &matrix, layout,
                                                        matrix.rows);
}

std::unique_ptr<PreparedSchedule<float>> CudaBackend::prepare_vectors_f32(const Schedule& schedule,
                                                                          std::int64_t unknowns) {
  return prepare_vectors<float>(device_, policy_, schedule, unknowns);
}

std::unique_ptr<PreparedSchedule<double>> CudaBackend::prepare_vectors_f64(const Schedule& schedule,
                                                                           std::int64_t unknowns) {
  return prepare_vectors<double>(device_, policy_, schedule, unknowns);
}

}  // namespace sparsecast
