#pragma once

#include <string>
#include <vector>

#include "calibrate/fit/profile_fit.hpp"
#include "calibrate/sample.hpp"
#include "core/base/precision.hpp"

/// @file
/// How well a fit describes the samples that it was made of: its residuals.

namespace sparsecast {

/// A trusted sample beside what a fit says of it.
struct FittedSample {
  std::string kind;  ///< "loads", "vector kernels", "products", "iterations"
  std::string name;  ///< "SpMV/csr", "Iteration, fused, graph, laplacian27 40x40x40"
  Precision precision = Precision::f64;
  double elements = 0;  ///< transferred elements m
  double measured_seconds = 0;
  double fitted_seconds = 0;
};

/// By the throughput curves: the samples that belong to a curve that could be fitted.
std::vector<FittedSample> samples_on_curves(const SampleFile& file, const ProfileFit& fit);

/// By the traffic model: what it prices, of one device. None without that model.
std::vector<FittedSample> samples_by_traffic(const SampleFile& file, const ProfileFit& fit);

}  // namespace sparsecast
