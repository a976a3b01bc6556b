#include "calibrate/fit/sample_warnings.hpp"

#include <map>

namespace sparsecast {

namespace {

void warn_of_noise(const SampleFile& file, std::vector<std::string>& warnings) {
  // Conversions are timed once and never stable.
  int timed = 0;
  int unstable = 0;
  for (const Sample& sample : file.samples) {
    if (is_preparation(sample.kernel)) continue;
    ++timed;
    constexpr double noisy = 0.1;
    if (!sample.stable && sample.relative_spread > noisy) ++unstable;
  }
  if (10 * unstable > timed) {
    warnings.push_back(
        std::to_string(unstable) + " of " + std::to_string(timed) +
        " samples spread by more than 10 %: the machine was busy, or its clock changed; "
        "calibrate again when it is quiet");
  }
}

void warn_of_throttling(const SampleFile& file, std::vector<std::string>& warnings) {
  std::map<std::string, int> reasons;
  for (const Sample& sample : file.samples) {
    if (!sample.throttle_reasons.empty()) ++reasons[sample.throttle_reasons];
  }
  for (const auto& [reason, count] : reasons) {
    warnings.push_back(std::to_string(count) + " of " + std::to_string(file.samples.size()) +
                       " samples were taken while the device was throttled (" + reason +
                       "); they are kept but not fitted");
  }
}

void warn_of_sharing(const SampleFile& file, std::vector<std::string>& warnings) {
  const auto others = file.origin.environment.find("other_processes");
  if (others == file.origin.environment.end() || others->second == "0") return;
  warnings.push_back("the device was shared with " + others->second + " other process" +
                     (others->second == "1" ? "" : "es") +
                     " when calibration began; calibrate again when it is alone");
}

}  // namespace

std::vector<std::string> sample_warnings(const SampleFile& file) {
  std::vector<std::string> warnings;
  warn_of_noise(file, warnings);
  warn_of_throttling(file, warnings);
  warn_of_sharing(file, warnings);
  return warnings;
}

}  // namespace sparsecast
