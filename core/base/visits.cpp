#include "core/base/visits.hpp"

#include <cstdlib>

namespace sparsecast {
namespace {

constexpr const char* runs_key = "runs";
constexpr const char* separator = "; ";

/// A description of one run does not say so.
int runs_of(const std::map<std::string, std::string>& about) {
  const auto found = about.find(runs_key);
  return found == about.end() ? 1 : std::max(1, std::atoi(found->second.c_str()));
}

}  // namespace

void Visits::add(const std::string& what, double seconds) {
  auto& [fastest, second] = fastest_[what];
  if (fastest == 0 || seconds < fastest) {
    second = fastest;
    fastest = seconds;
  } else if (second == 0 || seconds < second) {
    second = seconds;
  }
}

bool Visits::confirmed(const std::string& what) const {
  const auto found = fastest_.find(what);
  return found != fastest_.end() && agree(found->second[0], found->second[1]);
}

bool Visits::agree(double fastest, double second) {
  constexpr double agreement = 0.05;
  return second > 0 && second <= (1 + agreement) * fastest;
}

void add_run(std::map<std::string, std::string>& about,
             const std::map<std::string, std::string>& another) {
  const int runs = runs_of(about) + runs_of(another);
  for (const auto& [key, value] : another) {
    const auto [place, added] = about.try_emplace(key, value);
    const std::string listed = separator + place->second + separator;
    if (!added && listed.find(separator + value + separator) == std::string::npos) {
      place->second += separator + value;
    }
  }
  about[runs_key] = std::to_string(runs);
}

}  // namespace sparsecast
