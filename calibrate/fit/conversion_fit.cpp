#include "calibrate/fit/conversion_fit.hpp"

#include <algorithm>
#include <vector>

#include "calibrate/fit/cost_fit.hpp"
#include "core/workload/launch_mode.hpp"

namespace sparsecast {

std::optional<ConversionCost> fit_conversion(std::span<const Sample> samples) {
  constexpr double least_seconds = 1e-3;
  double nn = 0;
  double ne = 0;
  double ee = 0;
  double n1 = 0;
  double e1 = 0;
  for (const Sample& sample : samples) {
    if (sample.seconds < least_seconds) continue;
    const double n = sample.nonzeros / sample.seconds;
    const double e = sample.shape.elements / sample.seconds;
    nn += n * n;
    ne += n * e;
    ee += e * e;
    n1 += n;
    e1 += e;
  }
  if (!(nn > 0 && ee > 0)) return std::nullopt;
  const double determinant = nn * ee - ne * ne;
  // CSR stores what is given: one number then, and it belongs to the nonzeros.
  constexpr double singular = 1e-9;
  if (determinant > singular * nn * ee) {
    const ConversionCost both{.seconds_per_nonzero = (n1 * ee - e1 * ne) / determinant,
                              .seconds_per_element = (e1 * nn - n1 * ne) / determinant};
    if (both.seconds_per_nonzero >= 0 && both.seconds_per_element >= 0) return both;
    if (both.seconds_per_nonzero < 0) return ConversionCost{.seconds_per_element = e1 / ee};
  }
  return ConversionCost{.seconds_per_nonzero = n1 / nn};
}

std::optional<ConversionCost> fit_gpu_conversion(std::span<const Sample> samples, bool persistent) {
  const double least_nonzeros = persistent ? 3e5 : 2e6;
  std::vector<CostPoint> points;
  double most_nonzeros = 0;
  // Of few samples a constant cannot be told from a rate.
  const double constant = samples.size() < 4 ? 0 : 1;
  for (const Sample& sample : samples) {
    points.push_back({{constant, sample.shape.elements}, sample.seconds});
    if (persistent) {
      const double halo = sample.execution ? sample.execution->persistent.halo : 0;
      points.back().terms = {constant, sample.nonzeros, sample.shape.unknowns, halo};
    }
    most_nonzeros = std::max(most_nonzeros, sample.nonzeros);
  }
  if (most_nonzeros < least_nonzeros) return std::nullopt;
  const std::vector<double> cost = fit_cost(points);
  if (persistent) {
    return ConversionCost{.seconds = cost[0],
                          .seconds_per_nonzero = cost[1],
                          .seconds_per_row = cost[2],
                          .seconds_per_halo = cost[3]};
  }
  return ConversionCost{.seconds = cost[0], .seconds_per_element = cost[1]};
}

std::map<std::string, ConversionCost> fit_conversions(std::span<const Sample> samples,
                                                      Precision precision,
                                                      DeviceProfile::Kind kind) {
  std::map<std::string, std::vector<Sample>> by_key;
  for (const Sample& sample : samples) {
    if (sample.precision != precision || sample.kernel != conversion) continue;
    std::optional<LaunchMode> launch;
    if (!sample.launch.empty()) launch = parse_launch_mode(sample.launch);
    by_key[conversion_key(sample.layout, launch)].push_back(sample);
  }
  std::map<std::string, ConversionCost> costs;
  for (const auto& [key, of_key] : by_key) {
    const bool persistent = of_key.front().launch == to_string(LaunchMode::persistent);
    const auto cost = kind == DeviceProfile::Kind::gpu ? fit_gpu_conversion(of_key, persistent)
                                                       : fit_conversion(of_key);
    if (cost) costs[key] = *cost;
  }
  return costs;
}

}  // namespace sparsecast
