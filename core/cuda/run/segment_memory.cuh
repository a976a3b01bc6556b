#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/analysis/partition.hpp"
#include "core/cuda/device/current_gpu.cuh"
#include "core/cuda/device/device_array.cuh"
#include "core/cuda/device/stream.cuh"
#include "core/cuda/formats/device_matrix.cuh"
#include "core/cuda/run/checked_schedule.cuh"
#include "core/cuda/run/run_state.cuh"
#include "core/cuda/vector/vector_kernels.cuh"
#include "core/matrix/matrix_operators.hpp"

namespace sparsecast::cuda {

/// What a schedule multiplies by on a device: the matrix, then the transpose if it is used.
/// Schedules that take turns may share it.
template <class T>
using DeviceMatrices = std::vector<std::shared_ptr<const DeviceMatrix<T>>>;

/// What one device holds of a prepared schedule: its segment of the matrix, vectors and scalars.
template <class T>
class SegmentMemory {
 public:
  /// Allocates on the device, which becomes the current one; all vectors are 0. Operators are
  /// uploaded unless `shared` has them, in the schedule's layout. Throws `Error` if there is no
  /// room.
  SegmentMemory(const CheckedSchedule<T>& checked, const MatrixOperators<T>& operators,
                const Segment& segment, const GpuPart& gpu, const DeviceMatrices<T>& shared);
  SegmentMemory(const SegmentMemory&) = delete;
  SegmentMemory& operator=(const SegmentMemory&) = delete;

  void use_device() const { use_gpu(gpu_); }
  cudaStream_t stream() const { return stream_.get(); }
  const Segment& segment() const { return segment_; }
  std::int64_t rows() const { return segment_.rows(); }
  const LaunchShape& launch_shape() const { return shape_; }

  /// The first value that the device holds: of row 0 for a full vector.
  T* vector(VectorSlot slot) const { return vectors_[static_cast<std::size_t>(slot)].data(); }
  std::vector<T*> vectors() const;  ///< all of them, by slot
  std::span<double> scalars() const {
    return {scalars_.data(), checked_.schedule().scalars.size()};
  }
  /// Where the sums of a step are added up over ranks before they become scalars: behind these,
  /// numbered like them from `first_total` on, as many as any step makes.
  ScalarSlot first_total() const { return static_cast<ScalarSlot>(scalars().size()) + 1; }
  int totals() const { return static_cast<int>(scalars_.size()) - first_total(); }
  /// Partial sums of the reduction that runs.
  const DeviceArray<double>& partials() const { return partials_; }
  RunState* state() const { return state_.data(); }
  /// What kernels need to change the state of a run, with the runs of a list's steps.
  RunMemory run_memory(const DeviceArray<std::int64_t>& runs) const;
  /// What lets kernels reach the other devices of the run.
  const DeviceLinks& links() const { return links_; }
  void set_links(const DeviceLinks& links) { links_ = links; }

  /// Of a step's operands: the value of the segment's first row, in full vectors too.
  std::vector<T*> operands(const Step& step) const;
  /// The segment of the matrix, of a schedule that multiplies; of the transpose, where it does so
  /// by that.
  const DeviceMatrix<T>& matrix(bool transposed = false) const {
    return *matrices_[transposed ? 1 : 0];
  }
  const DeviceMatrices<T>& matrices() const { return matrices_; }

  /// Partial sums that a kernel step writes, which are its own.
  std::int64_t kernel_sum_count(const Step& step) const;

  /// Copies what the device holds of a whole vector, which is `values`, to it.
  void set_vector(VectorSlot slot, std::span<const T> values);
  /// The same of a whole vector that repeats a pattern.
  void repeat_in_vector(VectorSlot slot, std::span<const T> pattern);
  /// Copies what the device knows best of a whole vector from it: its own part.
  void get_vector(VectorSlot slot, std::span<T> values) const;
  /// Makes what the device holds of a full vector beside its own part 0.
  void clear_halo(VectorSlot slot);
  void set_scalar(ScalarSlot slot, double value);
  double scalar(ScalarSlot slot) const;

  SegmentShape shape() const;
  /// Of all that is allocated here.
  std::int64_t bytes() const { return bytes_ + of_matrices(&DeviceMatrix<T>::bytes); }
  double conversion_seconds() const { return of_matrices(&DeviceMatrix<T>::conversion_seconds); }
  double upload_seconds() const { return of_matrices(&DeviceMatrix<T>::upload_seconds); }

 private:
  std::int64_t vector_capacity(VectorSlot slot) const;
  std::int64_t vector_bytes() const;
  std::int64_t partial_sums(bool variable) const;
  /// For vectors, sums and the operators that are still missing.
  void require_memory(const std::vector<const CsrView<T>*>& missing) const;
  /// The sum over what is multiplied by.
  template <class Value>
  Value of_matrices(Value (DeviceMatrix<T>::*get)() const) const {
    Value sum{};
    for (const auto& matrix : matrices_) sum += (*matrix.*get)();
    return sum;
  }
  SegmentSource<T> source(const CsrView<T>& matrix) const;
  void allocate();

  const CheckedSchedule<T>& checked_;
  const Segment segment_;
  const GpuPart gpu_;
  LaunchShape shape_;
  Stream stream_;
  DeviceMatrices<T> matrices_;           ///< none for a schedule of vectors only
  std::vector<DeviceArray<T>> vectors_;  ///< per slot
  DeviceArray<double> scalars_;
  DeviceArray<RunState> state_;
  DeviceArray<double> partials_;
  DeviceLinks links_;
  std::int64_t bytes_ = 0;  ///< without the matrices
};

}  // namespace sparsecast::cuda
