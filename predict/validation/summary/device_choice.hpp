#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/base/precision.hpp"
#include "predict/validation/data/validation_row.hpp"

namespace sparsecast {

/// How good the number of devices is that forecasts say: the fewest whose fastest forecast is a tie
/// (`tie_margin`) with the fastest of all. Judged by the fastest that was measured with each
/// number, whatever it was. A matrix counts once.
struct DeviceChoiceLine {
  Precision precision = Precision::f64;
  std::size_t matrices = 0;
  double several_best = 0;   ///< share of which several devices are the fastest
  double within_margin = 0;  ///< share of which the choice loses at most `tie_margin`
  double mean_loss = 0;      ///< measured time lost by the choice
  double max_loss = 0;
  std::string worst_matrix;
  /// Mean and median error of the speedup over one device, fastest over fastest.
  double mean_speedup_error = 0;
  double median_speedup_error = 0;
};

/// Of rows of one precision, which all have forecasts.
DeviceChoiceLine summarize_device_choices(std::span<const ValidationRow> rows);

}  // namespace sparsecast
