#include "core/cuda/run/device_run.cuh"

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/stopwatch.hpp"
#include "core/workload/polls.hpp"

namespace sparsecast::cuda {

template <class T>
DeviceRun<T>::DeviceRun(const CheckedSchedule<T>& checked, const MatrixOperators<T>& operators,
                        const Segment& segment, const GpuPart& gpu, const DeviceMatrices<T>& shared)
    : checked_(checked), memory_(checked, operators, segment, gpu, shared) {
  for (auto& event : polled_) event = Event::create();
  polls_ = PinnedArray<RunState>(polled_.size());
}

template <class T>
void DeviceRun<T>::prepare(const CsrView<T>* matrix, Exchange<T> exchange,
                           std::vector<std::vector<T*>> vectors) {
  memory_.use_device();
  exchange_ = std::move(exchange);
  const bool alone = vectors.size() == 1;
  const RunPeers<T> peers{alone ? nullptr : &exchange_, nullptr, nullptr, std::move(vectors)};
  setup_ = make_program(checked_, checked_.setup(), memory_, peers);
  iteration_ = make_program(checked_, checked_.iteration(), memory_, peers);
  finish_ = make_program(checked_, checked_.finish(), memory_, peers);
  if (checked_.uses_matrix() && alone) find_whole_schedule_kernel(*matrix);
  capture(iteration_, checked_.policy(), memory_.stream());
  if (!alone) {
    // A kernel's first launch may wait for what runs, which may wait for another device.
    capture(setup_, checked_.policy(), memory_.stream());
    capture(finish_, checked_.policy(), memory_.stream());
    load(setup_, memory_.stream());
    load(iteration_, memory_.stream());
    load(finish_, memory_.stream());
  }
  // What was copied and cleared above went through another stream.
  SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
}

template <class T>
void DeviceRun<T>::prepare(NcclExchange<T>& nccl, const HaloProduct<T>* halo) {
  for (const CheckedSteps* list : {&checked_.setup(), &checked_.iteration(), &checked_.finish()}) {
    if (std::ranges::none_of(list->steps, sums_at_end)) continue;
    throw Error("schedule '" + checked_.schedule().name +
                "' sums when a run is over; such do not run by NCCL");
  }
  memory_.use_device();
  nccl_ = &nccl;
  halo_ = halo;
  const RunPeers<T> peers{nullptr, nccl_, halo_, {}};
  setup_ = make_program(checked_, checked_.setup(), memory_, peers);
  iteration_ = make_program(checked_, checked_.iteration(), memory_, peers);
  finish_ = make_program(checked_, checked_.finish(), memory_, peers);
}

template <class T>
void DeviceRun<T>::capture_like_all(std::int64_t most_launches) {
  iteration_.most_launches = most_launches;
  capture(iteration_, checked_.policy(), memory_.stream());
  SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
}

template <class T>
DeviceRun<T>::~DeviceRun() {
  try {
    memory_.use_device();
  } catch (const Error&) {
    // What CUDA keeps as an error has been thrown before.
  }
  cudaStreamSynchronize(memory_.stream());
}

template <class T>
void DeviceRun<T>::find_whole_schedule_kernel(const CsrView<T>& matrix) {
  iteration_.whole = make_whole_schedule_kernel<T>(
      {checked_.schedule(), matrix, checked_.layout(), memory_.matrix().shape(), memory_.vectors(),
       memory_.run_memory(iteration_.runs)},
      checked_.policy());
  if (iteration_.whole != nullptr) whole_seconds_ = iteration_.whole->conversion_seconds();
}

template <class T>
std::int64_t DeviceRun<T>::bytes() const {
  return memory_.bytes() + exchange_.bytes() + setup_.bytes() + iteration_.bytes() +
         finish_.bytes();
}

template <class T>
double DeviceRun<T>::conversion_seconds() const {
  return memory_.conversion_seconds() + whole_seconds_;
}

// --- the run ---

template <class T>
typename DeviceRun<T>::Result DeviceRun<T>::run(std::int64_t iterations) {
  const Result result = run(iteration_, iterations);
  iterations_ += result.iterations;
  return result;
}

template <class T>
typename DeviceRun<T>::Result DeviceRun<T>::run(DeviceProgram& program, std::int64_t iterations) {
  Result result{1 + static_cast<int>(Outcome::iteration_limit), iterations};
  if (iterations <= 0) return {result.ended, 0};
  memory_.use_device();
  launch_begin(memory_.stream(), memory_.run_memory(program.runs), iterations);
  ++submitted_launches_;
  if (checked_.policy().launch_mode == LaunchMode::host) return run_by_host(program, iterations);
  if (program.whole != nullptr) {
    launch_whole(program, iterations);
  } else {
    launch_all(program.leading);
    // What is under way at a time is bounded, as the wait for it is.
    if (program.ends_on_device || nccl_ != nullptr) {
      launch_in_batches(program, iterations);
    } else {
      launch_iterations(program, iterations);
    }
  }
  poll(0);
  wait();
  const RunState& state = polls_.data()[0];
  if (program.ends_on_device || state.ended < 0) result = {state.ended, state.iterations};
  for (const std::size_t step : program.host_counted) program.host_runs[step] += iterations;
  if (result.ended > 0) add_up_kernel_sums(program);
  return result;
}

template <class T>
typename DeviceRun<T>::Result DeviceRun<T>::run_by_host(DeviceProgram& program,
                                                        std::int64_t iterations) {
  const std::vector<HostExchange> exchanges = host_exchanges(program);
  HostRun host(program.steps(), program.by_step, exchanges, memory_.scalars(), program.host_runs,
               host_peers_, memory_.stream());
  const std::optional<RunReport> report = host.run(iterations);
  const bool complete = report && host.add_over_devices(add_up_kernel_sums(program));
  submitted_launches_ += host.launched();
  host_waits_ += host.waits();
  if (!complete) return {ended_by_host, 0};
  return {1 + static_cast<int>(report->outcome), report->iterations};
}

template <class T>
std::vector<HostExchange> DeviceRun<T>::host_exchanges(const DeviceProgram& program) const {
  std::vector<HostExchange> exchanges;
  for (const Step& step : program.steps()) {
    exchanges.emplace_back();
    if (step.kind != StepKind::exchange) continue;
    exchanges.back() = {memory_.operands(step)[0], memory_.vector(step.vectors.back())};
  }
  return exchanges;
}

/// Several launches only where one would keep the GPU for too long.
template <class T>
void DeviceRun<T>::launch_whole(DeviceProgram& program, std::int64_t iterations) {
  for (std::int64_t launched = 0; launched < iterations;) {
    const std::int64_t count =
        std::min(checked_.policy().iterations_per_persistent_launch, iterations - launched);
    program.whole->launch(memory_.stream(), count);
    ++program.whole_launches;
    ++submitted_launches_;
    launched += count;
    if (launched == iterations) return;
    poll(0);
    wait();
    if (polls_.data()->ended != 1 + static_cast<int>(Outcome::iteration_limit)) return;
  }
}

/// Two batches are under way while the host waits for the one before them.
template <class T>
void DeviceRun<T>::launch_in_batches(DeviceProgram& program, std::int64_t iterations) {
  const std::int64_t most = iterations_between_polls(checked_.policy(), program.most_launches,
                                                     program.iterations_of_many);
  std::size_t batch = 0;
  for (std::int64_t launched = 0; launched < iterations; ++batch) {
    const std::size_t turn = batch % polled_.size();
    if (batch >= polled_.size()) {
      wait_for_poll(turn);
      if (polls_.data()[turn].ended != 0) return;
    }
    const std::int64_t count = std::min(most, iterations - launched);
    launch_iterations(program, count);
    launched += count;
    poll(turn);
    SPARSECAST_CUDA_CHECK(cudaEventRecord(polled_[turn].get(), memory_.stream()));
  }
}

template <class T>
void DeviceRun<T>::launch_iterations(const DeviceProgram& program, std::int64_t count) {
  const auto launch = [this](const Graph& graph) {
    graph.launch(memory_.stream());
    submitted_launches_ += graph.kernels();
  };
  while (count > 0) {
    if (program.many && count >= program.iterations_of_many) {
      launch(program.many);
      count -= program.iterations_of_many;
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

template <class T>
void DeviceRun<T>::launch_all(const std::vector<Launch>& launches) {
  for (const Launch& launch : launches) launch(memory_.stream());
  submitted_launches_ += static_cast<std::int64_t>(launches.size());
}

template <class T>
void DeviceRun<T>::poll(std::size_t turn) {
  SPARSECAST_CUDA_CHECK(cudaMemcpyAsync(polls_.data() + turn, memory_.state(), sizeof(RunState),
                                        cudaMemcpyDeviceToHost, memory_.stream()));
}

template <class T>
void DeviceRun<T>::wait() {
  if (nccl_ != nullptr) {
    nccl_->group().wait(memory_.stream(), checked_.policy().nccl_patience_seconds);
  } else {
    SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(memory_.stream()));
  }
  ++host_waits_;
}

template <class T>
void DeviceRun<T>::wait_for_poll(std::size_t turn) {
  const cudaEvent_t event = polled_[turn].get();
  if (nccl_ != nullptr) {
    nccl_->group().wait(event, checked_.policy().nccl_patience_seconds);
  } else {
    SPARSECAST_CUDA_CHECK(cudaEventSynchronize(event));
  }
  ++host_waits_;
}

/// Of kernels such as LoadFixed: their scalar is known when a run is over.
template <class T>
std::vector<ScalarSlot> DeviceRun<T>::add_up_kernel_sums(DeviceProgram& program) {
  const auto steps = program.steps();
  std::vector<ScalarSlot> slots;
  if (std::ranges::none_of(steps, sums_at_end)) return slots;
  const std::vector<std::int64_t> runs = device_runs(program);
  const RunMemory run_memory = memory_.run_memory(program.runs);
  launch_begin(memory_.stream(), run_memory, 1);  // opens the gate
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::span<const double> partials = program.kernel_sums[i];
    if (!sums_at_end(steps[i]) || runs[i] == 0) continue;
    launch_finish(memory_.stream(), run_memory, {}, partials.data(), std::ssize(partials),
                  steps[i].scalars[0], ControlProgram{});
    slots.push_back(steps[i].scalars[0]);
  }
  SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(memory_.stream()));
  return slots;
}

// --- counters ---

template <class T>
RunCounters DeviceRun<T>::counters() const {
  memory_.use_device();
  RunCounters counters;
  counters.iterations = iterations_;
  counters.submitted_launches = submitted_launches_;
  counters.host_waits = host_waits_;
  count(setup_, counters);
  count(iteration_, counters);
  count(finish_, counters);
  return counters;
}

template <class T>
std::vector<std::int64_t> DeviceRun<T>::device_runs(const DeviceProgram& program) const {
  std::vector<std::int64_t> runs(program.steps().size());
  if (runs.empty()) return runs;
  SPARSECAST_CUDA_CHECK(cudaMemcpyAsync(runs.data(), program.runs.data(), program.runs.bytes(),
                                        cudaMemcpyDeviceToHost, memory_.stream()));
  SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(memory_.stream()));
  return runs;
}

template <class T>
void DeviceRun<T>::count(const DeviceProgram& program, RunCounters& counters) const {
  const std::vector<std::int64_t> device = device_runs(program);
  counters.launches += program.whole_launches;
  for (std::size_t i = 0; i < device.size(); ++i) {
    const Step& step = program.steps()[i];
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
    count_bytes(program, i, static_cast<double>(runs), counters.bytes);
  }
}

template <class T>
void DeviceRun<T>::count_bytes(const DeviceProgram& program, std::size_t index, double runs,
                               BytesByKind& bytes) const {
  const Step& step = program.steps()[index];
  const std::vector<Access>& accesses = program.checked->accesses[index];
  for (std::size_t k = 0; k < accesses.size(); ++k) {
    const bool gathers = accesses[k] == Access::gather && checked_.is_full(step.vectors[k]);
    const double values = static_cast<double>(gathers ? checked_.columns() : memory_.rows());
    if (reads(accesses[k])) bytes.vector_reads += runs * values * sizeof(T);
    if (writes(accesses[k])) bytes.vector_writes += runs * values * sizeof(T);
  }
  if (step.kind != StepKind::kernel || !kernel_signature(step).uses_matrix) return;
  const BytesByKind read = program.whole != nullptr ? program.whole->matrix_bytes_read()
                                                    : memory_.matrix(step.transposed).bytes_read();
  const BytesByKind halo = halo_ != nullptr ? halo_->bytes_moved() : BytesByKind{};
  bytes.values += runs * (read.values + halo.values);
  bytes.indices += runs * (read.indices + halo.indices);
  bytes.row_pointers += runs * (read.row_pointers + halo.row_pointers);
  bytes.vector_reads += runs * halo.vector_reads;
  bytes.vector_writes += runs * halo.vector_writes;
}

template class DeviceRun<float>;
template class DeviceRun<double>;

}  // namespace sparsecast::cuda
