#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "calibrate/links/link_sample.hpp"
#include "core/base/stopwatch.hpp"
#include "core/engine/ranks/communicator.hpp"
#include "core/engine/ranks/measured_links.hpp"

/// @file
/// Measures what ranks cost each other.

namespace sparsecast {

/// What is measured, and by what.
struct LinkMeasurement {
  Transport transport = Transport::mpi;
  /// Makes the links of these ranks, all of which call it.
  std::function<std::unique_ptr<MeasuredLinks>(Communicator&)> open;
  /// This rank's seconds since some moment, which need not be the others'.
  std::function<double()> clock = steady_seconds;
  StopwatchOptions stopwatch;  ///< for each sample

  /// With a stopwatch for the whole in less than half a minute.
  static LinkMeasurement of(Transport transport,
                            std::function<std::unique_ptr<MeasuredLinks>(Communicator&)> open);
};

/// Called on every rank between samples, with the share that is done and what comes next.
using LinkProgress = std::function<void(double done, const std::string& what)>;

/// `hosts[i]` is the host of rank i. Measured are
/// - messages between the first two ranks of each class that there is, one way and both ways at
///   once, from 8 B to 8 MB;
/// - sums of two numbers over the first 2, 4, 8, ... ranks and all of them;
/// - exchanges of all ranks with 1, 2, 4 and 6 neighbours, or all others where they are fewer, from
///   8 B to 0.5 MB: those next to them in a ring, and alone pairs of ranks;
/// - exchanges of as many ranks of one host as there are with as many of another, in pairs;
/// - the work of each rank alone.
/// All ranks call it; the result is the same on all of them. Throws `Error` for fewer than two.
std::vector<LinkSample> measure_rank_links(Communicator& ranks, std::span<const std::string> hosts,
                                           const LinkMeasurement& measurement,
                                           const LinkProgress& progress);

}  // namespace sparsecast
