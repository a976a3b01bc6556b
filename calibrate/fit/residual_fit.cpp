#include "calibrate/fit/residual_fit.hpp"

#include <ceres/ceres.h>

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/sample.hpp"
#include "core/base/error.hpp"
#include "core/base/random_stream.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/formats/for_comparisons.hpp"

namespace sparsecast {
namespace {

/// Fewer say nothing of what they share.
constexpr std::size_t least_samples = 40;

/// A profile holds at most so many centres of a group, and one for so many samples.
constexpr std::size_t most_product_centres = 100;
constexpr std::size_t most_iteration_centres = 60;
constexpr std::size_t most_persistent_centres = 160;
/// Of a format beside CSR and blocks; and of all of them together, which share these: then a
/// profile holds no more than 500.
constexpr std::size_t most_centres_of_other_format = 70;
constexpr std::size_t most_centres_of_compared_format = 6;
constexpr std::size_t most_product_centres_of_others = 120;
constexpr std::size_t most_iteration_centres_of_others = 60;
static_assert(most_product_centres + most_iteration_centres + most_persistent_centres +
                  most_product_centres_of_others + most_iteration_centres_of_others <=
              500);
constexpr std::size_t samples_of_a_centre = 8;

/// To digits that the samples do not determine: a profile holds thousands of these numbers.
double rounded(double value, double digits) {
  return std::round(value * digits) / digits;
}
constexpr double digits_of_traits = 1e3;
constexpr double digits_of_places = 1e2;  ///< of centres, in ranges
constexpr double digits_of_weights = 1e5;

/// What is left by chance, over what those that are alike share (variances), of a sample that is
/// alone of its matrix. Those of one matrix leave alike, and count as one.
constexpr double chance = 0.1;

/// Samples as the regression sees them.
struct Process {
  Eigen::MatrixXd traits;  ///< a column a sample, in standard deviations
  Eigen::VectorXd left;
  std::vector<std::vector<Eigen::Index>> matrices;  ///< samples of each
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

/// Likeness of each column of `a` with each of `b`.
Eigen::MatrixXd likenesses(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  const Eigen::VectorXd of_a = a.colwise().squaredNorm();
  const Eigen::VectorXd of_b = b.colwise().squaredNorm();
  Eigen::MatrixXd like = a.transpose() * b;
  like = (like.colwise() - 0.5 * of_a).rowwise() - 0.5 * of_b.transpose();
  return like.array().min(0.0).exp();
}

/// Centres, and what they have in common with the samples, of which each thread takes some.
class Regression {
 public:
  /// `scale`: of traits, one over their ranges. `centres`: a column each, not scaled.
  Regression(const Process& process, const Eigen::VectorXd& scale, const Eigen::MatrixXd& centres,
             double noise)
      : noise_(noise),
        samples_(scale.asDiagonal() * process.traits),
        centres_(scale.asDiagonal() * centres),
        left_(process.left) {
    const Eigen::Index count = centres_.cols();
    shared_ = likenesses(centres_, centres_);
    // Centres may coincide.
    constexpr double apart = 1e-6;
    shared_.diagonal().array() += apart;
    like_.resize(left_.size(), count);
    std::vector<Eigen::MatrixXd> squares(chunks());
    for_chunks([&](std::size_t chunk, Eigen::Index first, Eigen::Index size) {
      const Eigen::MatrixXd like = likenesses(samples_.middleCols(first, size), centres_);
      squares[chunk] = like.transpose() * like;
      like_.middleRows(first, size) = like;
    });
    Eigen::MatrixXd normal = noise_ * shared_;
    for (const Eigen::MatrixXd& each : squares) normal += each;
    normal_.compute(normal);
    weights_ = normal_.solve(like_.transpose() * left_);
    errors_ = left_ - like_ * weights_;
  }

  const Eigen::VectorXd& weights() const { return weights_; }

  /// What the weights minimise.
  double cost() const { return errors_.squaredNorm() + noise_ * weights_.dot(shared_ * weights_); }

  /// Of the cost, by the scaled centres and by the logarithms of the scales; the weights, which
  /// minimise it, add nothing.
  void slopes(Eigen::MatrixXd& by_centres, Eigen::VectorXd& by_scales) const {
    by_centres = Eigen::MatrixXd::Zero(centres_.rows(), centres_.cols());
    by_scales = Eigen::VectorXd::Zero(centres_.rows());
    std::vector<Eigen::MatrixXd> of_centres(chunks());
    std::vector<Eigen::VectorXd> of_scales(chunks());
    for_chunks([&](std::size_t chunk, Eigen::Index first, Eigen::Index size) {
      const Eigen::MatrixXd slope = -2 * (errors_.segment(first, size) * weights_.transpose())
                                             .cwiseProduct(like_.middleRows(first, size));
      const Eigen::MatrixXd samples = samples_.middleCols(first, size);
      add_slopes(slope, samples, of_centres[chunk], of_scales[chunk]);
    });
    for (std::size_t chunk = 0; chunk < chunks(); ++chunk) {
      by_centres += of_centres[chunk];
      by_scales += of_scales[chunk];
    }
    const Eigen::MatrixXd slope = noise_ * (weights_ * weights_.transpose()).cwiseProduct(shared_);
    Eigen::MatrixXd of_shared;
    Eigen::VectorXd scales_of_shared;
    add_slopes(slope, centres_, of_shared, scales_of_shared);
    by_centres += 2 * of_shared;
    by_scales += scales_of_shared;
  }

  /// Mean of |left - forecast from all other matrices|, in closed form, with these centres.
  double error_of_others(const Process& process) const {
    double sum = 0;
    for (const std::vector<Eigen::Index>& matrix : process.matrices) {
      const Eigen::MatrixXd like = like_(matrix, Eigen::all);
      Eigen::MatrixXd others = -like * normal_.solve(like.transpose());
      others.diagonal().array() += 1;
      const Eigen::VectorXd errors = errors_(matrix);
      sum += others.partialPivLu().solve(errors).lpNorm<1>();
    }
    return sum / static_cast<double>(left_.size());
  }

 private:
  static constexpr Eigen::Index chunk_size = 256;

  std::size_t chunks() const {
    return static_cast<std::size_t>((left_.size() + chunk_size - 1) / chunk_size);
  }

  /// By any number of threads the same: sums of chunks are added in order.
  template <class Body>
  void for_chunks(const Body& body) const {
    parallel_for(static_cast<std::int64_t>(chunks()), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t chunk = begin; chunk < end; ++chunk) {
        const Eigen::Index first = chunk * chunk_size;
        body(static_cast<std::size_t>(chunk), first, std::min(chunk_size, left_.size() - first));
      }
    });
  }

  /// `slope`: of the cost by the logarithm of each likeness of `others` (rows) with the centres.
  void add_slopes(const Eigen::MatrixXd& slope, const Eigen::MatrixXd& others,
                  Eigen::MatrixXd& by_centres, Eigen::VectorXd& by_scales) const {
    const Eigen::VectorXd of_others = slope.rowwise().sum();
    const Eigen::VectorXd of_centres = slope.colwise().sum();
    const Eigen::MatrixXd moved = others * slope;
    by_centres = moved - centres_ * of_centres.asDiagonal();
    by_scales = 2 * moved.cwiseProduct(centres_).rowwise().sum() - others.cwiseAbs2() * of_others -
                centres_.cwiseAbs2() * of_centres;
  }

  double noise_;
  Eigen::MatrixXd samples_;  ///< scaled, as centres
  Eigen::MatrixXd centres_;
  Eigen::VectorXd left_;
  Eigen::MatrixXd shared_;  ///< of centres with each other
  Eigen::MatrixXd like_;    ///< of samples (rows) with centres
  Eigen::LLT<Eigen::MatrixXd> normal_;
  Eigen::VectorXd weights_;
  Eigen::VectorXd errors_;
};

/// Centres, and scales of traits.
struct Places {
  Eigen::MatrixXd centres;  ///< a column each, in standard deviations
  Eigen::VectorXd scale;
};

/// The cost as a function of all centres and of the logarithms of the scales behind them.
class CostOfPlaces final : public ceres::FirstOrderFunction {
 public:
  CostOfPlaces(const Process& process, Eigen::Index centres, double noise)
      : process_(process), centres_(centres), noise_(noise) {}

  bool Evaluate(const double* parameters, double* cost, double* gradient) const override {
    const Eigen::Index traits = process_.traits.rows();
    const Places places = places_of(parameters);
    const Regression regression(process_, places.scale, places.centres, noise_);
    *cost = regression.cost();
    if (!std::isfinite(*cost)) return false;
    if (gradient == nullptr) return true;
    Eigen::MatrixXd by_centres;
    Eigen::VectorXd by_scales;
    regression.slopes(by_centres, by_scales);
    Eigen::Map<Eigen::MatrixXd>(gradient, traits, centres_) =
        places.scale.asDiagonal() * by_centres;
    Eigen::Map<Eigen::VectorXd>(gradient + traits * centres_, traits) = by_scales;
    return true;
  }

  int NumParameters() const override {
    return static_cast<int>(process_.traits.rows() * (centres_ + 1));
  }

  Places places_of(const double* parameters) const {
    const Eigen::Index traits = process_.traits.rows();
    return {
        Eigen::Map<const Eigen::MatrixXd>(parameters, traits, centres_),
        Eigen::Map<const Eigen::VectorXd>(parameters + traits * centres_, traits).array().exp()};
  }

 private:
  const Process& process_;
  Eigen::Index centres_;
  double noise_;
};

/// Means of samples that lie together (Lloyd's k-means from samples at random, always the same).
Eigen::MatrixXd first_centres(const Process& process, Eigen::Index count) {
  constexpr int rounds = 20;
  const Eigen::Index n = process.traits.cols();
  std::vector<Eigen::Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  RandomStream random(1, 0);
  for (Eigen::Index i = 0; i < count; ++i) {
    std::swap(order[static_cast<std::size_t>(i)],
              order[static_cast<std::size_t>(i + random.below(n - i))]);
  }
  Eigen::MatrixXd centres(process.traits.rows(), count);
  for (Eigen::Index i = 0; i < count; ++i) {
    centres.col(i) = process.traits.col(order[static_cast<std::size_t>(i)]);
  }
  for (int round = 0; round < rounds; ++round) {
    Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(centres.rows(), count);
    Eigen::VectorXd counts = Eigen::VectorXd::Zero(count);
    const Eigen::VectorXd halves = 0.5 * centres.colwise().squaredNorm();
    for (Eigen::Index i = 0; i < n; ++i) {
      Eigen::Index nearest = 0;
      (halves - centres.transpose() * process.traits.col(i)).minCoeff(&nearest);
      sums.col(nearest) += process.traits.col(i);
      counts(nearest) += 1;
    }
    for (Eigen::Index i = 0; i < count; ++i) {
      if (counts(i) > 0) centres.col(i) = sums.col(i) / counts(i);
    }
  }
  return centres;
}

Places search(const Process& process, Eigen::Index centres, double noise) {
  const Eigen::Index traits = process.traits.rows();
  constexpr double first_scale = 0.6;
  std::vector<double> parameters(static_cast<std::size_t>(traits * (centres + 1)),
                                 std::log(first_scale));
  Eigen::Map<Eigen::MatrixXd>(parameters.data(), traits, centres) = first_centres(process, centres);
  auto* cost = new CostOfPlaces(process, centres, noise);
  const ceres::GradientProblem problem(cost);  // owns it
  ceres::GradientProblemSolver::Options options;
  options.line_search_direction_type = ceres::LBFGS;
  // With few samples more steps follow what is left by chance.
  constexpr Eigen::Index samples_of_a_step = 34;
  options.max_num_iterations =
      static_cast<int>(std::clamp<Eigen::Index>(process.left.size() / samples_of_a_step, 30, 100));
  options.function_tolerance = 1e-5;
  options.logging_type = ceres::SILENT;
  ceres::GradientProblemSolver::Summary summary;
  ceres::Solve(options, problem, parameters.data(), &summary);
  return cost->places_of(parameters.data());
}

/// So much more chance than was thought, by how samples are forecast from other matrices.
double best_noise(const Process& process, const Places& places, double noise) {
  double best = noise;
  double least = std::numeric_limits<double>::infinity();
  for (const double factor : {1.0, 3.0, 10.0, 30.0, 100.0}) {
    const Regression regression(process, places.scale, places.centres, factor * noise);
    const double error = regression.error_of_others(process);
    if (error >= least) continue;
    least = error;
    best = factor * noise;
  }
  return best;
}

/// Adds the residuals of those precise points that have traits, by group.
template <class TraitsOf, class GroupOf>
void learn(std::span<const TrafficPoint> points, const GpuShape& gpu,
           const TrafficParameters& parameters, std::size_t most_centres,
           std::size_t most_of_others, const TraitsOf& traits_of, const GroupOf& group_of,
           Residuals& residuals) {
  std::map<std::string, std::vector<ResidualSample>> samples;
  std::set<std::string> compared;  // groups of formats that are for comparisons
  for (const TrafficPoint& point : points) {
    if (point.segment.cpu || !is_precise(point.relative_noise)) continue;
    const TrafficPricer pricer(point.schedule, point.launch, point.segment, gpu, point.precision);
    std::optional<Traits> traits;
    double terms = 0;
    try {
      traits = traits_of(pricer);
      if (!traits) continue;
      terms = pricer.price(parameters).seconds;
    } catch (const Error&) {
      continue;  // of a kind that no fitted sample has
    }
    samples[group_of(point)].push_back(
        {*std::move(traits), std::log(point.seconds / terms), point.matrix});
    if (is_for_comparisons(point.segment.layout)) compared.insert(group_of(point));
  }
  const auto is_of_csr = [](const std::string& group) {
    return group == products_group({}) || group == iterations_group({}) ||
           group == persistent_iterations_group;
  };
  std::erase_if(samples, [](const auto& each) { return each.second.size() < least_samples; });
  const auto count = [&](const auto& is_kind) {
    return static_cast<std::size_t>(
        std::ranges::count_if(samples, [&](const auto& each) { return is_kind(each.first); }));
  };
  const auto is_compared = [&](const std::string& group) { return compared.contains(group); };
  const std::size_t of_compared = most_centres_of_compared_format * count(is_compared);
  const std::size_t usual = samples.size() - count(is_of_csr) - count(is_compared);
  for (const auto& [group, of_group] : samples) {
    const std::size_t left = most_of_others - std::min(most_of_others, of_compared);
    const std::size_t share = is_compared(group) ? most_centres_of_compared_format
                                                 : left / std::max<std::size_t>(1, usual);
    residuals[group] = fit_residual(
        of_group, is_of_csr(group) ? most_centres
                                   : std::min({most_centres, most_centres_of_other_format, share}));
  }
}

}  // namespace

Residual fit_residual(std::span<const ResidualSample> samples, std::size_t most_centres) {
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
  const Process standard = process_of(samples, residual);
  const double noise = chance * count / static_cast<double>(standard.matrices.size());
  const std::size_t centres =
      std::clamp<std::size_t>(samples.size() / samples_of_a_centre, 1, most_centres);
  const Places places = search(standard, static_cast<Eigen::Index>(centres), noise);
  const double likely_noise = best_noise(standard, places, noise);
  // The weights are those of the numbers that a profile holds.
  Eigen::MatrixXd scaled_centres = places.scale.asDiagonal() * places.centres;
  scaled_centres =
      scaled_centres.unaryExpr([](double each) { return rounded(each, digits_of_places); });
  for (std::size_t i = 0; i < traits; ++i) {
    residual.range[i] = std::max(
        1 / digits_of_traits,
        rounded(residual.range[i] / places.scale(static_cast<Eigen::Index>(i)), digits_of_traits));
  }
  const Process process = process_of(samples, residual);
  const Eigen::VectorXd unit = Eigen::VectorXd::Ones(static_cast<Eigen::Index>(traits));
  const Eigen::VectorXd weights = Regression(process, unit, scaled_centres, likely_noise).weights();
  for (Eigen::Index i = 0; i < scaled_centres.cols(); ++i) {
    const auto place = scaled_centres.col(i);
    residual.points.push_back(
        {Traits(place.begin(), place.end()), rounded(weights(i), digits_of_weights)});
  }
  return residual;
}

Residuals fit_residuals(std::span<const TrafficPoint> points, const GpuShape& gpu,
                        const TrafficParameters& parameters) {
  TrafficParameters learned = parameters;
  learn(
      points, gpu, parameters, most_product_centres, most_product_centres_of_others,
      [&](const TrafficPricer& pricer) { return pricer.product_traits(parameters); },
      [](const TrafficPoint& point) { return products_group(point.segment.layout); },
      learned.residuals);
  learn(
      points, gpu, learned, most_iteration_centres, most_iteration_centres_of_others,
      [&](const TrafficPricer& pricer) { return pricer.iteration_traits(learned); },
      [](const TrafficPoint& point) { return iterations_group(point.segment.layout); },
      learned.residuals);
  learn(
      points, gpu, learned, most_persistent_centres, 0,
      [&](const TrafficPricer& pricer) { return pricer.persistent_traits(learned); },
      [](const TrafficPoint&) { return std::string(persistent_iterations_group); },
      learned.residuals);
  return std::move(learned.residuals);
}

}  // namespace sparsecast
