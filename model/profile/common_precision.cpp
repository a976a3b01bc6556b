#include "model/profile/common_precision.hpp"

#include <algorithm>

#include "core/base/error.hpp"

namespace sparsecast {

Precision common_precision(std::span<const DeviceProfile> profiles) {
  if (profiles.size() == 1) return profiles.front().default_precision();
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    if (std::ranges::all_of(profiles, [&](const DeviceProfile& profile) {
          return profile.precisions.contains(precision);
        })) {
      return precision;
    }
  }
  throw Error("the profiles have no precision in common, so their times cannot be compared");
}

}  // namespace sparsecast
