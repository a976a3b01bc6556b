#pragma once

namespace sparsecast {

/// Ratio measured / predicted time on matrices that were not fitted: the 5 % and 95 % quantiles. A
/// prediction's 90 % interval is [seconds * low, seconds * high].
struct IntervalRatios {
  double low = 1;
  double high = 1;
  int samples = 0;
  /// Their median: what the model is known to be off by, where it is told beside forecasts; 0: not
  /// known.
  double median = 0;
  /// The largest working set that calibration measured of this kind, where larger ones are of the
  /// same stratum; 0: not known, or there are none.
  double largest_bytes = 0;
};

}  // namespace sparsecast
