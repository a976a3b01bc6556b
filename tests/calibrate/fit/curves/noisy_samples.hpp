#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "calibrate/fit/curves/fit_point.hpp"

namespace sparsecast {

/// Samples of a known curve, spread evenly in log m, with log-normal noise.
inline std::vector<FitPoint> noisy_samples(const ThroughputCurve& truth, int count, double noise,
                                           std::mt19937& random, double log2_min = 8,
                                           double log2_max = 26) {
  std::normal_distribution<double> normal(0, noise);
  std::vector<FitPoint> points;
  for (int i = 0; i < count; ++i) {
    const double m = std::exp2(log2_min + (log2_max - log2_min) * i / (count - 1));
    points.push_back({m, kernel_seconds(truth, m, 8) * std::exp(normal(random)), 8, 0});
  }
  return points;
}

}  // namespace sparsecast
