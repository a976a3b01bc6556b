#include "cli/commands/bench/fusion/fusion_results.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "cli/commands/bench/bench_options.hpp"
#include "cli/commands/bench/fusion/fusion_solvers.hpp"
#include "cli/commands/bench/paper/grid_table.hpp"
#include "core/workload/launch_mode.hpp"

namespace sparsecast::cli {

FusionResults::FusionResults(std::span<const FusionMeasurement> all, const std::string& description,
                             Precision precision) {
  for (const FusionMeasurement& m : all) {
    if (m.description == description && m.precision == precision) measurements_.push_back(&m);
  }
}

bool FusionResults::is_gpu() const {
  return !measurements_.empty() && cli::is_gpu(measurements_.front()->device);
}

const FusionMeasurement* FusionResults::last(
    const std::function<bool(const FusionMeasurement&)>& is_wanted) const {
  const auto found = std::find_if(measurements_.rbegin(), measurements_.rend(),
                                  [&](const FusionMeasurement* m) { return is_wanted(*m); });
  return found == measurements_.rend() ? nullptr : *found;
}

const FusionMeasurement* FusionResults::iteration(std::int64_t size, std::string_view solver,
                                                  std::string_view launch) const {
  return last([&](const FusionMeasurement& m) {
    return m.what == "iteration" && m.size == size && m.solver == solver && m.launch == launch;
  });
}

const FusionMeasurement* FusionResults::step(std::int64_t size, std::int64_t basis,
                                             std::string_view solver,
                                             std::string_view launch) const {
  return last([&](const FusionMeasurement& m) {
    return m.what == "gram-schmidt" && m.size == size && m.basis == basis && m.solver == solver &&
           m.launch == launch;
  });
}

const FusionMeasurement* FusionResults::dots(std::int64_t size, std::int64_t basis,
                                             std::int64_t dots, std::string_view launch) const {
  return last([&](const FusionMeasurement& m) {
    return m.what == "dots" && m.size == size && m.basis == basis && m.dots == dots &&
           m.launch == launch;
  });
}

const FusionMeasurement* FusionResults::solve(const std::string& system,
                                              std::string_view solver) const {
  return last([&](const FusionMeasurement& m) {
    return m.what == "solve" && m.solver == solver && system_label(m) == system;
  });
}

std::vector<std::int64_t> FusionResults::sizes() const {
  std::set<std::int64_t> sizes;
  for (const FusionMeasurement* m : measurements_) {
    if (m->what == "iteration") sizes.insert(m->size);
  }
  return {sizes.begin(), sizes.end()};
}

std::vector<std::string> FusionResults::launches() const {
  std::vector<std::string> launches;
  for (const FusionMeasurement* m : measurements_) {
    if (m->what == "iteration") add_once(launches, m->launch);
  }
  return launches;
}

std::vector<std::string> FusionResults::systems() const {
  std::vector<std::string> systems;
  for (const FusionMeasurement* m : measurements_) {
    if (m->what == "solve") add_once(systems, system_label(*m));
  }
  return systems;
}

std::string system_label(const FusionMeasurement& solve) {
  return solve.size > 0 ? solve.matrix + ' ' + std::to_string(solve.size) : solve.matrix;
}

std::vector<Gain> gains(const FusionResults& results, std::string_view solver,
                        std::string_view launch) {
  std::vector<Gain> all;
  for (const std::int64_t size : results.sizes()) {
    const FusionMeasurement* six = results.iteration(size, six_kernels, launch);
    if (six != nullptr && !six->measured() && launch == to_string(LaunchMode::persistent)) {
      six = results.iteration(size, six_kernels, to_string(LaunchMode::graph));
    }
    const FusionMeasurement* other = results.iteration(size, solver, launch);
    if (six == nullptr || other == nullptr || !six->measured() || !other->measured()) continue;
    all.push_back({size, six->seconds / other->seconds});
  }
  return all;
}

std::optional<double> gain_ends(const std::vector<Gain>& gains) {
  const auto last = std::find_if(gains.rbegin(), gains.rend(),
                                 [](const Gain& each) { return each.gain >= counted_gain; });
  if (last == gains.rbegin()) return std::nullopt;
  if (last == gains.rend()) return static_cast<double>(gains.front().size);
  const Gain& above = *last;
  const Gain& below = *(last - 1);
  const double share = (above.gain - counted_gain) / (above.gain - below.gain);
  const auto size_of = [](const Gain& each) { return static_cast<double>(each.size); };
  return size_of(above) * std::pow(size_of(below) / size_of(above), share);
}

}  // namespace sparsecast::cli
