#pragma once

#include <array>
#include <cstdint>

#include "core/base/buffer.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/cpu/run/cpu_device.hpp"
#include "core/engine/ranks/rank_part.hpp"
#include "core/schedule/schedule.hpp"

namespace sparsecast {

/// Exchange between devices (lines 11 to 13 of Algorithm 1): of one process through one of two host
/// buffers in turn, of ranks by what the halo needs.
template <class T>
class CpuExchange {
 public:
  /// Among several devices whose threads are a team; of vectors with a value for each of `rows`.
  /// With one device, of one process (`part` is nullptr), there is nothing to exchange, and no
  /// buffer.
  CpuExchange(ThreadTeam& team, int devices, std::int64_t rows, const RankPart* part);

  /// Called by all threads of the team, in a run of it: completes the full vector of an `exchange`
  /// step on the thread's device. `turn` is 0 and 1 by turns.
  void exchange(const Step& step, const CpuDevice<T>& device, int lane, int turn);

  /// Values that the devices of this process send and receive in an exchange.
  std::int64_t values() const;

 private:
  void exchange_in_process(const Step& step, const CpuDevice<T>& device, int lane, int turn);

  ThreadTeam& team_;
  const int devices_;
  const std::int64_t rows_;
  const RankPart* part_;
  Buffer<T> packed_;  ///< what goes to other ranks
  std::array<Buffer<T>, 2> host_;
};

}  // namespace sparsecast
