#pragma once

#include <optional>
#include <span>

#include "predict/interval.hpp"
#include "predict/prediction.hpp"

/// @file
/// By what time predictions are compared.

namespace sparsecast {

/// The more is counted, the greater.
enum class ComparedTime {
  iteration,    ///< one of them
  iterations,   ///< all that are asked for, or counted of each solver
  whole_solve,  ///< these with conversion and upload
};

/// Of whole solves where it is known of all but those that are only compared; else of iterations
/// where so many are asked for.
ComparedTime compared_time(std::span<const Prediction> predictions);

/// Of a prediction for which it is known.
double seconds_of(const Prediction& prediction, ComparedTime time);

/// 90 %; nothing where it is not known.
std::optional<Interval> interval_of(const Prediction& prediction, ComparedTime time);

}  // namespace sparsecast
