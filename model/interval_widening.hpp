#pragma once

/// @file
/// How much wider an interval is of what calibration has not seen, as a factor of the logarithms of
/// its ends. Intervals are calibrated with it: a ratio counts as its root of that order.

namespace sparsecast {

/// From 1 where the most similar calibrated case is like it by at least 0.2 (`likeness`) up to 2
/// where nothing is. Held-out cases below 0.1 are off by 2 to 2.5 times as much as all (products
/// and iterations; H200, H100).
double unlike_widening(double likeness);

/// 1 + log(bytes / largest) above the largest working set that was calibrated; 1 where that is 0.
/// Iterations of an H200 three to six times as large as any calibrated were off three times as
/// much.
double size_widening(double bytes, double largest_bytes);

/// Of an iteration with kernels that no calibration measures (products by diagonal blocks): between
/// that of what is alike and of what nothing is like.
inline constexpr double unmeasured_kernel_widening = 1.5;

}  // namespace sparsecast
