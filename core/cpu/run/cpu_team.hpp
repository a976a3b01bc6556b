#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/threads/thread_team.hpp"
#include "core/cpu/run/cpu_device.hpp"
#include "core/cpu/run/cpu_exchange.hpp"
#include "core/cpu/run/cpu_reduction.hpp"
#include "core/cpu/run/cpu_scalars.hpp"
#include "core/cpu/run/cpu_thread.hpp"
#include "core/schedule/schedule.hpp"

namespace sparsecast {

/// The devices of a prepared schedule, their threads, and what these share.
template <class T>
struct CpuTeam {
  /// Starts the threads and has them set all vectors to 0, so that every page belongs to the thread
  /// that will use it. `devices`: at least one, all of as many threads; `rows`: of the whole
  /// matrix; `part`: that of a rank, whose one device this is, or nullptr. Throws `Error` like
  /// `ThreadTeam`.
  CpuTeam(std::vector<std::unique_ptr<CpuDevice<T>>> devices,
          std::span<const ScalarDeclaration> scalars, std::int64_t rows,
          const RankPart* part = nullptr);

  /// A thread at the beginning of a run.
  CpuThread thread(int index);

  /// All threads of all devices wait for each other, in a run of them.
  void barrier() {
    if (size > 1) threads.barrier();
  }

  const std::vector<std::unique_ptr<CpuDevice<T>>> devices;
  const int threads_per_device;
  const int size;  ///< threads of all devices
  ThreadTeam threads;
  CpuScalars scalars;
  CpuReduction reduction;
  CpuExchange<T> exchange;
};

}  // namespace sparsecast
