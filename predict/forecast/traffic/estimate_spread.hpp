#pragma once

#include "core/analysis/matrix_numbers.hpp"
#include "core/workload/launch_mode.hpp"

/// @file
/// What it costs to guess how a matrix looks its vector up.

namespace sparsecast {

/// Of matrices whose guessed pattern was forecast as well as their own: the time by their own over
/// the time by the guess lies between these in nine of ten.
struct EstimateSpread {
  double low = 1;
  double high = 1;
};

/// For iterations in a launch mode that touch so many bytes, of a matrix of which so much is known.
/// The numbers are those that
/// `bench/estimate_spread.cpp` counts, see there.
EstimateSpread estimate_spread(KnownNumbers known, LaunchMode launch, double working_set_bytes);

}  // namespace sparsecast
