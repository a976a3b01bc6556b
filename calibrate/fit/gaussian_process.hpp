#pragma once

#include <cstddef>
#include <span>

#include "model/traffic/residual.hpp"

/// @file
/// Gaussian process regression as a textbook has it, on all samples.

namespace sparsecast {

/// A number measured at a place.
struct ProcessSample {
  Traits traits;
  double value = 0;
};

/// What was learned: a constant, and how the samples differ from it.
struct GaussianProcess {
  double constant = 0;
  Residual differences;  ///< its points are the samples
};

/// Squared exponentials with a range for each trait, a constant mean and noise (C. E. Rasmussen and
/// C. K. I. Williams, *Gaussian Processes for Machine Learning*, 2006, chapter 2). Ranges, variance
/// and noise are those under which a few hundred of the samples, chosen at random but always the
/// same, are most likely (section 5.4.1); of more than `most_samples` others are left out at
/// random. O(most_samples^3). Throws `Error` without samples.
GaussianProcess fit_process(std::span<const ProcessSample> samples, std::size_t most_samples);

/// What is expected at a place, of as many traits.
double expected_value(const GaussianProcess& process, const Traits& traits);

}  // namespace sparsecast
