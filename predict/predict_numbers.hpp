#pragma once

#include <vector>

#include "core/analysis/matrix_numbers.hpp"
#include "core/workload/layout.hpp"
#include "model/profile/device_profile.hpp"
#include "predict/forecast/solver_list.hpp"
#include "predict/prediction.hpp"
#include "predict/prediction_request.hpp"

namespace sparsecast {

/// Throws `Error` for a layout of which numbers alone do not say how much it stores: one whose
/// format counts something of its own (`Format::count`).
void check_layout_of_numbers(const Layout& layout);

/// Throws `Error` for such a layout, and for numbers that no matrix of conjugate gradients has:
/// unknowns and elements must lie from 1 to 1e15 (by the traffic model at most 2^31 unknowns, but
/// for ranks of a network),
/// elements between a diagonal of N x N blocks and a dense matrix; a longest row between the mean
/// one and x, a deviation from 0 to x.
void check_numbers(double unknowns, double elements, const Layout& layout,
                   const DeviceProfile& profile, const RowNumbers& rows = {});

/// Predicts from numbers alone: x unknowns, e elements of the layout's N x N blocks, equal
/// segments: consecutive rows, and of devices that a network joins compact parts
/// (`estimate_exchange`). For conversion and access pattern all block elements count as nonzeros;
/// `request.layouts` has no meaning. The traffic model takes an access pattern that
/// `estimate_access` guesses, and widens the interval by what such guesses cost
/// (`estimate_spread`); `rows` is for it alone. Throws `Error` also for numbers that no matrix has
/// (`check_numbers`).
std::vector<Prediction> predict_numbers(double unknowns, double elements, const Layout& layout,
                                        const DeviceProfile& profile,
                                        const PredictionRequest& request,
                                        const RowNumbers& rows = {});

/// The same with the solvers of the request, for many matrices one after the other.
std::vector<Prediction> predict_numbers(double unknowns, double elements, const Layout& layout,
                                        const DeviceProfile& profile,
                                        const PredictionRequest& request, const SolverList& solvers,
                                        const RowNumbers& rows = {});

}  // namespace sparsecast
