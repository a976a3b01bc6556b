#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/cuda/device/device_array.cuh"
#include "core/cuda/device/stream.cuh"
#include "core/cuda/persistent/whole_schedule.cuh"
#include "core/cuda/run/checked_schedule.cuh"
#include "core/cuda/run/program_builder.cuh"
#include "core/cuda/run/segment_memory.cuh"
#include "core/cuda/several/exchange.cuh"
#include "core/cuda/several/halo_product.cuh"
#include "core/cuda/several/nccl_exchange.cuh"

namespace sparsecast::cuda {

/// One list of steps (setup, iteration or finish), ready to be launched on one device.
struct DeviceProgram {
  const CheckedSteps* checked = nullptr;
  std::vector<Launch> leading;    ///< once a call, before the first iteration
  std::vector<Launch> iteration;  ///< every iteration
  /// Of an iteration; the most that a rank has, so that all put as many into a graph, and look at
  /// what has run as often.
  std::int64_t most_launches = 0;
  /// The device counts iterations and ends the run; otherwise exactly as many run as are launched.
  bool ends_on_device = false;
  DeviceArray<std::int64_t> runs;              ///< per step: how often it ran
  std::vector<std::int64_t> host_runs;         ///< of steps that only the host counts
  std::vector<std::size_t> host_counted;       ///< steps that run as often as is launched
  std::vector<std::int64_t> launches;          ///< per step: that do it, but for exchanges
  DeviceArray<double> sums;                    ///< parts of all kernels' sums
  std::vector<std::span<double>> kernel_sums;  ///< per step: its own of these
  DeviceArray<std::int32_t> tickets;           ///< per step that ends as `BlockFinish` says
  KernelData data;                             ///< what the launches read
  std::vector<std::vector<Launch>> by_step;    ///< of launch mode `host`, alone
  Graph one;                                   ///< an iteration
  Graph many;                                  ///< `iterations_of_many` of them, if it pays
  int iterations_of_many = 0;
  std::unique_ptr<WholeScheduleKernel> whole;  ///< in place of all these launches
  std::int64_t whole_launches = 0;

  std::span<const Step> steps() const { return checked->steps; }
  /// Of arrays on the device.
  std::int64_t bytes() const;
};

/// What a device that is not alone needs to know.
template <class T>
struct RunPeers {
  /// By kernels that reach the other devices, or by NCCL; neither: it is alone.
  const Exchange<T>* exchange = nullptr;
  NcclExchange<T>* nccl = nullptr;
  /// By NCCL, where exchanges overlap with products: the device's matrix is of own columns alone,
  /// and this is what the halo is multiplied by.
  const HaloProduct<T>* halo = nullptr;
  /// Of all devices, in their order, by slot: those that are exchanged, where this device finds
  /// them.
  std::vector<std::vector<T*>> vectors;
};

/// The launches of one of the schedule's lists on a device's memory, which stays where it is.
template <class T>
DeviceProgram make_program(const CheckedSchedule<T>& checked, const CheckedSteps& list,
                           const SegmentMemory<T>& memory, const RunPeers<T>& peers);

/// Captures the iteration's launches as graphs where the policy asks for them, and brings these to
/// the device. Of one device the setup, run once, is never worth it.
void capture(DeviceProgram& program, const CudaPolicy& policy, cudaStream_t stream);

/// Loads the kernels onto the device.
void load(const DeviceProgram& program, cudaStream_t stream);

}  // namespace sparsecast::cuda
