#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "calibrate/measure/matrix_supply.hpp"
#include "calibrate/sample.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/cuda/device/gpu_devices.hpp"
#include "core/engine/backend.hpp"
#include "core/engine/device_list.hpp"
#include "core/workload/gpu_execution.hpp"

namespace sparsecast {

/// A device that a plan is measured on.
struct MeasuredDevice {
  SampleOrigin origin;
  /// Back end with this many devices; the policy is for GPUs.
  std::function<std::unique_ptr<Backend>(int devices, const CudaPolicy& policy)> open;
  /// Clock and throttling now; empty on a CPU.
  std::function<GpuState()> state;
  std::optional<GpuShape> gpu;  ///< absent on a CPU
  SupplyOptions supply;
  /// A matrix whose blocks in a layout take more than this is left out in it: a block format that
  /// stores zeros by the gigabyte is nobody's choice.
  double most_matrix_bytes = 512e6;
};

/// The CPU of this machine with so many threads.
MeasuredDevice measured_cpu(int threads);

/// One GPU of this machine, a part of one, or the first of several of one kind: what is opened with
/// n devices are the first n. Matrices are generated on the CPU while GPUs measure. Throws `Error`
/// that says what there is when there is no such GPU, and for GPUs of different names.
MeasuredDevice measured_gpus(const std::vector<GpuPart>& places);

}  // namespace sparsecast
