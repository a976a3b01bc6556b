#include "core/cuda/persistent/whole_schedule.cuh"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/analysis/persistent_execution.hpp"
#include "core/base/error.hpp"
#include "core/base/stopwatch.hpp"
#include "core/cuda/compile/compiled_kernel.cuh"
#include "core/cuda/device/check.cuh"
#include "core/cuda/device/current_gpu.cuh"
#include "core/cuda/device/device_memory.cuh"
#include "core/cuda/persistent/persistent_arguments.cuh"
#include "core/cuda/persistent/persistent_matrix.cuh"
#include "core/cuda/persistent/persistent_text.cuh"
#include "core/formats/registry.hpp"
#include "core/schedule/persistent/persistent_plan.hpp"

namespace sparsecast::cuda {
namespace {

std::string kilobytes(std::int64_t bytes) {
  return std::to_string((bytes + 1023) / 1024) + " KB";
}

/// A launch, whose attribute must outlive it.
cudaLaunchConfig_t configuration(const PersistentShape& shape, cudaLaunchAttribute& attribute) {
  if (shape.clustered) {
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {static_cast<unsigned>(shape.blocks), 1, 1};
  } else {
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
  }
  cudaLaunchConfig_t launch{};
  launch.gridDim = static_cast<unsigned>(shape.blocks);
  launch.blockDim = static_cast<unsigned>(shape.threads);
  launch.dynamicSmemBytes = static_cast<std::size_t>(shape.shared_bytes);
  launch.attrs = &attribute;
  launch.numAttrs = 1;
  return launch;
}

/// The compiled kernel, ready for launches of the shape.
const void* prepared(CompiledKernel& kernel, const PersistentShape& shape) {
  const auto* const function = reinterpret_cast<const void*>(kernel.get());
  SPARSECAST_CUDA_CHECK(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             static_cast<int>(shape.shared_bytes)));
  if (shape.clustered) {
    SPARSECAST_CUDA_CHECK(
        cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  }
  return function;
}

/// Whether the current device has room for all thread blocks of the shape as one cluster; `make`
/// compiles the kernel for that.
template <class Make>
bool fits_cluster(const PersistentShape& shape, const Make& make) {
  if (current_capability() < 90 || shape.blocks > most_cluster_blocks) return false;
  const std::shared_ptr<CompiledKernel> kernel = make(true);
  cudaLaunchAttribute attribute{};
  const cudaLaunchConfig_t launch = configuration(shape, attribute);
  int clusters = 0;
  SPARSECAST_CUDA_CHECK(
      cudaOccupancyMaxActiveClusters(&clusters, prepared(*kernel, shape), &launch));
  return clusters > 0;
}

template <class T>
class PersistentKernel final : public WholeScheduleKernel {
 public:
  PersistentKernel(const WholeScheduleMemory<T>& memory, const PersistentPlan& plan,
                   PersistentMatrix<T> matrix, std::shared_ptr<CompiledKernel> kernel,
                   double conversion_seconds)
      : matrix_(std::move(matrix)),
        kernel_(std::move(kernel)),
        conversion_seconds_(conversion_seconds) {
    prepared(*kernel_, matrix_.shape());  // waits until it is compiled: no run is to
    const std::int64_t rows = memory.matrix.rows;
    halo_ = DeviceArray<HaloPacket<T>>::zeros(halo_packets(plan, rows));
    sums_ = DeviceArray<SumPacket>::zeros(sum_packets(plan, matrix_.shape().blocks));
    last_tag_ = DeviceArray<std::uint64_t>::zeros(1);
    arguments_.matrix = matrix_.storage();
    for (std::size_t v = 0; v < plan.vectors.size(); ++v) {
      const PlannedVector& vector = plan.vectors[v];
      if (vector.kind == PlannedVector::Kind::temporary) continue;
      T* const values = memory.vectors[static_cast<std::size_t>(vector.slot)];
      if (vector.kind == PlannedVector::Kind::of_schedule) {
        arguments_.vectors[v] = values;
      } else {
        computed_.emplace_back(rows);
        arguments_.vectors[v] = computed_.back().data();
        arguments_.constants[v] = values;
      }
    }
    arguments_.halo = halo_.data();
    arguments_.sums = sums_.data();
    arguments_.last_tag = last_tag_.data();
    arguments_.run = memory.run;
  }

  void launch(cudaStream_t stream, std::int64_t limit) override {
    const PersistentShape& shape = matrix_.shape();
    SPARSECAST_CUDA_CHECK(cudaMemsetAsync(sums_.data(), 0, sums_.bytes(), stream));
    PersistentArguments<T> arguments = arguments_;
    arguments.limit = limit;
    void* all[] = {&arguments};
    cudaLaunchAttribute attribute{};
    cudaLaunchConfig_t config = configuration(shape, attribute);
    config.stream = stream;
    SPARSECAST_CUDA_CHECK(cudaLaunchKernelExC(&config, prepared(*kernel_, shape), all));
  }

  std::int64_t bytes() const override {
    std::int64_t bytes = matrix_.bytes() + static_cast<std::int64_t>(halo_.bytes() + sums_.bytes() +
                                                                     last_tag_.bytes());
    for (const auto& computed : computed_) bytes += static_cast<std::int64_t>(computed.bytes());
    return bytes;
  }

  BytesByKind matrix_bytes_read() const override { return matrix_.bytes_read(); }
  double conversion_seconds() const override { return conversion_seconds_; }

  /// Beside the matrix.
  static std::int64_t scratch_bytes(const PersistentPlan& plan, std::int64_t rows, int blocks) {
    const auto computed = std::ranges::count_if(plan.vectors, [](const PlannedVector& vector) {
      return vector.kind == PlannedVector::Kind::square ||
             vector.kind == PlannedVector::Kind::inverse;
    });
    return rows * computed * static_cast<std::int64_t>(sizeof(T)) +
           halo_packets(plan, rows) * static_cast<std::int64_t>(sizeof(HaloPacket<T>)) +
           sum_packets(plan, blocks) * static_cast<std::int64_t>(sizeof(SumPacket)) +
           static_cast<std::int64_t>(sizeof(std::uint64_t));
  }

 private:
  static std::int64_t halo_packets(const PersistentPlan& plan, std::int64_t rows) {
    return std::int64_t{packet_turns} * plan.published * rows;
  }
  static std::int64_t sum_packets(const PersistentPlan& plan, int blocks) {
    const int packets = (plan.most_sums + sums_of_packet - 1) / sums_of_packet;
    return std::int64_t{packet_turns} * packets * sum_copies * blocks;
  }

  PersistentMatrix<T> matrix_;
  std::shared_ptr<CompiledKernel> kernel_;
  double conversion_seconds_ = 0;
  std::vector<DeviceArray<T>> computed_;
  DeviceArray<HaloPacket<T>> halo_;
  DeviceArray<SumPacket> sums_;
  DeviceArray<std::uint64_t> last_tag_;
  PersistentArguments<T> arguments_;
};

/// Kernels are compiled for numbers of threads that are multiples of this.
constexpr int bound_unit = 128;

template <class T>
std::unique_ptr<WholeScheduleKernel> make_kernel(const WholeScheduleMemory<T>& memory,
                                                 const PersistentPlan& plan,
                                                 const CudaPolicy& policy) {
  const bool must = policy.launch_mode == LaunchMode::persistent;
  const GpuShape gpu = current_gpu_shape();
  const std::string refusal =
      "schedule '" + memory.schedule.name + "' cannot run as a persistent kernel: ";

  // CSR has the fewest values; blocks of 3 x 3 are worth their zeros where the layout has them.
  const int n = persistent_block_size(memory.layout.block_size);
  BcsrMatrix<T> blocks;  // of 3 x 3
  BlockPatternView pattern;
  std::span<const T> values;
  double seconds = 0;
  const auto timed = [&seconds](const auto& work) {
    const double start = steady_seconds();
    auto made = work();
    seconds += steady_seconds() - start;
    return made;
  };
  const auto convert = [&] {
    const CsrView<T>& matrix = memory.matrix;
    if (n == 1) {
      pattern = {1, matrix.rows, matrix.columns, matrix.row_offsets, matrix.column_indices};
      values = matrix.values;
      return;
    }
    blocks = timed([&] { return convert_to_bcsr(matrix, {0, matrix.rows}, block_layout(n)); });
    pattern = block_pattern(blocks);
    values = blocks.values;
  };
  const bool stored_so = memory.layout.block_size == n;
  SegmentShape segment = memory.shape;
  if (!stored_so) {
    convert();
    segment.unknowns = static_cast<double>(pattern.rows);
    segment.elements = static_cast<double>(values.size());
    segment.blocks = static_cast<double>(pattern.blocks());
    segment.block_rows = static_cast<double>(pattern.block_rows());
  }
  constexpr auto value_bytes = static_cast<int>(sizeof(T));
  if (!must && !persistent_may_be_faster(segment, value_bytes, gpu.multiprocessors, policy)) {
    return nullptr;
  }
  if (!can_compile()) {
    if (!must) return nullptr;
    throw Error(refusal + "there is no NVRTC for this GPU; use launch mode graph");
  }
  if (stored_so) convert();
  const PersistentNeeds needs = plan.needs();
  PersistentShape shape = persistent_shape(segment, gpu, policy, needs);
  const auto compiled = [&](bool clustered) {
    // Fewer threads have more registers each.
    const int threads = (shape.threads + bound_unit - 1) / bound_unit * bound_unit;
    return compiled_kernel(
        persistent_text(memory.schedule, plan, {precision_of<T>(), n, clustered, threads}),
        persistent_entry);
  };
  shape.clustered = shape.clustered && fits_cluster(shape, compiled);
  const PersistentCut cut =
      timed([&] { return cut_persistent(pattern, shape, value_bytes, needs); });
  const bool wins = persistent_execution(cut, segment, value_bytes, gpu, policy).chosen;
  if (!must && !wins) return nullptr;
  if (!cut.fits) {
    throw Error(refusal + "the parts of vectors that one thread block multiplies need up to " +
                kilobytes(cut.window_bytes) + " of shared memory, there are " +
                kilobytes(shape.shared_bytes) + "; use launch mode graph");
  }
  const std::int64_t bytes = cut.bytes(sizeof(T)) + PersistentKernel<T>::scratch_bytes(
                                                        plan, memory.matrix.rows, cut.shape.blocks);
  if (!must && bytes > usable_memory()) return nullptr;
  require_memory_for("the persistent kernel of schedule '" + memory.schedule.name + "'", bytes,
                     current_device(), "use launch mode graph");
  const std::shared_ptr<CompiledKernel> kernel = compiled(cut.shape.clustered);
  PersistentMatrix<T> matrix = timed([&] { return PersistentMatrix<T>(pattern, values, cut); });
  return std::make_unique<PersistentKernel<T>>(memory, plan, std::move(matrix), kernel, seconds);
}

}  // namespace

template <class T>
std::unique_ptr<WholeScheduleKernel> make_whole_schedule_kernel(
    const WholeScheduleMemory<T>& memory, const CudaPolicy& policy) {
  const LaunchMode mode = policy.launch_mode;
  if (mode != LaunchMode::persistent && mode != LaunchMode::automatic) return nullptr;
  if (!format_of(memory.layout).has_persistent_kernel) return nullptr;
  const auto plan = plan_persistent(memory.schedule);
  const auto* const found = std::get_if<PersistentPlan>(&plan);
  return found != nullptr ? make_kernel(memory, *found, policy) : nullptr;
}

template std::unique_ptr<WholeScheduleKernel> make_whole_schedule_kernel(
    const WholeScheduleMemory<float>&, const CudaPolicy&);
template std::unique_ptr<WholeScheduleKernel> make_whole_schedule_kernel(
    const WholeScheduleMemory<double>&, const CudaPolicy&);

}  // namespace sparsecast::cuda
