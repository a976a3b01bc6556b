#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/cuda/device/stream.cuh"
#include "core/cuda/run/checked_schedule.cuh"
#include "core/cuda/run/device_program.cuh"
#include "core/cuda/run/host_run.cuh"
#include "core/cuda/run/segment_memory.cuh"
#include "core/engine/backend.hpp"

namespace sparsecast::cuda {

/// A schedule on one device: its memory, what is launched there, and what has run.
template <class T>
class DeviceRun {
 public:
  /// Memory on the device, as `SegmentMemory` says. `prepare` comes next.
  DeviceRun(const CheckedSchedule<T>& checked, const MatrixOperators<T>& operators,
            const Segment& segment, const GpuPart& gpu, const DeviceMatrices<T>& shared = {});
  /// Memory may be given away once nothing reads it.
  ~DeviceRun();
  DeviceRun(const DeviceRun&) = delete;
  DeviceRun& operator=(const DeviceRun&) = delete;

  SegmentMemory<T>& memory() { return memory_; }
  const SegmentMemory<T>& memory() const { return memory_; }

  /// Prepares what is launched. `exchange` and `vectors` as in `RunPeers`, of devices that are all
  /// there; `vectors` is of one device where nothing is linked.
  void prepare(const CsrView<T>* matrix, Exchange<T> exchange,
               std::vector<std::vector<T*>> vectors);

  /// The same with `nccl`, which lives as long as this, for a rank's part; `halo` as in `RunPeers`.
  /// `capture_like_all` comes next.
  void prepare(NcclExchange<T>& nccl, const HaloProduct<T>* halo);
  /// Of an iteration; ranks may have different ones.
  std::int64_t launches() const { return std::ssize(iteration_.iteration); }
  /// `most_launches`: the most of all ranks.
  void capture_like_all(std::int64_t most_launches);

  /// In launch mode `host`: the device has these peers. Its programs are those of one device.
  void meet(const HostPeers& peers) { host_peers_ = peers; }

  struct Result {
    std::int32_t ended = 0;  ///< as in `RunState`
    std::int64_t iterations = 0;
  };
  Result run_setup() { return run(setup_, 1); }
  Result run(std::int64_t iterations);
  Result run_finish() { return run(finish_, 1); }

  RunCounters counters() const;
  std::int64_t bytes() const;
  double conversion_seconds() const;

 private:
  void find_whole_schedule_kernel(const CsrView<T>& matrix);

  Result run(DeviceProgram& program, std::int64_t iterations);
  Result run_by_host(DeviceProgram& program, std::int64_t iterations);
  std::vector<HostExchange> host_exchanges(const DeviceProgram& program) const;
  void launch_whole(DeviceProgram& program, std::int64_t iterations);
  void launch_in_batches(DeviceProgram& program, std::int64_t iterations);
  void launch_iterations(const DeviceProgram& program, std::int64_t count);
  void launch_all(const std::vector<Launch>& launches);
  /// Returns the scalars that it has summed up.
  std::vector<ScalarSlot> add_up_kernel_sums(DeviceProgram& program);
  /// Copies the state to a place where the host finds it once the stream is there.
  void poll(std::size_t turn);
  void wait();
  /// For a look at the run that was asked for.
  void wait_for_poll(std::size_t turn);

  std::vector<std::int64_t> device_runs(const DeviceProgram& program) const;
  void count(const DeviceProgram& program, RunCounters& counters) const;
  void count_bytes(const DeviceProgram& program, std::size_t index, double runs,
                   BytesByKind& bytes) const;

  const CheckedSchedule<T>& checked_;
  SegmentMemory<T> memory_;
  Exchange<T> exchange_;
  NcclExchange<T>* nccl_ = nullptr;
  const HaloProduct<T>* halo_ = nullptr;
  HostPeers host_peers_;
  std::array<Event, 2> polled_;
  PinnedArray<RunState> polls_;
  DeviceProgram setup_;
  DeviceProgram iteration_;
  DeviceProgram finish_;
  std::int64_t iterations_ = 0;
  std::int64_t submitted_launches_ = 0;
  std::int64_t host_waits_ = 0;
  double whole_seconds_ = 0;  ///< that the cut for a kernel of the whole schedule took
};

}  // namespace sparsecast::cuda
