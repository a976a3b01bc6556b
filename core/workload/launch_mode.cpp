#include "core/workload/launch_mode.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text/text_fields.hpp"

namespace sparsecast {

namespace {

constexpr std::array launch_modes{
    std::pair{LaunchMode::automatic, std::string_view("auto")},
    std::pair{LaunchMode::host, std::string_view("host")},
    std::pair{LaunchMode::plain, std::string_view("plain")},
    std::pair{LaunchMode::graph, std::string_view("graph")},
    std::pair{LaunchMode::persistent, std::string_view("persistent")}};

}  // namespace

std::string_view to_string(LaunchMode mode) {
  return std::ranges::find(launch_modes, mode, &std::pair<LaunchMode, std::string_view>::first)
      ->second;
}

LaunchMode parse_launch_mode(std::string_view name) {
  std::string known;
  for (const auto& [mode, its_name] : launch_modes) {
    if (name == its_name) return mode;
    known += (known.empty() ? "" : ", ") + std::string(its_name);
  }
  throw Error("unknown launch mode " + in_quotes(name) + "; expected one of " + known);
}

}  // namespace sparsecast
