#pragma once

#include "calibrate/sample.hpp"

namespace sparsecast {

/// What the device's memory can deliver at most, in GB/s: its bus moves twice a clock
/// ("memory_clock_mhz" and "memory_bus_bits" of the samples' environment). 0 where these are not
/// stated, as of a CPU.
double memory_peak_gbps(const SampleOrigin& origin);

}  // namespace sparsecast
