#pragma once

#include <span>

#include "calibrate/fit/curves/curve_fit.hpp"
#include "calibrate/fit/curves/curve_fit_options.hpp"
#include "calibrate/fit/curves/fit_point.hpp"

/// @file
/// Fits the throughput curve of equation 3 to measured kernel times: the average curve, by
/// Levenberg-Marquardt (section 5.3 of the paper). Data that cannot be fitted throw nothing: the
/// result is a value that says what is wrong with them.

namespace sparsecast {

/// Fits mu, sigma and log nu to log T by Levenberg-Marquardt (Ceres) with Huber's loss. Residuals
/// are log(T_curve / T_measured) over sqrt(noise^2 + scatter^2), where the scatter comes from a
/// first fit: no sample can weigh more than the curve's own error justifies. Bounds: sigma >=
/// 1/ln 2, half-performance length between one element and four times the largest m, nu at most
/// `options.peak_gbps`. Where at least
/// two points have more than half of their elements from memory, `memory_nu` is fitted too;
/// without them, missing shares count as none. Samples that do not determine sigma (rows of
/// different structure scatter the throughput of SpMV by a factor) are fitted by the
/// latency-bandwidth law, two parameters with a physical meaning; a refusal means that not even
/// they are determined.
CurveFit fit_average_curve(std::span<const FitPoint> points, const CurveFitOptions& options = {});

}  // namespace sparsecast
