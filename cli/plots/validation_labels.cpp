#include "cli/plots/validation_labels.hpp"

namespace sparsecast::cli {

std::string solver_label(const ValidationRow& row) {
  return row.launch.empty() ? row.schedule : row.schedule + ' ' + row.launch;
}

std::string validation_label(const ValidationData& data) {
  const auto part = [&](const std::string& before, const char* key) {
    const auto found = data.about.find(key);
    return found == data.about.end() ? "" : before + found->second;
  };
  const std::string device = part("measured on ", "run on");
  const std::string profile = part("forecast by profile ", "profile");
  return device + (device.empty() || profile.empty() ? "" : ", ") + profile;
}

}  // namespace sparsecast::cli
