#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/cuda/several/nccl_group.cuh"
#include "core/cuda/several/packed_values.cuh"
#include "core/engine/ranks/rank_part.hpp"
#include "core/schedule/schedule.hpp"

namespace sparsecast::cuda {

/// Halos and sums of a rank by NCCL, in the stream between kernels. NCCL's calls know no gates:
/// where one is closed they bring what is there, which is not looked at.
template <class T>
class NcclExchange {
 public:
  /// On the current device. Connects the ranks. Throws `Error`, the same on all ranks, which all
  /// call it.
  NcclExchange(NcclGroup& group, const RankPart& part, cudaStream_t stream);

  /// Completes the halo of the vector `whole`, of which `own` are the own rows; `runs` is counted
  /// if the gate is open.
  std::vector<Launch> exchange_launches(const T* own, T* whole, const Gate& gate);

  /// Adds up over all ranks: the sum of `scalars[slots[k]]` goes to `totals[k]`.
  Launch sum_launch(const double* scalars, std::span<const ScalarSlot> slots, double* totals) const;

  NcclGroup& group() const { return group_; }
  std::int64_t bytes() const { return packed_.bytes(); }

 private:
  NcclGroup& group_;
  const RankPart& part_;
  PackedValues<T> packed_;
};

}  // namespace sparsecast::cuda
