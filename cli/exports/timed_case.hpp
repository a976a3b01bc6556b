#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/precision.hpp"
#include "core/workload/layout.hpp"

namespace sparsecast::cli {

/// The iterations of a solve.
struct TimedIterations {
  std::int64_t count = 0;
  double seconds = 0;
};

/// A time of a product or a solver on one matrix, measured or forecast: what files for other
/// programs hold of what `bench`, `validate` and `predict` print.
struct TimedCase {
  std::string matrix;
  std::string order;  ///< empty: its own
  /// What the times are of: the device that was measured, or the profile of a forecast without a
  /// measurement.
  std::string system;
  bool on_gpu = false;
  double rows = 0;
  double nonzeros = 0;
  std::string solver;  ///< empty: the product alone
  Layout layout;
  std::string launch;  ///< empty: there are no launch modes
  int devices = 1;
  Precision precision = Precision::f64;
  std::string forecast_by;             ///< the profile; empty: measured
  double seconds = 0;                  ///< of a product, or an iteration
  std::optional<TimedIterations> all;  ///< iterations, where their number is known
  double bytes = 0;                    ///< that a device stores; 0: not known
  std::int64_t repetitions = 0;        ///< of the measurement

  /// "csr-f64", "fused-csr-graph-f64", of several devices "fused-csr-graph-x2-f64".
  std::string setting() const;
};

}  // namespace sparsecast::cli
