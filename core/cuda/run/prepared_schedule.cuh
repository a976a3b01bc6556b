#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/threads/thread_team.hpp"
#include "core/cuda/run/checked_schedule.cuh"
#include "core/cuda/run/device_run.cuh"
#include "core/cuda/several/device_group.cuh"
#include "core/cuda/several/host_meeting.cuh"
#include "core/engine/backend.hpp"
#include "core/workload/cuda_policy.hpp"

namespace sparsecast::cuda {

/// What several devices are to try: launch mode `host` has one way.
ExchangeMode wanted_exchange(const CudaPolicy& policy);

/// A schedule on one or several devices, each of which has a host thread.
template <class T>
class CudaPreparedSchedule final : public PreparedSchedule<T> {
 public:
  /// `matrix` is null for a schedule of vectors only. One GPU shares what `other`, if there is one,
  /// has of the same matrix in the same layout.
  CudaPreparedSchedule(const std::vector<GpuPart>& devices, const CudaPolicy& policy,
                       const Schedule& schedule, const CsrView<T>* matrix, const Layout& layout,
                       std::int64_t unknowns, const CudaPreparedSchedule* other = nullptr);

  void set_vector(std::string_view name, std::span<const T> values) override;
  void repeat_in_vector(std::string_view name, std::span<const T> pattern) override;
  void get_vector(std::string_view name, std::span<T> values) const override;
  void set_scalar(std::string_view name, double value) override;
  double scalar(std::string_view name) const override;
  RunReport run_setup() override;
  RunReport run(std::int64_t iterations) override;
  void run_finish() override;
  RunCounters counters() const override;
  std::vector<SegmentShape> segments() const override;
  std::vector<std::int64_t> bytes_per_device() const override;
  double conversion_seconds() const override;
  double upload_seconds() const override;

 private:
  using Result = typename DeviceRun<T>::Result;

  void cut_into_segments(const CsrView<T>* matrix);
  void find_exchange(const MatrixOperators<T>& operators);
  /// Calls `body` for every device, on its thread. What one throws stops all; it is thrown
  /// again with its name.
  void on_every_device(const std::function<void(int place)>& body);
  RunReport run_on_all(const std::function<Result(DeviceRun<T>&)>& run);

  const CheckedSchedule<T> checked_;
  const std::vector<GpuPart> devices_;
  DeviceGroup group_;
  std::vector<Segment> segments_;
  std::vector<SegmentHalo> halos_;        ///< until they are on the devices
  std::int64_t values_per_exchange_ = 0;  ///< sent and received, by all devices
  PinnedArray<T> staging_;                ///< where values of all segments go through
  std::optional<ThreadMeeting> meeting_;  ///< of several devices in launch mode `host`
  std::vector<std::unique_ptr<DeviceRun<T>>> runs_;
  std::optional<ThreadTeam> team_;  ///< of several devices
};

}  // namespace sparsecast::cuda
