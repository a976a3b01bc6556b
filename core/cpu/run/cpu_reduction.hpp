#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/base/threads/thread_team.hpp"
#include "core/cpu/cpu_matrix.hpp"
#include "core/cpu/run/cpu_thread.hpp"
#include "core/engine/ranks/communicator.hpp"
#include "core/schedule/schedule.hpp"

namespace sparsecast {

/// Sums over the threads of all devices (Algorithm 2): a slot for every part, one synchronisation,
/// and everybody adds all parts in the same order. Over ranks one thread then adds those up.
class CpuReduction {
 public:
  /// Among the threads of a team: as many on each device.
  /// `ranks`: those that the team is one of, or nullptr.
  CpuReduction(ThreadTeam& team, int devices, int threads_per_device,
               Communicator* ranks = nullptr);

  /// Called by all threads of the team, in a run of it: adds up their parts, and writes the sums to
  /// the thread's own scalars. Inline, for small systems on one thread take less than a microsecond
  /// an iteration.
  void add_up(const PartialSums& mine, std::span<const ScalarSlot> targets, CpuThread& thread) {
    if (devices_ * threads_per_device_ > 1 || ranks_ != nullptr) {
      add_up_all(mine, targets, thread.scalars, thread.device, thread.lane,
                 thread.reductions++ % 2);
      return;
    }
    for (std::size_t k = 0; k < targets.size(); ++k) {
      thread.scalars[static_cast<std::size_t>(targets[k])] = mine.of(k);
    }
  }

 private:
  /// The same among several threads, or ranks; `turn`: which set of slots.
  void add_up_all(const PartialSums& mine, std::span<const ScalarSlot> targets,
                  std::span<double> scalars, std::size_t device, int lane, int turn);

  ThreadTeam& team_;
  Communicator* ranks_;
  const int devices_;
  const int threads_per_device_;
  const int stride_;  ///< from the slots of a device to the next one's
  std::array<std::vector<double>, 2>
      slots_;                   ///< in turn: a few sums per device and lane, then more
  std::vector<double> totals_;  ///< of all ranks
};

}  // namespace sparsecast
