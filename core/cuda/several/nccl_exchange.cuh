#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/cuda/device/stream.cuh"
#include "core/cuda/several/nccl_group.cuh"
#include "core/cuda/several/packed_values.cuh"
#include "core/engine/ranks/rank_part.hpp"

namespace sparsecast::cuda {

/// Halos and sums of a rank by NCCL, in the stream between kernels. NCCL's calls know no gates:
/// where one is closed they bring what is there: sums that nobody looks at, own rows as they are.
template <class T>
class NcclExchange {
 public:
  /// On the current device. Connects the ranks. Throws `Error`, the same on all ranks, which all
  /// call it.
  NcclExchange(NcclGroup& group, const RankPart& part, cudaStream_t stream);

  /// Completes the halo of the vector `whole`, of which `own` are the own rows.
  std::vector<Launch> exchange_launches(const T* own, T* whole) const;

  /// The same while the stream goes on: begins behind what is in it. What comes behind
  /// `await_launch` finds the halo there.
  Launch begin_launch(const T* own, T* whole) const;
  Launch await_launch() const;

  /// Adds up over all ranks, each of the sums in its place.
  Launch sum_launch(std::span<double> sums) const;

  /// Both, while all ranks meet once.
  std::vector<Launch> exchange_and_sum_launches(const T* own, T* whole,
                                                std::span<double> sums) const;

  /// Clears the numbers in front of a vector's halo, which may be unused: a kernel on all numbers
  /// may have left there what is no number.
  Launch clear_unused_launch(T* whole) const;

  NcclGroup& group() const { return group_; }
  std::int64_t bytes() const { return packed_.bytes(); }

 private:
  /// Values for another rank: where they begin in the own rows or, if they do not lie together
  /// there, among the packed ones.
  struct Sent {
    int rank = 0;
    bool packed = false;
    std::int64_t first = 0;
    std::size_t count = 0;
  };

  void send_and_receive(std::span<const Sent> sent,
                        std::span<const HaloExchange::ToReceive> received, const T* own,
                        const T* packed, T* whole, cudaStream_t stream) const;
  // Parts of a group of calls.
  Launch exchanging(const T* own, T* whole) const;
  Launch summing(std::span<double> sums) const;
  std::vector<Launch> packed_first(const T* own, Launch calls) const;

  NcclGroup& group_;
  const RankPart& part_;
  std::vector<Sent> sent_;
  PackedValues<T> packed_;
  Stream halo_stream_;  ///< where halos travel while the rank's stream goes on
  Event begun_;
  Event arrived_;
};

}  // namespace sparsecast::cuda
