#pragma once

#include <cstdint>
#include <string>

#include "model/profile/device_profile.hpp"

namespace sparsecast {

/// Equations 4 and 5, for a device nobody has measured.
struct DeviceSpecification {
  std::string name;
  int multiprocessors = 0;
  int threads_per_multiprocessor = 0;  ///< 1024 on the paper's GTX280
  double bandwidth_gbps = 0;           ///< of the device's memory
  std::int64_t memory_bytes = 0;
};
double estimated_mu(const DeviceSpecification& device);     ///< equation 4
double estimated_sigma(const DeviceSpecification& device);  ///< equation 5
/// A profile with the same estimated curve for every kernel of Algorithm 1 and every layout, in
/// both precisions, marked as an estimate. It knows nothing of links: one device only. Throws
/// `Error` where a number of the specification is not positive.
DeviceProfile estimated_profile(const DeviceSpecification& device);

}  // namespace sparsecast
