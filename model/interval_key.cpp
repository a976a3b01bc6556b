#include "model/interval_key.hpp"

#include "model/step_kinds.hpp"
#include "model/working_set.hpp"

namespace sparsecast {
namespace {

constexpr std::string_view of_iterations = "iteration";
constexpr std::string_view of_steps = "step";

std::string_view kind_of(const Schedule& schedule, std::optional<LaunchMode> launch) {
  if (launch == LaunchMode::persistent) return persistent_intervals;
  if (has_passes(schedule)) return "passes";
  if (schedule.iteration.size() == 1) return of_steps;
  if (launch == LaunchMode::plain || launch == LaunchMode::host) return to_string(*launch);
  return of_iterations;
}

}  // namespace

std::vector<std::string> interval_keys(const Schedule& schedule, std::optional<LaunchMode> launch,
                                       const Layout& layout, double working_set_bytes) {
  const std::string stratum = '/' + std::to_string(working_set_stratum(working_set_bytes));
  const std::string kind(kind_of(schedule, launch));
  std::vector<std::string> keys;
  if (!is_csr_or_blocks(layout)) {
    const std::string format = '-' + std::string(layout.format);
    keys.push_back(kind + format + stratum);
    keys.push_back(std::string(of_steps) + format);
  }
  keys.push_back(kind + stratum);
  // Profiles of older versions have one for all launch modes.
  if (launch == LaunchMode::plain || launch == LaunchMode::host) {
    keys.push_back(std::string(of_iterations) + stratum);
  }
  return keys;
}

const IntervalRatios* find_intervals(const std::map<std::string, IntervalRatios>& intervals,
                                     std::span<const std::string> keys) {
  for (const std::string& key : keys) {
    const auto found = intervals.find(key);
    if (found != intervals.end()) return &found->second;
  }
  return nullptr;
}

std::string_view interval_kind(std::string_view key) {
  return key.substr(0, key.find_first_of("-/"));
}

}  // namespace sparsecast
