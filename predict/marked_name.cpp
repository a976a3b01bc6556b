#include "predict/marked_name.hpp"

namespace sparsecast {

std::string marked_name(const std::string& profile, bool estimated) {
  return estimated ? profile + " (estimated)" : profile;
}

std::string marked_name(const DeviceProfile& profile) {
  return marked_name(profile.name, profile.origin == DeviceProfile::Origin::estimated);
}

std::string marked_name(const Prediction& prediction) {
  return marked_name(prediction.profile, prediction.estimated);
}

}  // namespace sparsecast
