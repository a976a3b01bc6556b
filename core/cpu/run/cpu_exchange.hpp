#pragma once

#include <array>
#include <cstdint>

#include "core/base/buffer.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/cpu/run/cpu_device.hpp"
#include "core/schedule/schedule.hpp"

namespace sparsecast {

/// Exchange between devices (lines 11 to 13 of Algorithm 1), through one of two host buffers in
/// turn.
template <class T>
class CpuExchange {
 public:
  /// Among several devices whose threads are a team; of vectors with a value for each of `rows`.
  /// With one device there is nothing to exchange, and no buffer.
  CpuExchange(ThreadTeam& team, int devices, std::int64_t rows);

  /// Called by all threads of the team, in a run of it: completes the full vector of an `exchange`
  /// step on the thread's device. There are several devices; `turn` is 0 and 1 by turns.
  void exchange(const Step& step, const CpuDevice<T>& device, int lane, int turn);

 private:
  ThreadTeam& team_;
  const std::int64_t rows_;
  std::array<Buffer<T>, 2> host_;
};

}  // namespace sparsecast
