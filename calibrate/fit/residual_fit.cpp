#include "calibrate/fit/residual_fit.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "calibrate/fit/traffic_samples.hpp"
#include "core/base/error.hpp"
#include "core/base/threads/thread_team.hpp"

namespace sparsecast {
namespace {

/// Fewer say nothing of what they share.
constexpr std::size_t least_samples = 40;

/// To digits that the samples do not determine: a profile holds thousands of these numbers.
double rounded(double value, double digits) {
  return std::round(value * digits) / digits;
}
constexpr double digits_of_traits = 1e3;
constexpr double digits_of_weights = 1e5;

/// Samples as a Gaussian process sees them.
struct Process {
  Eigen::MatrixXd traits;  ///< a column a sample, in standard deviations
  Eigen::VectorXd left;
  std::vector<std::vector<Eigen::Index>> matrices;  ///< samples of each
};

/// What the search finds: a range for each trait, and the variance of what is left by chance over
/// the variance of what those that are alike share.
struct Ranges {
  Eigen::VectorXd of_traits;
  double noise = 0;
};

Process process_of(std::span<const ResidualSample> samples, const Residual& residual) {
  Process process;
  const auto n = static_cast<Eigen::Index>(samples.size());
  process.traits.resize(static_cast<Eigen::Index>(residual.mean.size()), n);
  process.left.resize(n);
  std::map<std::string, std::vector<Eigen::Index>> matrices;
  for (Eigen::Index i = 0; i < n; ++i) {
    const ResidualSample& sample = samples[static_cast<std::size_t>(i)];
    const Traits place = scaled(sample.traits, residual);
    process.traits.col(i) = Eigen::Map<const Eigen::VectorXd>(place.data(), process.traits.rows());
    process.left(i) = std::clamp(sample.residual, -most_residual, most_residual);
    matrices[sample.matrix].push_back(i);
  }
  for (auto& [name, of_matrix] : matrices) process.matrices.push_back(std::move(of_matrix));
  return process;
}

/// Whole matrices at random, always the same, of so many samples.
std::vector<ResidualSample> some_of(std::span<const ResidualSample> samples, std::size_t most) {
  std::map<std::uint64_t, std::vector<std::size_t>> matrices;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    matrices[hash_of(samples[i].matrix)].push_back(i);
  }
  std::vector<ResidualSample> some;
  for (const auto& [hash, of_matrix] : matrices) {
    if (!some.empty() && some.size() + of_matrix.size() > most) break;
    for (const std::size_t i : of_matrix) some.push_back(samples[i]);
  }
  return some;
}

Eigen::MatrixXd covariance(const Process& process, const Ranges& ranges) {
  const Eigen::MatrixXd places = ranges.of_traits.cwiseInverse().asDiagonal() * process.traits;
  const Eigen::VectorXd squares = places.colwise().squaredNorm();
  Eigen::MatrixXd shared = places.transpose() * places;
  shared = (shared.colwise() - 0.5 * squares).rowwise() - 0.5 * squares.transpose();
  shared = shared.array().min(0.0).exp();
  shared.diagonal().array() += ranges.noise;
  return shared;
}

/// Mean of |left - forecast from all other matrices|, in closed form from the inverse.
double error_of_others(const Process& process, const Ranges& ranges) {
  const Eigen::MatrixXd shared = covariance(process, ranges);
  const Eigen::MatrixXd inverse =
      shared.llt().solve(Eigen::MatrixXd::Identity(shared.rows(), shared.cols()));
  const Eigen::VectorXd weights = inverse * process.left;
  double sum = 0;
  for (const std::vector<Eigen::Index>& matrix : process.matrices) {
    const Eigen::MatrixXd own = inverse(matrix, matrix);
    const Eigen::VectorXd of_matrix = weights(matrix);
    sum += own.llt().solve(of_matrix).lpNorm<1>();
  }
  return sum / static_cast<double>(process.left.size());
}

/// By steps of one number at a time, the best of all steps first, while one pays.
Ranges search(const Process& process) {
  constexpr double step = 1.6;
  constexpr double least_range = 0.3;
  constexpr double most_range = 40;
  // Of the error; what fewer matrices gain is chance.
  const double least_gain = 0.3 / static_cast<double>(process.matrices.size());
  constexpr int most_steps = 30;
  const Eigen::Index traits = process.traits.rows();
  Ranges best{Eigen::VectorXd::Constant(traits, 2), 0.3};
  double error = error_of_others(process, best);
  for (int round = 0; round < most_steps; ++round) {
    std::vector<Ranges> candidates;
    for (Eigen::Index i = 0; i < traits; ++i) {
      for (const double factor : {step, 1 / step}) {
        Ranges changed = best;
        changed.of_traits(i) *= factor;
        if (changed.of_traits(i) < least_range || changed.of_traits(i) > most_range) continue;
        candidates.push_back(std::move(changed));
      }
    }
    for (const double factor : {step, 1 / step}) {
      Ranges changed = best;
      changed.noise *= factor;
      candidates.push_back(std::move(changed));
    }
    std::vector<double> errors(candidates.size());
    parallel_for(std::ssize(candidates), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const auto k = static_cast<std::size_t>(i);
        errors[k] = error_of_others(process, candidates[k]);
      }
    });
    const auto least = std::ranges::min_element(errors);
    if (*least > error * (1 - least_gain)) break;
    error = *least;
    best = candidates[static_cast<std::size_t>(least - errors.begin())];
  }
  return best;
}

/// Adds the residuals of those points that have traits, by group.
template <class TraitsOf, class GroupOf>
void learn(std::span<const TrafficPoint> points, const GpuShape& gpu,
           const TrafficParameters& parameters, std::size_t searched, const TraitsOf& traits_of,
           const GroupOf& group_of, Residuals& residuals) {
  std::map<std::string, std::vector<ResidualSample>> samples;
  for (const TrafficPoint& point : points) {
    if (point.segment.cpu) continue;
    const TrafficPricer pricer(point.schedule, point.launch, point.segment, gpu, point.precision);
    std::optional<Traits> traits = traits_of(pricer);
    if (!traits) continue;
    samples[group_of(point)].push_back({*std::move(traits),
                                        std::log(point.seconds / pricer.price(parameters).seconds),
                                        point.matrix});
  }
  for (const auto& [group, of_group] : samples) {
    if (of_group.size() >= least_samples) residuals[group] = fit_residual(of_group, searched);
  }
}

}  // namespace

Residual fit_residual(std::span<const ResidualSample> samples, std::size_t searched) {
  if (samples.empty()) throw Error("traffic model: nothing measured that leaves a residual");
  const auto count = static_cast<double>(samples.size());
  const std::size_t traits = samples.front().traits.size();
  Residual residual{Traits(traits), Traits(traits), {}};
  for (std::size_t i = 0; i < traits; ++i) {
    double sum = 0;
    for (const ResidualSample& sample : samples) sum += sample.traits[i];
    residual.mean[i] = rounded(sum / count, digits_of_traits);
    double squares = 0;
    for (const ResidualSample& sample : samples) {
      squares += (sample.traits[i] - residual.mean[i]) * (sample.traits[i] - residual.mean[i]);
    }
    constexpr double least = 1e-3;  // where all are alike
    residual.range[i] = std::max(least, std::sqrt(squares / count));
  }
  Ranges ranges = search(process_of(some_of(samples, searched), residual));
  for (std::size_t i = 0; i < traits; ++i) {
    residual.range[i] =
        std::max(1 / digits_of_traits,
                 rounded(residual.range[i] * ranges.of_traits(static_cast<Eigen::Index>(i)),
                         digits_of_traits));
  }
  ranges.of_traits.setOnes();
  for (const ResidualSample& sample : samples) {
    Traits place = scaled(sample.traits, residual);
    for (double& trait : place) trait = rounded(trait, digits_of_traits);
    residual.points.push_back({std::move(place), 0});
  }
  const Process process = process_of(samples, residual);
  const Eigen::VectorXd weights = covariance(process, ranges).llt().solve(process.left);
  for (std::size_t i = 0; i < residual.points.size(); ++i) {
    residual.points[i].weight = rounded(weights(static_cast<Eigen::Index>(i)), digits_of_weights);
  }
  return residual;
}

Residuals fit_residuals(std::span<const TrafficPoint> points, const GpuShape& gpu,
                        const TrafficParameters& parameters, std::size_t searched) {
  TrafficParameters learned = parameters;
  learn(
      points, gpu, parameters, searched,
      [&](const TrafficPricer& pricer) { return pricer.product_traits(parameters); },
      [](const TrafficPoint& point) { return products_group(point.segment.layout); },
      learned.residuals);
  learn(
      points, gpu, learned, searched,
      [&](const TrafficPricer& pricer) { return pricer.iteration_traits(learned); },
      [](const TrafficPoint& point) { return iterations_group(point.segment.layout); },
      learned.residuals);
  return std::move(learned.residuals);
}

}  // namespace sparsecast
