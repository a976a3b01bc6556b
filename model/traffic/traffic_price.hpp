#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/schedule/schedule.hpp"

/// @file
/// What the traffic model says of a step and of an iteration, in parts.

namespace sparsecast {

/// What a step waits for longest.
enum class Bound {
  launch,        ///< launch, first loads, sums: what small systems pay
  longest_row,   ///< passes over the longest row
  memory,        ///< bytes from and to memory
  cache,         ///< bytes through the last-level cache
  gather,        ///< looked-up values of the multiplied vector
  near_cache,    ///< a GPU's L1: lines that warps load
  instructions,  ///< of the multiprocessors, or of the CPU's cores
  waiting,       ///< of a CPU's threads for each other
};
std::string_view to_string(Bound bound);

/// The price of a step. Its parts overlap: `seconds` is `fixed_seconds`, `residual_seconds` and
/// less than the sum of the others; in an iteration, with its share of what iterations leave.
struct StepPrice {
  std::string name;
  double seconds = 0;
  double fixed_seconds = 0;        ///< launch, sums, and the next three
  double longest_row_seconds = 0;  ///< of these, the passes over the longest row
  double wave_seconds = 0;         ///< further waves of thread blocks, and their contention
  double waiting_seconds = 0;      ///< and what threads of a CPU wait for each other
  double memory_seconds = 0;
  double cache_seconds = 0;
  double gather_seconds = 0;
  double l1_seconds = 0;
  double instruction_seconds = 0;
  double residual_seconds = 0;  ///< more than all these, or less: as similar products took
  double likeness = 1;          ///< of the residual's most similar case, where there is a residual
  BytesByKind bytes;            ///< moved in principle
  double memory_bytes = 0;      ///< of all, from and to memory, sectors looked up again included
  double cache_bytes = 0;       ///< of all, those that only the last-level cache moves
  double gathered_bytes = 0;    ///< of looked-up sectors, from the last-level cache
  Bound bound = Bound::launch;
};

/// What the parts of a price say it waits for longest.
Bound bound_of(const StepPrice& price);

/// The price of an iteration: steps, and seconds of other parts, add up to `seconds`.
struct TrafficPrice {
  double seconds = 0;
  /// Of these, more than the terms or less: as similar iterations took. Of several GPUs that of the
  /// slowest segment alone.
  double residual_seconds = 0;
  /// The least of its residuals, from 0 to 1: below it calibration saw nothing like this.
  double likeness = 1;
  std::vector<StepPrice> steps;  ///< none where one kernel stays for all iterations
  /// Beside the steps: gaps between graphs, plain launches, waits of the host, closed guards.
  /// Of a CPU: steps without rows.
  double launch_seconds = 0;
  /// Of a kernel for all iterations: sums and barriers, then what its segments do.
  double synchronisation_seconds = 0;
  double blocks_seconds = 0;    ///< stored blocks of the segment that has most
  double unknowns_seconds = 0;  ///< of a segment
  double halo_seconds = 0;      ///< what segments look up in others
  double moved_seconds = 0;     ///< what does not stay in shared memory
  /// Of several GPUs (`model/links/parallel_pricer.hpp`), each the sum of an iteration.
  double exchange_seconds = 0;  ///< that no other work hides
  double hidden_seconds = 0;    ///< of exchanges behind other work: not in `seconds`
  /// Sums over all devices, more than over one, with the wait for the slowest of them.
  double device_sum_seconds = 0;
};

}  // namespace sparsecast
