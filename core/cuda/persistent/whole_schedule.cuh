#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <span>

#include "core/cuda/run/run_state.cuh"
#include "core/formats/bcsr/bcsr.hpp"
#include "core/schedule/schedule.hpp"
#include "core/workload/cuda_policy.hpp"

/// @file
/// Kernels that run all iterations of a schedule in one launch, made of its plan
/// (`core/schedule/persistent/persistent_plan.hpp`) and compiled when it is prepared.

namespace sparsecast::cuda {

/// Runs iterations of the schedule that it was made for.
class WholeScheduleKernel {
 public:
  virtual ~WholeScheduleKernel() = default;

  /// Runs iterations until the run ends, at most `limit`, and adds up what `RunMemory` counts:
  /// iterations, runs of steps, scalars and vectors are afterwards as if the steps had been
  /// launched one by one. One launch.
  virtual void launch(cudaStream_t stream, std::int64_t limit) = 0;

  /// On the device.
  virtual std::int64_t bytes() const = 0;

  /// What it took to bring the matrix into the kernel's form, without the time of compiling.
  virtual double conversion_seconds() const = 0;

  /// What an iteration reads of the matrix, which the kernel stores in its own way; it is in shared
  /// memory as far as it fits there.
  virtual BytesByKind matrix_bytes_read() const = 0;
};

/// What a prepared schedule works on.
template <class T>
struct WholeScheduleMemory {
  const Schedule& schedule;
  const CsrView<T>& matrix;
  /// How the matrix is stored for the single steps.
  const Layout& layout;
  const SegmentShape& shape;
  std::span<T* const> vectors;  ///< per slot, each followed by `input_padding` zeros
  RunMemory run;                ///< `runs` of the iteration's steps
};

/// The kernel of the schedule, on the current device; null where there is none for it or for
/// matrices of the layout (`Format::has_persistent_kernel`), and in launch modes other than these.
/// `automatic`: null too where single steps are faster, or NVRTC is missing. `persistent`: throws
/// `Error` where the system is too large for it, or NVRTC is missing.
template <class T>
std::unique_ptr<WholeScheduleKernel> make_whole_schedule_kernel(
    const WholeScheduleMemory<T>& memory, const CudaPolicy& policy);

}  // namespace sparsecast::cuda
