#pragma once

#include "calibrate/plan/measurement_plan.hpp"

namespace sparsecast {

/// What 2 to `most_devices` GPUs of one kind cost each other, about ten seconds for each number of
/// them, as graphs:
/// - whole vectors exchanged, staged and from peer to peer, and barriers, alone;
/// - reductions of short vectors on n GPUs, and of one n-th of them on one;
/// - whole iterations of the fused schedule on slabs of grids, whose cross-section is the halo:
/// from
///   a few values to a million, thin (all rows need the halo) and thick; and on one GPU the part
///   that each of them gets;
/// - whole iterations on other matrices, held out for the intervals.
/// `options.threads` means nothing here.
MeasurementPlan gpu_link_plan(int most_devices, const PlanOptions& options);

/// The name of the n-th part of a matrix of the plan, which one GPU is measured with.
std::string part_of_slab(int devices, const std::string& matrix);

}  // namespace sparsecast
