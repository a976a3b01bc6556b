#include "calibrate/fit/gaussian_process.hpp"

#include <ceres/ceres.h>

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/random_stream.hpp"

namespace sparsecast {
namespace {

/// Of how many samples the likelihood is taken: O(n^3) a step of the search.
constexpr std::size_t most_likely_samples = 600;

/// Samples with traits in their standard deviations.
struct Places {
  Eigen::MatrixXd traits;  ///< a column a sample
  Eigen::VectorXd values;
};

/// What a process is determined by; logarithms, in the order of the search.
struct Numbers {
  Eigen::VectorXd ranges;
  double variance = 1;
  double noise = 1;
};

Numbers numbers_of(const double* parameters, Eigen::Index traits) {
  return {Eigen::Map<const Eigen::VectorXd>(parameters, traits).array().exp(),
          std::exp(parameters[traits]), std::exp(parameters[traits + 1])};
}

/// The samples' covariances solved for what they differ from their mean.
struct Solved {
  explicit Solved(const Places& places, const Numbers& numbers)
      : scaled(numbers.ranges.cwiseInverse().asDiagonal() * places.traits) {
    const Eigen::VectorXd halves = 0.5 * scaled.colwise().squaredNorm();
    shared = scaled.transpose() * scaled;
    shared = (shared.colwise() - halves).rowwise() - halves.transpose();
    shared = numbers.variance * shared.array().min(0.0).exp();
    Eigen::MatrixXd covariance = shared;
    // Places may coincide, and be measured without noise.
    constexpr double apart = 1e-8;
    covariance.diagonal().array() += numbers.noise + apart * numbers.variance;
    factor.compute(covariance);
    const Eigen::VectorXd ones = Eigen::VectorXd::Ones(places.values.size());
    const Eigen::VectorXd solved_ones = factor.solve(ones);
    constant = solved_ones.dot(places.values) / solved_ones.sum();
    differences = places.values.array() - constant;
    weights = factor.solve(differences);
  }

  double cost() const {
    return differences.dot(weights) / 2 + factor.matrixLLT().diagonal().array().log().sum();
  }

  Eigen::MatrixXd scaled;  ///< traits over ranges
  Eigen::MatrixXd shared;  ///< covariances without noise
  Eigen::LLT<Eigen::MatrixXd> factor;
  double constant = 0;
  Eigen::VectorXd differences;
  Eigen::VectorXd weights;
};

/// Minus the logarithm of the likelihood, by the logarithms of ranges, variance and noise; of the
/// constant the best.
class Unlikeliness final : public ceres::FirstOrderFunction {
 public:
  explicit Unlikeliness(const Places& places) : places_(places) {}

  bool Evaluate(const double* parameters, double* cost, double* gradient) const override {
    const Eigen::Index traits = places_.traits.rows();
    const Numbers numbers = numbers_of(parameters, traits);
    const Solved solved(places_, numbers);
    if (solved.factor.info() != Eigen::Success) return false;
    *cost = solved.cost();
    if (!std::isfinite(*cost)) return false;
    if (gradient == nullptr) return true;
    const Eigen::Index n = places_.values.size();
    Eigen::MatrixXd slope = solved.factor.solve(Eigen::MatrixXd::Identity(n, n));
    slope -= solved.weights * solved.weights.transpose();
    gradient[traits + 1] = numbers.noise * slope.trace() / 2;
    const Eigen::MatrixXd of_shared = slope.cwiseProduct(solved.shared);
    gradient[traits] = of_shared.sum() / 2;
    // Of (a - b)^2, summed over all pairs.
    Eigen::Map<Eigen::VectorXd>(gradient, traits) =
        solved.scaled.cwiseAbs2() * of_shared.rowwise().sum() -
        (solved.scaled * of_shared).cwiseProduct(solved.scaled).rowwise().sum();
    return true;
  }

  int NumParameters() const override { return static_cast<int>(places_.traits.rows()) + 2; }

 private:
  const Places& places_;
};

/// The first `count` of an order at random.
Places places_of(std::span<const ProcessSample> samples, const Residual& standard,
                 const std::vector<std::size_t>& order, std::size_t count) {
  Places places;
  places.traits.resize(static_cast<Eigen::Index>(standard.mean.size()),
                       static_cast<Eigen::Index>(count));
  places.values.resize(static_cast<Eigen::Index>(count));
  for (Eigen::Index i = 0; i < places.values.size(); ++i) {
    const ProcessSample& sample = samples[order[static_cast<std::size_t>(i)]];
    const Traits place = scaled(sample.traits, standard);
    places.traits.col(i) = Eigen::Map<const Eigen::VectorXd>(place.data(), places.traits.rows());
    places.values(i) = sample.value;
  }
  return places;
}

/// Means and standard deviations of traits.
Residual standard_of(std::span<const ProcessSample> samples) {
  const auto count = static_cast<double>(samples.size());
  const std::size_t traits = samples.front().traits.size();
  Residual standard{Traits(traits), Traits(traits), {}};
  for (std::size_t i = 0; i < traits; ++i) {
    for (const ProcessSample& sample : samples) standard.mean[i] += sample.traits[i] / count;
    double squares = 0;
    for (const ProcessSample& sample : samples) {
      squares += (sample.traits[i] - standard.mean[i]) * (sample.traits[i] - standard.mean[i]);
    }
    constexpr double least = 1e-3;  // where all are alike
    standard.range[i] = std::max(least, std::sqrt(squares / count));
  }
  return standard;
}

Numbers most_likely(const Places& places) {
  const Eigen::Index traits = places.traits.rows();
  constexpr double first_range = 2;
  constexpr double first_noise = 1e-3;  // of the variance
  const double center = places.values.mean();
  const double variance =
      std::max((places.values.array() - center).square().mean(), 1e-12);  // of equal values
  std::vector<double> parameters(static_cast<std::size_t>(traits) + 2, std::log(first_range));
  parameters[static_cast<std::size_t>(traits)] = std::log(variance);
  parameters[static_cast<std::size_t>(traits) + 1] = std::log(first_noise * variance);
  const ceres::GradientProblem problem(new Unlikeliness(places));
  ceres::GradientProblemSolver::Options options;
  options.line_search_direction_type = ceres::LBFGS;
  options.max_num_iterations = 100;
  options.function_tolerance = 1e-5;
  options.logging_type = ceres::SILENT;
  ceres::GradientProblemSolver::Summary summary;
  ceres::Solve(options, problem, parameters.data(), &summary);
  return numbers_of(parameters.data(), traits);
}

}  // namespace

GaussianProcess fit_process(std::span<const ProcessSample> samples, std::size_t most_samples) {
  if (samples.empty()) throw Error("regression: there is no sample");
  GaussianProcess process;
  process.differences = standard_of(samples);
  std::vector<std::size_t> order(samples.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  RandomStream random(1, 0);
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    const auto rest = static_cast<std::int64_t>(order.size() - i);
    std::swap(order[i], order[i + static_cast<std::size_t>(random.below(rest))]);
  }
  const Numbers numbers = most_likely(places_of(samples, process.differences, order,
                                                std::min(samples.size(), most_likely_samples)));
  const Solved solved(
      places_of(samples, process.differences, order, std::min(samples.size(), most_samples)),
      numbers);
  process.constant = solved.constant;
  for (std::size_t i = 0; i < process.differences.range.size(); ++i) {
    process.differences.range[i] *= numbers.ranges(static_cast<Eigen::Index>(i));
  }
  for (Eigen::Index i = 0; i < solved.weights.size(); ++i) {
    const auto place = solved.scaled.col(i);
    process.differences.points.push_back(
        {Traits(place.begin(), place.end()), numbers.variance * solved.weights(i)});
  }
  return process;
}

double expected_value(const GaussianProcess& process, const Traits& traits) {
  const Traits place = scaled(traits, process.differences);
  double value = process.constant;
  for (const Residual::Point& point : process.differences.points) {
    value += point.weight * likeness(point.traits, place);
  }
  return value;
}

}  // namespace sparsecast
