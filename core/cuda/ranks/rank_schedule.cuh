#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/cuda/ranks/peer_memory.cuh"
#include "core/cuda/ranks/rank_links.cuh"
#include "core/cuda/ranks/rank_meeting.cuh"
#include "core/cuda/run/checked_schedule.cuh"
#include "core/cuda/run/device_run.cuh"
#include "core/cuda/several/halo_product.cuh"
#include "core/cuda/several/nccl_exchange.cuh"
#include "core/engine/backend.hpp"
#include "core/engine/ranks/rank_part.hpp"

namespace sparsecast::cuda {

/// A schedule on the GPUs of several ranks, one each: what this rank has of it. Vectors have the
/// numbers of the part. All ranks make it and call what runs it, in the same order; they destroy it
/// together, too.
template <class T>
class RankSchedule final : public PreparedSchedule<T> {
 public:
  /// `policy` is one that `policy_of_ranks` returns. By exchange `halo` kernels reach those of
  /// other ranks; by `nccl`, NCCL exchanges for them (`nccl` is not null); by `gpu_aware`
  /// and `staged` the hosts do. Throws `Error`, the same on all ranks, like `CudaPreparedSchedule`.
  RankSchedule(const RankPart& part, const GpuPart& device, const CudaPolicy& policy,
               NcclGroup* nccl, const Schedule& schedule, const CsrView<T>& matrix,
               const Layout& layout);
  ~RankSchedule() override;

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

  void prepare(const CsrView<T>& matrix, const GpuPart& device);
  void meet(const CsrView<T>& matrix);
  void link(const CsrView<T>& matrix);
  void clear_halos();
  RunReport run_together(const std::function<Result(DeviceRun<T>&)>& run);

  const RankPart& part_;
  const CheckedSchedule<T> checked_;
  std::optional<NcclExchange<T>> nccl_;    ///< by exchange `nccl`
  std::optional<HaloProduct<T>> halo_;     ///< where it overlaps with products
  std::optional<RankMeeting<T>> meeting_;  ///< by `gpu_aware` and `staged`
  std::optional<RankLinks> links_;         ///< by `halo`
  std::unique_ptr<DeviceRun<T>> run_;      ///< at its end waits for what uses these
  std::vector<PeerMemory> exchanged_;      ///< vectors, by `halo`
  bool stopped_ = false;                   ///< by an error
};

/// Whether ranks would try this exchange (`halo`, `nccl`) where a policy asks for its own. Throws
/// `Error` for launch modes and exchanges that ranks do not have.
bool may_exchange(const CudaPolicy& policy, ExchangeMode mode);

/// A policy with the launch mode and the exchange of ranks which can exchange by `possible`: halo,
/// nccl, gpu_aware or, as all can, staged. Throws `Error` where `policy` asks for what is not
/// possible, and `why_not`.
CudaPolicy policy_of_ranks(CudaPolicy policy, ExchangeMode possible, const std::string& why_not);

}  // namespace sparsecast::cuda
