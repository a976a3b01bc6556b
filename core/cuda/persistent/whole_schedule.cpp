#include "core/cuda/persistent/whole_schedule.cuh"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/analysis/persistent_execution.hpp"
#include "core/base/error.hpp"
#include "core/cuda/device/current_gpu.cuh"
#include "core/cuda/device/device_memory.cuh"
#include "core/cuda/persistent/persistent_cg.cuh"
#include "core/engine/kernel_table.hpp"
#include "core/formats/registry.hpp"
#include "core/schedule/built_in_solvers.hpp"

namespace sparsecast::cuda {
namespace {

std::string kilobytes(std::int64_t bytes) {
  return std::to_string((bytes + 1023) / 1024) + " KB";
}

template <class T>
class PersistentCg final : public WholeScheduleKernel {
 public:
  PersistentCg(const WholeScheduleMemory<T>& memory, PersistentMatrix<T> matrix)
      : matrix_(std::move(matrix)) {
    const Schedule& schedule = memory.schedule;
    const auto vector = [&](const char* name) {
      return memory.vectors[static_cast<std::size_t>(vector_slot(schedule, name))];
    };
    const auto slot = [&](const char* name) { return scalar_slot(schedule, name); };
    const std::int64_t rows = memory.matrix.rows;
    inverse_ = DeviceArray<T>(rows);
    halo_ = DeviceArray<HaloPacket<T>>::zeros(rows);
    sums_ = DeviceArray<SumPacket>::zeros(sum_packets(matrix_.shape().blocks));
    last_tag_ = DeviceArray<std::uint64_t>::zeros(1);
    const auto check = std::ranges::find(schedule.iteration, StepKind::check, &Step::kind);
    memory_ = {vector("x"),
               vector("c"),
               vector("z"),
               vector("u"),
               vector("v"),
               inverse_.data(),
               halo_.data(),
               sums_.data(),
               last_tag_.data(),
               {slot("alpha"), slot("beta"), slot("s"), slot("t"), slot("p_Ap"), slot("r_r"),
                slot("zero"), slot("beta_minimum"), slot("stalled"), slot("beta_floor"),
                slot("patience"), slot("r_r_threshold")},
               memory.run,
               static_cast<int>(check - schedule.iteration.begin()),
               static_cast<int>(schedule.iteration.size())};
  }

  void launch(cudaStream_t stream, std::int64_t limit) override {
    launch_persistent_cg(stream, matrix_, memory_, limit);
  }

  std::int64_t bytes() const override {
    return matrix_.bytes() + scratch_bytes(inverse_.size(), matrix_.shape().blocks);
  }

  BytesByKind matrix_bytes_read() const override { return matrix_.bytes_read(); }

  /// Beside the matrix.
  static std::int64_t scratch_bytes(std::int64_t rows, int blocks) {
    return rows * static_cast<std::int64_t>(sizeof(T) + sizeof(HaloPacket<T>)) +
           sum_packets(blocks) * static_cast<std::int64_t>(sizeof(SumPacket)) +
           static_cast<std::int64_t>(sizeof(std::uint64_t));
  }

 private:
  static std::int64_t sum_packets(int blocks) { return std::int64_t{2} * sum_copies * blocks; }

  PersistentMatrix<T> matrix_;
  DeviceArray<T> inverse_;
  DeviceArray<HaloPacket<T>> halo_;
  DeviceArray<SumPacket> sums_;
  PersistentCgMemory<T> memory_;
  DeviceArray<std::uint64_t> last_tag_;
};

template <class T>
std::unique_ptr<WholeScheduleKernel> make_persistent_cg(const WholeScheduleMemory<T>& memory,
                                                        const CudaPolicy& policy) {
  const bool must = policy.launch_mode == LaunchMode::persistent;
  const GpuShape gpu = current_gpu_shape();

  // CSR has the fewest values; blocks of 3 x 3 are worth their zeros where the layout has them.
  const int n = persistent_block_size(memory.layout.block_size);
  BcsrMatrix<T> source;
  const auto convert = [&] {
    source = convert_to_bcsr(memory.matrix, {0, memory.matrix.rows}, block_layout(n));
  };
  const bool stored_so = memory.layout.block_size == n;
  SegmentShape segment = memory.shape;
  if (!stored_so) {
    convert();
    segment.unknowns = static_cast<double>(source.rows);
    segment.elements = static_cast<double>(source.values.size());
    segment.blocks = static_cast<double>(source.blocks());
    segment.block_rows = static_cast<double>(source.block_rows);
  }
  constexpr auto value_bytes = static_cast<int>(sizeof(T));
  if (!must && !persistent_may_be_faster(segment, value_bytes, gpu.multiprocessors, policy)) {
    return nullptr;
  }
  if (stored_so) convert();
  PersistentShape shape = persistent_shape(segment, gpu, policy);
  shape.clustered = shape.clustered && persistent_cg_fits_cluster<T>(n, shape);
  const PersistentCut cut = cut_persistent(block_pattern(source), shape, value_bytes);
  const bool wins = persistent_execution(cut, segment, value_bytes, gpu, policy).chosen;
  if (!must && !wins) return nullptr;
  if (!cut.fits) {
    throw Error("schedule '" + memory.schedule.name +
                "' cannot run as a persistent kernel: the parts of a vector that one thread block "
                "multiplies need up to " +
                kilobytes(cut.window_bytes) + " of shared memory, there are " +
                kilobytes(shape.shared_bytes) + "; use launch mode graph");
  }
  const std::int64_t bytes =
      cut.bytes(sizeof(T)) + PersistentCg<T>::scratch_bytes(memory.matrix.rows, cut.shape.blocks);
  if (!must && bytes > usable_memory()) return nullptr;
  require_memory_for("the persistent kernel of schedule '" + memory.schedule.name + "'", bytes,
                     current_device(), "use launch mode graph");
  return std::make_unique<PersistentCg<T>>(memory, PersistentMatrix<T>(source, cut));
}

template <class T>
using Maker = std::unique_ptr<WholeScheduleKernel> (*)(const WholeScheduleMemory<T>&,
                                                       const CudaPolicy&);

template <class T>
struct Entry {
  std::string_view schedule;
  Maker<T> make;
};

template <class T>
const std::array entries{Entry<T>{fused_cg().name(), make_persistent_cg<T>}};

template <class T>
const Entry<T>* find_entry(const Schedule& schedule) {
  const auto found = std::ranges::find(entries<T>, schedule.name, &Entry<T>::schedule);
  return found != entries<T>.end() ? &*found : nullptr;
}

}  // namespace

bool has_whole_schedule_kernel(const Schedule& schedule) {
  return find_entry<float>(schedule) != nullptr;
}

template <class T>
std::unique_ptr<WholeScheduleKernel> make_whole_schedule_kernel(
    const WholeScheduleMemory<T>& memory, const CudaPolicy& policy) {
  const Entry<T>* entry = find_entry<T>(memory.schedule);
  const bool wanted =
      policy.launch_mode == LaunchMode::persistent || policy.launch_mode == LaunchMode::automatic;
  const bool possible = entry != nullptr && format_of(memory.layout).has_persistent_kernel;
  return wanted && possible ? entry->make(memory, policy) : nullptr;
}

template std::unique_ptr<WholeScheduleKernel> make_whole_schedule_kernel(
    const WholeScheduleMemory<float>&, const CudaPolicy&);
template std::unique_ptr<WholeScheduleKernel> make_whole_schedule_kernel(
    const WholeScheduleMemory<double>&, const CudaPolicy&);

}  // namespace sparsecast::cuda
