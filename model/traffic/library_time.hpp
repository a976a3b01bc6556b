#pragma once

#include "core/schedule/library_execution.hpp"
#include "core/schedule/schedule.hpp"
#include "model/traffic/traffic_price.hpp"

/// @file
/// The time of an iteration whose kernels a library calls from the host, one by one
/// (docs/schedules.md, "How libraries run solvers").

namespace sparsecast {

/// What the host does in an iteration of a library's solver.
struct LibraryCalls {
  int calls = 0;  ///< each a kernel
  int waits = 0;  ///< for the GPU, each as long as a call for the host
  int total() const { return calls + waits; }

  friend bool operator==(const LibraryCalls&, const LibraryCalls&) = default;
};

/// Counts them in a schedule of a library (`Execution::library`). Steps that are mostly skipped do
/// not count.
LibraryCalls library_calls(const Schedule& schedule);

/// The price of an iteration from that of its kernels by themselves, at the rates of ours: the host
/// calls one kernel after the other, each of them begins when it is called and the one before has
/// ended, and where the host waits it goes on when all have ended. What the GPU waits for the host
/// is `launch_seconds`.
TrafficPrice with_host(const Schedule& schedule, const LibraryExecution& library,
                       TrafficPrice kernels);

}  // namespace sparsecast
