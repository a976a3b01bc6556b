#include "calibrate/fit/remainder_fit.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/error.hpp"

namespace sparsecast {
namespace {

/// Variance of what is left by chance over the variance of what those that are alike share.
constexpr double noise = 0.3;

/// Fewer say nothing of what they share.
constexpr std::size_t least_samples = 40;

/// To digits that the samples do not determine: a profile holds thousands of these numbers.
double rounded(double value, double digits) {
  return std::round(value * digits) / digits;
}
constexpr double digits_of_traits = 1e3;
constexpr double digits_of_weights = 1e5;

/// Adds the remainders of those points that have traits, by group.
template <class TraitsOf, class GroupOf>
void learn(std::span<const TrafficPoint> points, const GpuShape& gpu,
           const TrafficParameters& parameters, const TraitsOf& traits_of, const GroupOf& group_of,
           Remainders& remainders) {
  std::map<Precision, std::map<std::string, std::vector<RemainderSample>>> samples;
  for (const TrafficPoint& point : points) {
    if (point.segment.cpu) continue;
    const TrafficPricer pricer(point.schedule, point.launch, point.segment, gpu, point.precision);
    const std::optional<Traits> traits = traits_of(pricer);
    if (!traits) continue;
    samples[point.precision][group_of(point)].push_back(
        {*traits, std::log(point.seconds / pricer.price(parameters).seconds)});
  }
  for (const auto& [precision, groups] : samples) {
    for (const auto& [group, of_group] : groups) {
      if (of_group.size() < least_samples) continue;
      remainders[precision][group] = fit_remainder(of_group);
    }
  }
}

}  // namespace

Remainder fit_remainder(std::span<const RemainderSample> samples) {
  if (samples.empty()) throw Error("traffic model: nothing measured that leaves a remainder");
  const auto count = static_cast<double>(samples.size());
  const std::size_t traits = samples.front().traits.size();
  Remainder remainder{Traits(traits), Traits(traits), {}};
  for (std::size_t i = 0; i < traits; ++i) {
    double sum = 0;
    for (const RemainderSample& sample : samples) sum += sample.traits[i];
    remainder.mean[i] = rounded(sum / count, digits_of_traits);
    double squares = 0;
    for (const RemainderSample& sample : samples) {
      squares += (sample.traits[i] - remainder.mean[i]) * (sample.traits[i] - remainder.mean[i]);
    }
    constexpr double least = 1e-3;  // where all are alike
    remainder.deviation[i] = std::max(least, rounded(std::sqrt(squares / count), digits_of_traits));
  }
  const auto n = static_cast<Eigen::Index>(samples.size());
  Eigen::VectorXd left(n);
  for (const RemainderSample& sample : samples) {
    left(static_cast<Eigen::Index>(remainder.points.size())) =
        std::clamp(sample.remainder, -most_remainder, most_remainder);
    Traits place = standardised(sample.traits, remainder);
    for (double& trait : place) trait = rounded(trait, digits_of_traits);
    remainder.points.push_back({std::move(place), 0});
  }
  Eigen::MatrixXd shared(n, n);
  for (Eigen::Index a = 0; a < n; ++a) {
    for (Eigen::Index b = 0; b <= a; ++b) {
      const double alike = likeness(remainder.points[static_cast<std::size_t>(a)].traits,
                                    remainder.points[static_cast<std::size_t>(b)].traits);
      shared(a, b) = alike + (a == b ? noise : 0);
      shared(b, a) = shared(a, b);
    }
  }
  const Eigen::VectorXd weights = shared.llt().solve(left);
  for (Eigen::Index a = 0; a < n; ++a) {
    remainder.points[static_cast<std::size_t>(a)].weight = rounded(weights(a), digits_of_weights);
  }
  return remainder;
}

Remainders fit_remainders(std::span<const TrafficPoint> points, const GpuShape& gpu,
                          const TrafficParameters& parameters) {
  TrafficParameters learned = parameters;
  learn(
      points, gpu, parameters,
      [&](const TrafficPricer& pricer) { return pricer.product_traits(parameters); },
      [](const TrafficPoint& point) { return std::string(remainder_group(point.segment.layout)); },
      learned.remainders);
  learn(
      points, gpu, learned,
      [&](const TrafficPricer& pricer) { return pricer.iteration_traits(learned); },
      [](const TrafficPoint& point) { return iterations_group(point.segment.layout); },
      learned.remainders);
  return std::move(learned.remainders);
}

}  // namespace sparsecast
