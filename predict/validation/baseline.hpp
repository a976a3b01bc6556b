#pragma once

#include <span>

#include "core/schedule/schedule.hpp"
#include "model/profile/device_profile.hpp"

namespace sparsecast {

/// What any forecast has to beat: `T0 + bytes/bandwidth` for one iteration, all from the profile
/// and nothing fitted to the cases it is compared on.
///
/// `T0` is the sum of the fixed costs `s * 2^mu / nu` of the average curves of the steps that run
/// in every iteration, and with several devices of their synchronisations and the exchange.
/// `bandwidth` is the largest nu among the average curves of the vector kernels (of Algorithm 1's,
/// where the schedule is a product alone); `bytes` is what
/// the schedule moves (values, indices, row offsets, vectors), of all devices on a shared bus, else
/// of the device that moves most; exchanged bytes go at the nu of the exchange. Throws `Error` for
/// a curve that the profile does not have.
double baseline_seconds(const Schedule& schedule, std::span<const SegmentShape> segments,
                        const DeviceProfile& profile, Precision precision);

}  // namespace sparsecast
