#pragma once

#include <optional>
#include <span>

#include "core/schedule/schedule.hpp"
#include "core/workload/segment_shape.hpp"
#include "model/profile/device_profile.hpp"
#include "predict/forecast/forecast_problem.hpp"
#include "predict/prediction.hpp"

/// @file
/// What a whole solve takes beside its iterations: conversion and upload.

namespace sparsecast {

/// Fills in conversion and upload, as far as the profile knows what they cost. `segments`: of the
/// layout, one a device. `converts`: whether the solver stores the matrix as our kernels do; what
/// else it does is not known.
void add_setup(const ForecastProblem& problem, const Schedule& schedule,
               std::span<const SegmentShape> segments, const DeviceProfile& profile, bool converts,
               Prediction& prediction);

/// Fills in what a whole solve takes, where `prediction.iterations` are asked for or counted; after
/// the time of an iteration, the start, conversion and upload. `last_seconds`: of the last
/// iteration, which may be less than a whole cycle.
void add_solve_seconds(double last_seconds, Prediction& prediction);

/// Whether conversion and upload are known.
bool knows_setup(const Prediction& prediction);

/// The number of iterations at which setup and iterations of a layout fall to those of CSR;
/// infinity: never. Absent where one's setup is not known.
std::optional<double> pays_after(const Prediction& layout, const Prediction& csr);

}  // namespace sparsecast
