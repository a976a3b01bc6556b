#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "calibrate/fit/gaussian_process.hpp"
#include "calibrate/sample.hpp"
#include "core/base/precision.hpp"
#include "core/schedule/schedule.hpp"
#include "core/workload/access_pattern.hpp"
#include "core/workload/layout.hpp"

/// @file
/// What a sceptic would forecast times with, who knows nothing of GPUs: a regression on a few
/// counts of a case. It is a baseline of validation, and no profile holds it.

namespace sparsecast {

/// A case as it counts. Refers to what belongs to others.
struct CountedCase {
  const Schedule& schedule;
  std::string_view launch;  ///< as in `core/workload/launch_mode.hpp`; empty on a CPU
  Layout layout;
  const SegmentShape& shape;  ///< of the whole system
  double nonzeros = 0;
  const AccessPattern& access;
  Precision precision = Precision::f64;
};

/// The nine counts: logarithms of unknowns, nonzeros, bytes of the matrix and of vectors that an
/// iteration moves, kernels, block size, bytes of a value, 1 + deviation over mean of row lengths,
/// and sectors of the vector that are looked up again after 64 rows for each nonzero.
Traits plain_counts(const CountedCase& one);

/// Gaussian processes (`fit_process`) on the logarithm of the time of an iteration or product, one
/// for each solver in each launch mode, of CSR and blocks together and of each other format,
/// trained on a calibration's samples on one device.
class PlainRegression {
 public:
  /// Throws `Error` where no sample is of an iteration or a product.
  explicit PlainRegression(std::span<const Sample> samples);

  /// Nothing for what no sample was of.
  std::optional<double> seconds(const CountedCase& one) const;

 private:
  std::map<std::string, GaussianProcess> processes_;
};

}  // namespace sparsecast
