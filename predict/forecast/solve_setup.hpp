#pragma once

#include <functional>
#include <optional>
#include <span>

#include "core/schedule/solver.hpp"
#include "core/workload/segment_shape.hpp"
#include "model/profile/device_profile.hpp"
#include "predict/counted_solver.hpp"
#include "predict/forecast/solver_list.hpp"
#include "predict/prediction.hpp"

/// @file
/// What a whole solve takes beside its iterations: conversion and upload.

namespace sparsecast {

/// What of a system the host's work depends on.
struct SystemSize {
  double unknowns = 0;
  double nonzeros = 0;
  /// Vector values that segments of its persistent kernel look up in others.
  double halo = 0;
};

/// Fills in conversion and upload, as far as the profile knows what they cost; one that does not
/// know a persistent kernel's preparation leaves it out (`lacks_preparation`). `segments`: of the
/// layout, one a device. To a GPU goes CSR, which is converted there. `converts`: whether the
/// solver stores the matrix as our kernels do; what else it does is not known.
void add_setup(const SystemSize& system, const Solver& solver,
               std::span<const SegmentShape> segments, const DeviceProfile& profile, bool converts,
               Prediction& prediction);

/// Seconds of a part of a solver that is run as the solver is; nothing where the profile does not
/// know all of it.
using PartSeconds = std::function<std::optional<double>(const Solver& part)>;

/// Fills in what a whole solve takes, where `prediction.iterations` are asked for, or expected by
/// the count of its solver (else `counted` is null); after the time of an iteration, conversion and
/// upload. The host makes the solver's preconditioner. One that has counted waits for a GPU twice:
/// for the solver's setup and for the last iteration; and it sees late that a run has ended
/// (`core/workload/polls.hpp`).
void add_solve_seconds(const CountedSolver* counted, const SystemSize& system,
                       const ListedSolver& solver, const DeviceProfile& profile,
                       const PartSeconds& seconds_of, Prediction& prediction);

/// `Prediction::total_interval` without that of upload and start, which choices on one device have
/// alike: for comparing these.
std::optional<Interval> compared_interval(const Prediction& prediction);

/// Whether a persistent kernel's preparation is missing from the conversion, since the profile,
/// calibrated by an older version, does not know it.
bool lacks_preparation(const Prediction& prediction, const DeviceProfile& profile);

/// Whether conversion and upload are known.
bool knows_setup(const Prediction& prediction);

/// The number of iterations at which setup and iterations of a layout fall to those of CSR;
/// infinity: never. Absent where one's setup is not known.
std::optional<double> pays_after(const Prediction& layout, const Prediction& csr);

}  // namespace sparsecast
