#include "core/cuda/vendor/vendor_cg.cuh"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/stopwatch.hpp"
#include "core/cuda/device/current_gpu.cuh"
#include "core/cuda/device/device_memory.cuh"
#include "core/cuda/device/repeated_values.cuh"
#include "core/cuda/device/stream.cuh"
#include "core/cuda/vendor/cublas_handle.cuh"
#include "core/formats/cusparse/cuda/product.cuh"

namespace sparsecast::cuda {
namespace {

/// cuBLAS's functions for one type of values.
template <class T>
struct VectorCalls {
  static constexpr auto dot = &Cublas::cublasDdot_v2;
  static constexpr auto axpy = &Cublas::cublasDaxpy_v2;
  static constexpr auto scal = &Cublas::cublasDscal_v2;
  static constexpr auto copy = &Cublas::cublasDcopy_v2;
};
template <>
struct VectorCalls<float> {
  static constexpr auto dot = &Cublas::cublasSdot_v2;
  static constexpr auto axpy = &Cublas::cublasSaxpy_v2;
  static constexpr auto scal = &Cublas::cublasSscal_v2;
  static constexpr auto copy = &Cublas::cublasScopy_v2;
};

enum class Kernel { none, product, dot, axpy, scal, copy, multiply };

constexpr std::array<std::pair<std::string_view, Kernel>, 6> kernels{
    {{"cusparseSpMV", Kernel::product},
     {"cublasDot", Kernel::dot},
     {"cublasAxpy", Kernel::axpy},
     {"cublasScal", Kernel::scal},
     {"cublasCopy", Kernel::copy},
     {"VendorMultiply", Kernel::multiply}}};

Kernel find_kernel(const Step& step) {
  if (step.kind != StepKind::kernel) return Kernel::none;
  const auto found =
      std::ranges::find(kernels, step.name, [](const auto& pair) { return pair.first; });
  return found == kernels.end() ? Kernel::none : found->second;
}

/// Assignments and tests of slots that one thread carries out in order.
struct ScalarWork {
  static constexpr int capacity = 12;
  struct Item {
    bool stops = false;
    ScalarAssignment assignment;
    StopTest stop;
  };
  int count = 0;
  Item items[capacity];
};

/// Behind the last scalar: 0, or 1 + outcome of a run that has ended, whose quotients (the widths
/// of steps) are 0 from then on.
template <class T>
__global__ void do_scalars(ScalarWork work, T* scalars, int ended) {
  for (int k = 0; k < work.count; ++k) {
    const ScalarWork::Item& item = work.items[k];
    if (item.stops) {
      const T a = scalars[item.stop.test.a];
      const T b = scalars[item.stop.test.b];
      const bool finite = isfinite(a) && isfinite(b);
      const bool holds = item.stop.test.comparison == Comparison::less ? a < b : a <= b;
      if (scalars[ended] == 0 && (!finite || holds)) {
        scalars[ended] =
            static_cast<T>(1 + static_cast<int>(finite ? item.stop.outcome : Outcome::not_finite));
      }
      continue;
    }
    const ScalarAssignment& assignment = item.assignment;
    const auto value = [scalars](ScalarSlot slot) { return slot < 0 ? T{0} : scalars[slot]; };
    T& target = scalars[assignment.target];
    const bool is_void = assignment.operation == ScalarOperation::divide && scalars[ended] != 0;
    target = is_void ? T{0}
                     : scalar_result(assignment.operation, target, value(assignment.a),
                                     value(assignment.b), value(assignment.c));
  }
}

template <class T>
__global__ void multiply_each(std::int64_t size, const T* a, const T* b, T* product) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < size) product[i] = a[i] * b[i];
}

template <class T>
class VendorCg final : public PreparedSchedule<T> {
 public:
  VendorCg(const GpuPart& device, const CudaPolicy& policy, const Schedule& schedule,
           CsrView<T> matrix, const Layout& layout)
      : device_(device),
        policy_(policy),
        schedule_(schedule),
        rows_(matrix.rows),
        nonzeros_(matrix.nonzeros()) {
    check_schedule(schedule_);
    require_known_kernels();
    if (layout != Layout{}) {
      throw Error("schedule '" + schedule_.name + "' runs in layout csr only, not in " +
                  to_string(layout));
    }
    if (policy_.launch_mode == LaunchMode::persistent) {
      throw Error("schedule '" + schedule_.name +
                  "' has no persistent kernel; launch it as graph, plain or host");
    }
    if (matrix.rows != matrix.columns) {
      throw Error("schedule '" + schedule_.name + "' needs a square matrix; this one has " +
                  std::to_string(matrix.rows) + " rows and " + std::to_string(matrix.columns) +
                  " columns");
    }
    const auto r_r = std::ranges::find(schedule_.scalars, "r_r", &ScalarDeclaration::name);
    if (r_r != schedule_.scalars.end()) {
      residual_ = static_cast<ScalarSlot>(r_r - schedule_.scalars.begin());
    }
    for (const ScalarDeclaration& scalar : schedule_.scalars) scalars_.push_back(scalar.initial);
    use_device();
    require_memory(matrix);
    stream_ = Stream::create();
    for (Event& event : polled_) event = Event::create();
    open_libraries();
    require_memory(
        matrix);  // the libraries' own is taken now; that of a product it asks for itself
    const auto product_step = std::ranges::find(schedule_.iteration, Kernel::product, find_kernel);
    const bool multiplies = product_step != schedule_.iteration.end();
    if (multiplies) {
      const double upload_start = steady_seconds();
      matrix_ = CusparseArrays<T>(matrix, VendorAlgorithm::csr_alg1);
      upload_seconds_ = steady_seconds() - upload_start;
    }
    for (int slot = 0; slot < vector_count(); ++slot) {
      vectors_.push_back(DeviceArray<T>::zeros(rows_));
    }
    device_scalars_ = DeviceArray<T>::zeros(std::ssize(scalars_) + 1);
    polls_ = PinnedArray<T>(polled_.size() * (scalars_.size() + 1));
    SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
    const double analysis_start = steady_seconds();
    if (multiplies) choose_product(*product_step);
    analysis_seconds_ = steady_seconds() - analysis_start;
    setup_runs_.resize(schedule_.setup.size());
    runs_.resize(schedule_.iteration.size());
    if (on_device()) record();
  }
  VendorCg(const VendorCg&) = delete;
  VendorCg& operator=(const VendorCg&) = delete;

  void set_vector(std::string_view name, std::span<const T> values) override {
    T* const to = vector(vector_slot(schedule_, name));
    require_size(name, values.size());
    use_device();
    SPARSECAST_CUDA_CHECK(cudaMemcpyAsync(to, values.data(), values.size_bytes(),
                                          cudaMemcpyHostToDevice, stream_.get()));
    SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream_.get()));
  }

  void repeat_in_vector(std::string_view name, std::span<const T> pattern) override {
    T* const to = vector(vector_slot(schedule_, name));
    use_device();
    repeat_values(pattern, 0, to, rows_, stream_.get());
  }

  void get_vector(std::string_view name, std::span<T> values) const override {
    const T* const from = vector(vector_slot(schedule_, name));
    require_size(name, values.size());
    use_device();
    SPARSECAST_CUDA_CHECK(cudaMemcpyAsync(values.data(), from, values.size_bytes(),
                                          cudaMemcpyDeviceToHost, stream_.get()));
    SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream_.get()));
  }

  void set_scalar(std::string_view name, double value) override {
    scalars_[static_cast<std::size_t>(scalar_slot(schedule_, name))] = value;
  }
  double scalar(std::string_view name) const override {
    return scalars_[static_cast<std::size_t>(scalar_slot(schedule_, name))];
  }

  RunReport run_setup() override {
    use_device();
    use_scalars_on_host(true);
    RunReport report;
    report.iterations = 1;
    const auto outcome = run_on_host(schedule_.setup, setup_runs_);
    SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream_.get()));
    report.outcome = outcome.value_or(Outcome::iteration_limit);
    return report;
  }

  RunReport run(std::int64_t iterations) override {
    RunReport report;
    if (iterations <= 0) return report;
    use_device();
    use_scalars_on_host(!on_device());
    if (on_device()) {
      report = run_in_batches(iterations);
    } else {
      while (report.iterations < iterations && report.outcome == Outcome::iteration_limit) {
        ++report.iterations;
        report.outcome = run_on_host(schedule_.iteration, runs_).value_or(Outcome::iteration_limit);
      }
      SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream_.get()));
    }
    iterations_ += report.iterations;
    return report;
  }

  void run_finish() override {}  // its schedule has nothing to finish

  RunCounters counters() const override {
    RunCounters counters;
    counters.iterations = iterations_;
    count(schedule_.setup, setup_runs_, counters);
    count(schedule_.iteration, runs_, counters);
    return counters;
  }

  std::vector<SegmentShape> segments() const override {
    SegmentShape shape;
    shape.unknowns = shape.total_unknowns = shape.block_rows = static_cast<double>(rows_);
    shape.elements = shape.blocks = static_cast<double>(nonzeros_);
    return {shape};
  }

  std::vector<std::int64_t> bytes_per_device() const override {
    std::size_t bytes = matrix_.bytes() + product_.bytes() + blas_workspace_.bytes();
    for (const DeviceArray<T>& vector : vectors_) bytes += vector.bytes();
    return {static_cast<std::int64_t>(bytes + device_scalars_.bytes())};
  }
  double conversion_seconds() const override { return analysis_seconds_; }
  double upload_seconds() const override { return upload_seconds_; }

 private:
  static constexpr std::int64_t blas_workspace_bytes = std::int64_t{4} << 20;

  // --- preparation ---

  void require_known_kernels() const {
    for (const auto* steps : {&schedule_.setup, &schedule_.iteration}) {
      for (const Step& step : *steps) {
        const bool known = step.kind == StepKind::kernel
                               ? find_kernel(step) != Kernel::none
                               : step.kind == StepKind::host_scalar || step.kind == StepKind::check;
        if (!known || step.guard) {
          throw Error("schedule '" + schedule_.name + "', step '" + step.name +
                      "': the libraries' solver has no such step");
        }
      }
    }
  }

  void require_memory(const CsrView<T>& matrix) const {
    const std::int64_t vector_bytes = vector_count() * rows_ * static_cast<std::int64_t>(sizeof(T));
    require_memory_for("schedule '" + schedule_.name + "'",
                       CusparseArrays<T>::bytes_of(matrix, VendorAlgorithm::csr_alg1) +
                           vector_bytes + blas_workspace_bytes,
                       device_.gpu, "use f32, or another schedule and layout");
  }

  void open_libraries() {
    sparse_ = create_cusparse(stream_.get());
    blas_workspace_ = DeviceArray<std::byte>(blas_workspace_bytes);
    blas_ = create_cublas(stream_.get(), blas_workspace_);
  }

  /// The faster of cuSPARSE's products: the shortest of a few rounds of each.
  void choose_product(const Step& step) {
    T* const input = vector(step.vectors[0]);
    T* const output = vector(step.vectors[1]);
    double best = std::numeric_limits<double>::infinity();
    for (const VendorAlgorithm algorithm : {VendorAlgorithm::csr_alg1, VendorAlgorithm::csr_alg2}) {
      CusparseProduct<T> product(sparse_.get(), matrix_, algorithm, input, output);
      for (int round = 0; round < 6; ++round) {
        const double start = steady_seconds();
        for (int i = 0; i < 8; ++i) product.launch();
        SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream_.get()));
        const double seconds = steady_seconds() - start;
        if (round == 0 || !(seconds < best)) continue;  // the first loads code
        best = seconds;
        chosen_ = algorithm;
      }
      if (chosen_ == algorithm) product_ = std::move(product);
    }
  }

  /// Once launched as it is, because the first call of a function loads code, then recorded.
  void record() {
    use_scalars_on_host(false);
    launch_iteration();
    SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream_.get()));
    for (const DeviceArray<T>& vector : vectors_) {
      SPARSECAST_CUDA_CHECK(cudaMemset(vector.data(), 0, vector.bytes()));
    }
    SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
    if (policy_.launch_mode == LaunchMode::plain) return;
    one_ = Graph::capture(stream_.get(), [this] { launch_iteration(); });
    many_ = Graph::capture(stream_.get(), [this] {
      for (int i = 0; i < policy_.iterations_per_graph; ++i) launch_iteration();
    });
  }

  // --- the libraries' calls ---

  /// `scalar` and `sum` are host memory, or device memory, as `use_scalars_on_host` said.
  void call(const Step& step, const T* scalar, T* sum) {
    const Cublas& library = cublas();
    const auto operand = [&](std::size_t k) { return vector(step.vectors[k]); };
    const auto n = static_cast<int>(rows_);
    switch (find_kernel(step)) {
      case Kernel::none:
        break;
      case Kernel::product:
        product_.launch();
        break;
      case Kernel::dot:
        SPARSECAST_VENDOR_CHECK(
            (library.*VectorCalls<T>::dot)(blas_.get(), n, operand(0), 1, operand(1), 1, sum));
        break;
      case Kernel::axpy:
        SPARSECAST_VENDOR_CHECK(
            (library.*VectorCalls<T>::axpy)(blas_.get(), n, scalar, operand(0), 1, operand(1), 1));
        break;
      case Kernel::scal:
        SPARSECAST_VENDOR_CHECK(
            (library.*VectorCalls<T>::scal)(blas_.get(), n, scalar, operand(0), 1));
        break;
      case Kernel::copy:
        SPARSECAST_VENDOR_CHECK(
            (library.*VectorCalls<T>::copy)(blas_.get(), n, operand(0), 1, operand(1), 1));
        break;
      case Kernel::multiply: {
        constexpr int threads = 256;
        multiply_each<<<static_cast<unsigned>((rows_ + threads - 1) / threads), threads, 0,
                        stream_.get()>>>(rows_, operand(0), operand(1), operand(2));
        SPARSECAST_CUDA_CHECK(cudaGetLastError());
        break;
      }
    }
  }

  void use_scalars_on_host(bool host) {
    SPARSECAST_VENDOR_CHECK(cublas().cublasSetPointerMode_v2(
        blas_.get(), host ? CUBLAS_POINTER_MODE_HOST : CUBLAS_POINTER_MODE_DEVICE));
  }

  // --- scalars on the host ---

  std::optional<Outcome> run_on_host(const std::vector<Step>& steps,
                                     std::vector<std::int64_t>& runs) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Step& step = steps[i];
      ++runs[i];
      if (step.kind == StepKind::kernel) {
        const T scalar = step.scalars.empty() ? T{0} : static_cast<T>(value(step.scalars[0]));
        T sum = 0;
        call(step, &scalar, &sum);
        if (!step.sums.empty()) scalars_[static_cast<std::size_t>(step.sums[0])] = sum;
      }
      for (const ScalarAssignment& assignment : step.assignments)
        sparsecast::apply(assignment, scalars_);
      for (const StopTest& stop : step.stop_tests) {
        if (const auto outcome = tested(stop)) return outcome;
      }
    }
    return {};
  }

  std::optional<Outcome> tested(const StopTest& stop) const {
    if (!std::isfinite(value(stop.test.a)) || !std::isfinite(value(stop.test.b))) {
      return Outcome::not_finite;
    }
    if (holds(stop.test, scalars_)) return stop.outcome;
    return {};
  }

  double value(ScalarSlot slot) const { return scalars_[static_cast<std::size_t>(slot)]; }

  // --- scalars on the device ---

  bool on_device() const { return policy_.launch_mode != LaunchMode::host; }

  /// What a batch leaves to its end: the dot product r.r, and the tests of it.
  bool waits_for_end_of_batch(const Step& step) const {
    const auto tests_residual = [this](const StopTest& stop) { return stop.test.a == residual_; };
    return (!step.sums.empty() && step.sums[0] == residual_) ||
           std::ranges::any_of(step.stop_tests, tests_residual);
  }

  void launch_iteration() {
    ScalarWork work;
    const auto add = [&](const ScalarWork::Item& item) {
      if (work.count == ScalarWork::capacity) launch_scalars(work);
      work.items[work.count++] = item;
    };
    for (const Step& step : schedule_.iteration) {
      if (waits_for_end_of_batch(step)) continue;
      for (const ScalarAssignment& assignment : step.assignments) add({false, assignment, {}});
      for (const StopTest& stop : step.stop_tests) add({true, {}, stop});
      if (step.kind != StepKind::kernel) continue;
      launch_scalars(work);
      launch_kernel(step);
    }
    launch_scalars(work);
  }

  void launch_kernel(const Step& step) {
    const auto slot = [this](const std::vector<ScalarSlot>& slots) {
      return device_scalars_.data() + (slots.empty() ? 0 : slots[0]);
    };
    call(step, slot(step.scalars), slot(step.sums));
  }

  void launch_scalars(ScalarWork& work) {
    if (work.count == 0) return;
    do_scalars<<<1, 1, 0, stream_.get()>>>(work, device_scalars_.data(),
                                           static_cast<int>(scalars_.size()));
    SPARSECAST_CUDA_CHECK(cudaGetLastError());
    work = {};
  }

  RunReport run_in_batches(std::int64_t iterations) {
    upload_scalars();
    RunReport report;
    const std::int64_t most = std::max(1, policy_.iterations_between_polls);
    std::size_t turn = 0;
    for (std::int64_t batch = 0; report.iterations < iterations; ++batch) {
      turn = static_cast<std::size_t>(batch) % polled_.size();
      launch_batch(std::min(most, iterations - report.iterations), turn);
      report.iterations += std::min(most, iterations - report.iterations);
      if (batch == 0) continue;
      SPARSECAST_CUDA_CHECK(cudaEventSynchronize(polled_[1 - turn].get()));
      if (!ended(1 - turn)) continue;
      // r.r may have risen again since.
      SPARSECAST_CUDA_CHECK(cudaEventSynchronize(polled_[turn].get()));
      if (ended(turn)) break;
    }
    SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream_.get()));
    download_scalars(turn);
    report.outcome = ended(turn).value_or(Outcome::iteration_limit);
    return report;
  }

  void launch_batch(std::int64_t count, std::size_t turn) {
    const int per_graph = policy_.iterations_per_graph;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      runs_[i] += waits_for_end_of_batch(schedule_.iteration[i]) ? 1 : count;
    }
    for (; many_ && count >= per_graph; count -= per_graph) many_.launch(stream_.get());
    for (; count > 0; --count) {
      if (one_) {
        one_.launch(stream_.get());
      } else {
        launch_iteration();
      }
    }
    for (const Step& step : schedule_.iteration) {
      if (step.kind == StepKind::kernel && waits_for_end_of_batch(step)) launch_kernel(step);
    }
    SPARSECAST_CUDA_CHECK(cudaMemcpyAsync(poll(turn), device_scalars_.data(),
                                          device_scalars_.bytes(), cudaMemcpyDeviceToHost,
                                          stream_.get()));
    SPARSECAST_CUDA_CHECK(cudaEventRecord(polled_[turn].get(), stream_.get()));
  }

  T* poll(std::size_t turn) const { return polls_.data() + turn * (scalars_.size() + 1); }

  /// How the run has ended, as the scalars that a batch left say; nothing while it goes on.
  std::optional<Outcome> ended(std::size_t turn) const {
    const T* const seen = poll(turn);
    const int flag = static_cast<int>(seen[scalars_.size()]);
    if (flag != 0) return static_cast<Outcome>(flag - 1);
    for (const Step& step : schedule_.iteration) {
      if (!waits_for_end_of_batch(step)) continue;
      for (const StopTest& stop : step.stop_tests) {
        const double residual = seen[stop.test.a];
        if (!std::isfinite(residual)) return Outcome::not_finite;
        std::vector<double> values = scalars_;
        values[static_cast<std::size_t>(stop.test.a)] = residual;
        if (holds(stop.test, values)) return stop.outcome;
      }
    }
    return {};
  }

  /// With no end of the run. Thresholds that no value of T reaches stay finite there.
  void upload_scalars() {
    constexpr double largest = std::numeric_limits<T>::max();
    T* const values = poll(0);
    for (std::size_t i = 0; i < scalars_.size(); ++i) {
      values[i] = static_cast<T>(
          std::isfinite(scalars_[i]) ? std::clamp(scalars_[i], -largest, largest) : scalars_[i]);
    }
    values[scalars_.size()] = 0;
    SPARSECAST_CUDA_CHECK(cudaMemcpyAsync(device_scalars_.data(), values, device_scalars_.bytes(),
                                          cudaMemcpyHostToDevice, stream_.get()));
    SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream_.get()));
  }

  /// Only what the iteration computes: constants keep the precision that they were set with.
  void download_scalars(std::size_t turn) {
    for (const Step& step : schedule_.iteration) {
      for (const ScalarSlot slot : step.sums) take(slot, turn);
      for (const ScalarAssignment& assignment : step.assignments) take(assignment.target, turn);
    }
  }
  void take(ScalarSlot slot, std::size_t turn) {
    scalars_[static_cast<std::size_t>(slot)] = poll(turn)[slot];
  }

  // --- counters ---

  void count(const std::vector<Step>& steps, const std::vector<std::int64_t>& runs,
             RunCounters& counters) const {
    const double vector_bytes = static_cast<double>(rows_) * sizeof(T);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].kind != StepKind::kernel) continue;
      const auto times = static_cast<double>(runs[i]);
      const Kernel kernel = find_kernel(steps[i]);
      counters.kernels += runs[i];
      counters.launches += runs[i] * steps[i].launches;
      counters.bytes.vector_reads += times * vector_bytes * vectors_read(kernel, steps[i]);
      counters.bytes.vector_writes += times * vector_bytes * (kernel == Kernel::dot ? 0 : 1);
      if (kernel != Kernel::product) continue;
      counters.bytes.values += times * static_cast<double>(matrix_.values.bytes());
      counters.bytes.indices += times * static_cast<double>(matrix_.indices.bytes());
      counters.bytes.row_pointers += times * static_cast<double>(matrix_.offsets.bytes());
    }
  }

  static int vectors_read(Kernel kernel, const Step& step) {
    const bool two = kernel == Kernel::dot || kernel == Kernel::axpy || kernel == Kernel::multiply;
    return two && step.vectors[0] != step.vectors[1] ? 2 : 1;
  }

  // --- small things ---

  void use_device() const { use_gpu(device_); }
  int vector_count() const { return static_cast<int>(schedule_.vectors.size()); }
  T* vector(VectorSlot slot) const { return vectors_[static_cast<std::size_t>(slot)].data(); }

  void require_size(std::string_view name, std::size_t size) const {
    if (static_cast<std::int64_t>(size) == rows_) return;
    throw Error("vector '" + std::string(name) + "' of " + std::to_string(size) +
                " values; expected " + std::to_string(rows_));
  }

  GpuPart device_;
  CudaPolicy policy_;
  Schedule schedule_;
  std::int64_t rows_;
  std::int64_t nonzeros_;
  ScalarSlot residual_ = -1;
  std::vector<double> scalars_;  ///< between runs, and in them when scalars are on the host
  Stream stream_;
  std::array<Event, 2> polled_;
  CusparseHandle sparse_;
  DeviceArray<std::byte> blas_workspace_;
  CublasHandle blas_;
  CusparseArrays<T> matrix_;
  std::vector<DeviceArray<T>> vectors_;  ///< per slot
  VendorAlgorithm chosen_ = VendorAlgorithm::csr_alg1;
  CusparseProduct<T> product_;
  DeviceArray<T> device_scalars_;  ///< and how the run ended
  PinnedArray<T> polls_;           ///< two copies of them
  Graph one_;                      ///< an iteration
  Graph many_;                     ///< `iterations_per_graph` of them
  std::vector<std::int64_t> setup_runs_;
  std::vector<std::int64_t> runs_;
  std::int64_t iterations_ = 0;
  double upload_seconds_ = 0;
  double analysis_seconds_ = 0;
};

}  // namespace

bool is_vendor_cg(const Schedule& schedule) {
  return std::ranges::any_of(schedule.iteration,
                             [](const Step& step) { return find_kernel(step) != Kernel::none; });
}

template <class T>
std::unique_ptr<PreparedSchedule<T>> prepare_vendor_cg(const GpuPart& device,
                                                       const CudaPolicy& policy,
                                                       const Schedule& schedule,
                                                       const CsrView<T>& matrix,
                                                       const Layout& layout) {
  return std::make_unique<VendorCg<T>>(device, policy, schedule, matrix, layout);
}

template <class T>
std::unique_ptr<PreparedSchedule<T>> prepare_vendor_vectors(const GpuPart& device,
                                                            const CudaPolicy& policy,
                                                            const Schedule& schedule,
                                                            std::int64_t unknowns) {
  const auto multiplies = [](const Step& step) { return find_kernel(step) == Kernel::product; };
  if (std::ranges::any_of(schedule.iteration, multiplies) ||
      std::ranges::any_of(schedule.setup, multiplies)) {
    throw Error("schedule '" + schedule.name + "' multiplies: prepare it with a matrix");
  }
  const CsrView<T> no_entries{unknowns, unknowns, {}, {}, {}};
  return std::make_unique<VendorCg<T>>(device, policy, schedule, no_entries, Layout{});
}

template std::unique_ptr<PreparedSchedule<float>> prepare_vendor_vectors(const GpuPart&,
                                                                         const CudaPolicy&,
                                                                         const Schedule&,
                                                                         std::int64_t);
template std::unique_ptr<PreparedSchedule<double>> prepare_vendor_vectors(const GpuPart&,
                                                                          const CudaPolicy&,
                                                                          const Schedule&,
                                                                          std::int64_t);
template std::unique_ptr<PreparedSchedule<float>> prepare_vendor_cg(
    const GpuPart&, const CudaPolicy&, const Schedule&, const CsrView<float>&, const Layout&);
template std::unique_ptr<PreparedSchedule<double>> prepare_vendor_cg(
    const GpuPart&, const CudaPolicy&, const Schedule&, const CsrView<double>&, const Layout&);

}  // namespace sparsecast::cuda
