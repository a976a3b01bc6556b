#pragma once

#include <optional>
#include <string>
#include <vector>

#include "predict/prediction.hpp"

namespace sparsecast {

/// A part of an iteration that takes one forecast longer than another, or less long.
struct TimeDifference {
  std::string part;    ///< "bytes from and to memory", "gathers", "instructions", ...
  double seconds = 0;  ///< what it takes the one more than the other; negative: less
  /// Of bytes and gathered sectors: how many times the other's.
  std::optional<double> amount_ratio;
};

/// What a forecast spends its time on where the other spends other times; the largest first. They
/// add up to what an iteration takes more, or where both have totals, a solve's share of an
/// iteration: conversion and upload are two of them then.
///
/// By the traffic model on one device in steps the parts are its terms. Terms that overlap share
/// what they take together in proportion. Else they are those of `TimeParts`.
std::vector<TimeDifference> time_differences(const Prediction& one, const Prediction& other);

}  // namespace sparsecast
