#pragma once

#include "cli/commands/bench/fusion/fusion_measurement.hpp"
#include "core/base/stopwatch.hpp"
#include "core/engine/backend.hpp"

namespace sparsecast::cli {

/// Vectors of a basis, at most: what one pass may have.
inline constexpr int most_basis_vectors = 64;

/// <v_i, w> for all vectors of a basis, so many in a pass over w.
Schedule dots_schedule(int basis, int dots_per_pass);

/// w = w - sum(i, <v_i, w> v_i) by classical Gram-Schmidt: a dot product and an axpy a vector, as
/// `gmres-blas1` does it, or, `fused`, all dot products in one pass and all of the basis taken off
/// in another, as `gmres` does it. Without what normalises w.
Schedule gram_schmidt_schedule(int basis, bool fused);

/// Times such a schedule on vectors of `m.rows` values; fills in what is counted of the schedule,
/// and of its run. Throws as `Backend::prepare_vectors_f32` does.
template <class T>
Timing time_on_vectors(Backend& backend, const Schedule& schedule, double max_seconds,
                       FusionMeasurement& m);

}  // namespace sparsecast::cli
