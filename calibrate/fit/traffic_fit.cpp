#include "calibrate/fit/traffic_fit.hpp"

#include <ceres/ceres.h>
#include <ceres/crs_matrix.h>

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/fit/median.hpp"
#include "core/base/error.hpp"
#include "core/base/threads/thread_team.hpp"
#include "model/traffic/steady_steps.hpp"

namespace sparsecast {
namespace {

/// "f32/csr" of "f32/csr/step": a group of parameters is a block of Ceres.
std::string group_of(const std::string& name) {
  return name.substr(0, name.rfind('/'));
}

/// The parameters as Ceres sees them: logarithms, in blocks of those that points share. The block
/// of a parameter is its name up to the last '/'.
class LogParameters {
 public:
  explicit LogParameters(TrafficParameters& parameters) : list_(parameter_list(parameters)) {
    for (std::size_t i = 0; i < list_.size(); ++i) {
      const std::string block = group_of(list_[i].name);
      if (blocks_.empty() || names_.back() != block) {
        names_.push_back(block);
        blocks_.emplace_back();
        first_.push_back(i);
      }
      const double value = std::clamp(*list_[i].value, list_[i].least, list_[i].most);
      blocks_.back().push_back(std::log(value));
    }
  }

  /// No bandwidth of the memory is above what it can deliver.
  void bound_memory(double peak_gbps) {
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      for (std::size_t i = 0; i < blocks_[b].size(); ++i) {
        TrafficParameter& each = list_[first_[b] + i];
        if (each.scaling != Scaling::memory_bandwidth || each.neutral != each.most) continue;
        each.most = std::min(each.most, peak_gbps);
        blocks_[b][i] = std::min(blocks_[b][i], std::log(each.most));
      }
    }
  }

  std::size_t count() const { return blocks_.size(); }
  std::vector<double>& block(std::size_t index) { return blocks_[index]; }
  const std::vector<TrafficParameter>& list() const { return list_; }
  std::size_t first(std::size_t block) const { return first_[block]; }

  std::size_t index_of(const std::string& name) const {
    const auto found = std::ranges::find(names_, name);
    if (found == names_.end()) throw Error("traffic model: no parameters '" + name + "'");
    return static_cast<std::size_t>(found - names_.begin());
  }

  void store() const {
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      for (std::size_t i = 0; i < blocks_[b].size(); ++i) {
        const TrafficParameter& parameter = list_[first_[b] + i];
        *parameter.value = std::clamp(std::exp(blocks_[b][i]), parameter.least, parameter.most);
      }
    }
  }

 private:
  std::vector<TrafficParameter> list_;
  std::vector<std::string> names_;
  std::vector<std::vector<double>> blocks_;
  std::vector<std::size_t> first_;
};

/// log(predicted / measured) of a point, weighted, as a function of the logarithms in its blocks.
/// Slopes are differences; parameters change few parts of a price, and only these are priced again.
class LogTimeResidual final : public ceres::CostFunction {
 public:
  LogTimeResidual(const TrafficPoint& point, const GpuShape& gpu, double weight)
      : pricer_(point.schedule, point.launch, point.segment, gpu, point.precision),
        groups_(pricer_.parameter_groups()),
        log_seconds_(std::log(point.seconds)),
        weight_(weight) {
    // Parameters of its own, only those that it depends on.
    for (const std::string& group : groups_) add_parameter_group(parameters_, group);
    set_num_residuals(1);
    for (const TrafficParameter& each : parameter_list(parameters_)) {
      const auto group = std::ranges::find(groups_, group_of(each.name));
      if (group == groups_.end()) continue;
      mutable_parameter_block_sizes()->resize(
          static_cast<std::size_t>(group - groups_.begin() + 1));
      ++mutable_parameter_block_sizes()->back();
      Unknown unknown{each.value, {}};
      for (std::size_t part = 0; part < pricer_.part_count(); ++part) {
        if (pricer_.part_depends_on(part, each.name)) unknown.parts.push_back(part);
      }
      unknowns_.push_back(std::move(unknown));
    }
  }
  LogTimeResidual(const LogTimeResidual&) = delete;
  LogTimeResidual& operator=(const LogTimeResidual&) = delete;

  /// Ceres evaluates a residual by one thread at a time.
  bool Evaluate(double const* const* blocks, double* residual, double** jacobians) const override {
    std::size_t next = 0;
    for (std::size_t b = 0; b < groups_.size(); ++b) {
      for (int i = 0; i < parameter_block_sizes()[b]; ++i) {
        *unknowns_[next++].value = std::exp(blocks[b][i]);
      }
    }
    double seconds = 0;
    for (std::size_t part = 0; part < pricer_.part_count(); ++part) {
      seconds += pricer_.part_seconds(part, parameters_);
    }
    if (!(seconds > 0)) return false;
    residual[0] = (std::log(seconds) - log_seconds_) * weight_;
    if (jacobians == nullptr) return true;
    next = 0;
    for (std::size_t b = 0; b < groups_.size(); ++b) {
      for (int i = 0; i < parameter_block_sizes()[b]; ++i) {
        const Unknown& unknown = unknowns_[next++];
        if (jacobians[b] != nullptr) jacobians[b][i] = weight_ * slope(unknown) / seconds;
      }
    }
    return true;
  }

  const std::vector<std::string>& groups() const { return groups_; }

 private:
  struct Unknown {
    double* value = nullptr;  ///< in `parameters_`
    std::vector<std::size_t> parts;
  };

  /// Of the seconds, by the parameter's logarithm. Look-ups are counted by powers of two, where
  /// slopes change: a wide step to both sides sees past them.
  double slope(const Unknown& unknown) const {
    constexpr double step = 1e-3;
    const double value = *unknown.value;
    const auto seconds_at = [&](double factor) {
      *unknown.value = value * factor;
      double seconds = 0;
      for (const std::size_t part : unknown.parts) {
        seconds += pricer_.part_seconds(part, parameters_);
      }
      return seconds;
    };
    const double change = seconds_at(1 + step) - seconds_at(1 / (1 + step));
    *unknown.value = value;
    return change / (2 * std::log1p(step));
  }

  TrafficPricer pricer_;
  std::vector<std::string> groups_;
  TrafficParameters parameters_;
  std::vector<Unknown> unknowns_;  ///< in the order of the blocks
  double log_seconds_;
  double weight_;
};

/// What is known of parameters before: the order of magnitude of where the search begins, or those
/// of a relative. Samples say more of most; what none depends on stays there instead of drifting to
/// a bound.
class Expectation final : public ceres::CostFunction {
 public:
  Expectation(const std::vector<double>& logarithms, std::vector<double> deviations)
      : expected_(logarithms), deviations_(std::move(deviations)) {
    const int count = static_cast<int>(expected_.size());
    set_num_residuals(count);
    mutable_parameter_block_sizes()->push_back(count);
  }

  bool Evaluate(double const* const* blocks, double* residuals, double** jacobians) const override {
    const std::size_t count = expected_.size();
    for (std::size_t i = 0; i < count; ++i) {
      residuals[i] = (blocks[0][i] - expected_[i]) / deviations_[i];
    }
    if (jacobians == nullptr || jacobians[0] == nullptr) return true;
    std::fill_n(jacobians[0], count * count, 0);
    for (std::size_t i = 0; i < count; ++i) jacobians[0][i * count + i] = 1 / deviations_[i];
    return true;
  }

 private:
  std::vector<double> expected_;
  std::vector<double> deviations_;
};

/// Where the search for a CPU's parameters begins: as on servers of recent years.
void start_cpu(TrafficParameters& start) {
  start.cpu = CpuCosts{.call_seconds = 2e-8,
                       .scalar_seconds = 5e-9,
                       .wait_seconds = 2e-7,
                       .thread_seconds = 1e-8,
                       .nearest_bytes = 3e4,
                       .private_bytes = 1e6,
                       .shared_bytes = 3e7,
                       .sharpness = 4,
                       .private_gbps = 60,
                       .shared_gbps = 60,
                       .memory_read_gbps = 30,
                       .memory_write_gbps = 20,
                       .overlap = 2,
                       .private_lookup_seconds = 1e-9,
                       .shared_lookup_seconds = 5e-9,
                       .memory_lookup_seconds = 2e-8,
                       .remote_lookup_seconds = 2e-8,
                       .evicted_lookup_seconds = 1e-8,
                       .uneven_row_seconds = 5e-9};
  for (auto& [precision, kernels] : start.cpu_kernels) {
    for (auto& [name, kernel] : kernels) kernel = {100};
  }
  for (auto& [precision, layouts] : start.cpu_products) {
    for (auto& [layout, product] : layouts) product = {2e-9, 1e-9};
  }
}

/// Sets what is known; returns its groups.
std::set<std::string> take_over(TrafficParameters known, TrafficParameters& parameters) {
  std::map<std::string, double> values;
  std::set<std::string> groups;
  for (const TrafficParameter& each : parameter_list(known)) {
    values[each.name] = *each.value;
    groups.insert(group_of(each.name));
    add_parameter(parameters, each.name);
  }
  for (const TrafficParameter& each : parameter_list(parameters)) {
    const auto value = values.find(each.name);
    if (value != values.end()) *each.value = value->second;
  }
  return groups;
}

/// Where the search begins: bandwidths as the points show them, launches and the rest as on GPUs of
/// recent years.
TrafficParameters starting_parameters(std::span<const TrafficPoint> points,
                                      std::span<const std::unique_ptr<LogTimeResidual>> residuals,
                                      const GpuShape& gpu) {
  TrafficParameters start;
  for (const auto& residual : residuals) {
    for (const std::string& group : residual->groups()) add_parameter_group(start, group);
  }
  if (start.cpu) {
    start_cpu(start);
    return start;
  }
  double gbps = 1;
  for (const TrafficPoint& point : points) {
    double bytes = 0;
    for (const StepTraffic& step :
         steady_traffic(point.schedule, point.segment.shape, point.precision)) {
      for (const ArrayTraffic& array : step.reads) bytes += array.arrays * array.bytes;
      for (const ArrayTraffic& array : step.writes) bytes += array.arrays * array.bytes;
    }
    if (bytes > 4.0 * static_cast<double>(gpu.l2_bytes)) {
      gbps = std::max(gbps, 1e-9 * bytes / point.seconds);
    }
  }
  start.device = {.wait_seconds = 2e-5,
                  .graph_seconds = 1e-6,
                  .plain_seconds = 1e-6,
                  .skipped_seconds = 1e-6,
                  .skipped_gbps = 4 * gbps,
                  .memory_read_gbps = gbps,
                  .memory_write_gbps = gbps,
                  .grid_stride = 1.05,
                  .cache_bytes = 0.6 * static_cast<double>(gpu.l2_bytes),
                  .cache_sharpness = 4,
                  .overlap = 3,
                  .product_overlap = 3,
                  .overlap_waves = 0.3,
                  .whole_waves = 0.7,
                  .contention = 0.5,
                  .uneven_waves = 0.2,
                  .miss_seconds = 1e-6,
                  .memory_wait_seconds = 5e-7,
                  .double_seconds = 4e-11,
                  .product_seconds = 1.5e-6,
                  .library_seconds = 3e-6,
                  .join_seconds = 1.5e-6,
                  .sector_seconds = 6e-12,
                  .line_seconds = 5e-10,
                  .l1_bytes = 2e4,
                  .cache_read_gbps = 2 * gbps,
                  .cache_write_gbps = 1.5 * gbps,
                  .sum_seconds = 2e-6,
                  .sum_pass = 1.1,
                  .sum_step = 1.5,
                  .sum_gbps = 4 * gbps};
  for (auto& [name, kernel] : start.kernels) {
    kernel = {.fixed_seconds = 1.5e-6,
              .sum_seconds = 2e-6,
              .vector_seconds = 5e-8,
              .values = 0.2 * gbps,
              .gbps = 1.5 * gbps};
  }
  if (start.passes) start.passes = PassCosts{5e-7, 5e-7, 5e-7, 5e-8, 1e-7, 2e-8, 2e-7, 5e-8, 5e-7};
  for (auto& [kind, product] : start.products) {
    product = {.pass_seconds = 3e-7,
               .double_pass = 1.2,
               .step_seconds = 1e-8,
               .byte_seconds = 1.5e-11,
               .entry_seconds = 1e-10,
               .next_wave_seconds = 5e-7,
               .sum_seconds = 2e-7,
               .sum_wave_seconds = 5e-8,
               .sum_wait_seconds = 6e-7,
               .gbps = 2.5 * gbps};
  }
  if (start.persistent) {
    start.persistent = PersistentCosts{.warp_seconds = 2e-8,
                                       .slice_seconds = 5e-7,
                                       .doubling_seconds = 1e-7,
                                       .load_seconds = 3e-7,
                                       .spilled_seconds = 1e-6,
                                       .sector_seconds = 1e-9,
                                       .uneven_seconds = 3e-10,
                                       .round_seconds = 2e-7,
                                       .cache_bytes = 0.8 * static_cast<double>(gpu.l2_bytes),
                                       .cache_sharpness = 3};
  }
  for (auto& [kind, sums] : start.persistent_sums) sums = {3e-6, 5e-9};
  for (auto& [precision, kinds] : start.persistent_steps) {
    for (auto& [kind, steps] : kinds) steps = {1e-8};
  }
  return start;
}

/// Of logarithms, around what is expected.
double deviation(const TrafficParameter& parameter, const TrafficFitOptions& options) {
  constexpr double order_of_magnitude = 2;  // a factor of 7
  if (options.relative == nullptr) return order_of_magnitude;
  return is_device_constant(parameter) ? options.device_deviation : options.kernel_deviation;
}

bool is_left_out(const std::string& name, const TrafficFitOptions& options) {
  if (options.relative != nullptr && !options.relative->log_errors.contains(name)) return true;
  return std::ranges::any_of(options.without, [&name](const std::string& each) {
    return name == each || name.ends_with('/' + each);
  });
}

/// Standard errors of the logarithms, of parameters that the points determine.
std::map<std::string, double> log_errors(ceres::Problem& problem, LogParameters& logs,
                                         const TrafficFitOptions& options, double scatter) {
  ceres::CRSMatrix jacobian;
  ceres::Problem::EvaluateOptions evaluate;
  std::vector<std::size_t> order;
  for (std::size_t b = 0; b < logs.count(); ++b) {
    double* const block = logs.block(b).data();
    if (!problem.HasParameterBlock(block) || problem.IsParameterBlockConstant(block)) continue;
    evaluate.parameter_blocks.push_back(block);
    // What is left out has no column.
    for (std::size_t i = 0; i < logs.block(b).size(); ++i) {
      const std::size_t index = logs.first(b) + i;
      if (!is_left_out(logs.list()[index].name, options)) order.push_back(index);
    }
  }
  problem.Evaluate(evaluate, nullptr, nullptr, nullptr, &jacobian);
  Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(jacobian.num_cols, jacobian.num_cols);
  for (int row = 0; row < jacobian.num_rows; ++row) {
    for (int a = jacobian.rows[row]; a < jacobian.rows[row + 1]; ++a) {
      for (int b = jacobian.rows[row]; b < jacobian.rows[row + 1]; ++b) {
        normal(jacobian.cols[a], jacobian.cols[b]) += jacobian.values[a] * jacobian.values[b];
      }
    }
  }
  // A trace of a prior keeps parameters at a bound, which nothing depends on, from being infinite.
  constexpr double prior = 1e-4;
  normal.diagonal().array() += prior;
  const Eigen::MatrixXd covariance =
      normal.ldlt().solve(Eigen::MatrixXd::Identity(normal.rows(), normal.cols()));
  std::map<std::string, double> errors;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    errors[logs.list()[order[i]].name] = scatter * std::sqrt(std::max(0.0, covariance(k, k)));
  }
  return errors;
}

}  // namespace

double traffic_error(const TrafficPoint& point, const GpuShape& gpu,
                     const TrafficParameters& parameters) {
  const TrafficPricer pricer(point.schedule, point.launch, point.segment, gpu, point.precision);
  return std::abs(pricer.price(parameters).seconds / point.seconds - 1);
}

TrafficFit fit_traffic(std::span<const TrafficPoint> points, const GpuShape& gpu,
                       const TrafficFitOptions& options) {
  if (points.empty()) throw Error("traffic model: no samples to fit; calibrate the device");
  std::vector<std::unique_ptr<LogTimeResidual>> residuals;
  std::vector<std::unique_ptr<Expectation>> expectations;
  for (const TrafficPoint& point : points) {
    const double deviation = std::hypot(point.relative_noise, options.model_error);
    residuals.push_back(std::make_unique<LogTimeResidual>(point, gpu, 1 / deviation));
  }
  TrafficFit fit;
  fit.profile.gpu = gpu;
  // What no parameter says has no effect here, as in a profile that holds the parameters.
  take_over(options.relative != nullptr ? options.relative->parameters
                                        : starting_parameters(points, residuals, gpu),
            fit.profile.parameters);
  std::map<std::string, std::vector<double>> expected;
  {
    LogParameters at_first(fit.profile.parameters);
    for (std::size_t b = 0; b < at_first.count(); ++b) {
      expected[group_of(at_first.list()[at_first.first(b)].name)] = at_first.block(b);
    }
  }
  if (options.start != nullptr) take_over(*options.start, fit.profile.parameters);
  std::set<std::string> known;
  if (options.known != nullptr) known = take_over(*options.known, fit.profile.parameters);
  LogParameters logs(fit.profile.parameters);
  if (options.peak_gbps > 0) logs.bound_memory(options.peak_gbps);

  ceres::Problem::Options ownership;
  ownership.cost_function_ownership = ceres::DO_NOT_TAKE_OWNERSHIP;
  ceres::Problem problem(ownership);
  for (auto& residual : residuals) {
    std::vector<double*> blocks;
    for (const std::string& group : residual->groups()) {
      blocks.push_back(logs.block(logs.index_of(group)).data());
    }
    problem.AddResidualBlock(residual.get(), new ceres::HuberLoss(options.huber_threshold), blocks);
  }
  for (std::size_t b = 0; b < logs.count(); ++b) {
    double* const block = logs.block(b).data();
    if (!problem.HasParameterBlock(block)) continue;
    if (known.contains(group_of(logs.list()[logs.first(b)].name))) {
      problem.SetParameterBlockConstant(block);
      continue;
    }
    const int size = static_cast<int>(logs.block(b).size());
    if (!fit.profile.parameters.cpu) {
      std::vector<double> deviations;
      for (std::size_t i = 0; i < logs.block(b).size(); ++i) {
        deviations.push_back(deviation(logs.list()[logs.first(b) + i], options));
      }
      expectations.push_back(std::make_unique<Expectation>(
          expected.at(group_of(logs.list()[logs.first(b)].name)), std::move(deviations)));
      problem.AddResidualBlock(expectations.back().get(), nullptr, block);
    }
    std::vector<int> left_out;
    for (std::size_t i = 0; i < logs.block(b).size(); ++i) {
      const TrafficParameter& parameter = logs.list()[logs.first(b) + i];
      if (is_left_out(parameter.name, options)) {
        logs.block(b)[i] = std::log(parameter.neutral);
        left_out.push_back(static_cast<int>(i));
        continue;
      }
      problem.SetParameterLowerBound(block, static_cast<int>(i), std::log(parameter.least));
      problem.SetParameterUpperBound(block, static_cast<int>(i), std::log(parameter.most));
    }
    if (std::ssize(left_out) == size) {
      problem.SetParameterBlockConstant(block);
    } else if (!left_out.empty()) {
      problem.SetManifold(block, new ceres::SubsetManifold(size, left_out));
    }
  }
  ceres::Solver::Options solver;
  solver.max_num_iterations = options.max_iterations;
  solver.function_tolerance = options.function_tolerance;
  solver.linear_solver_type = ceres::DENSE_NORMAL_CHOLESKY;
  // Searches along projected steps need no slopes then, which cost most.
  solver.line_search_interpolation_type = ceres::BISECTION;
  solver.num_threads = options.threads > 0 ? options.threads : available_threads();
  solver.logging_type = ceres::SILENT;
  ceres::Solver::Summary summary;
  ceres::Solve(solver, &problem, &summary);
  logs.store();
  fit.converged = summary.termination_type == ceres::CONVERGENCE;
  fit.message = summary.BriefReport();

  std::vector<double> errors;
  std::vector<double> weighted;
  for (std::size_t i = 0; i < points.size(); ++i) {
    errors.push_back(traffic_error(points[i], gpu, fit.profile.parameters));
    weighted.push_back(errors.back() / std::hypot(points[i].relative_noise, options.model_error));
  }
  fit.profile.samples = static_cast<int>(points.size());
  fit.profile.median_error = median(errors);
  constexpr double deviations_in_median = 0.6745;  // of a normal distribution
  fit.profile.log_errors =
      log_errors(problem, logs, options, median(weighted) / deviations_in_median);
  if (options.relative != nullptr) {
    const auto& of_relative = options.relative->log_errors;
    fit.profile.log_errors.insert(of_relative.begin(), of_relative.end());  // what was not fitted
  }
  for (const TrafficParameter& each : logs.list()) {
    constexpr double near = 1 + 1e-6;
    if (*each.value <= each.least * near || *each.value * near >= each.most) {
      fit.at_bounds.push_back(each.name);
    }
  }
  return fit;
}

TrafficFit fit_determined(std::span<const TrafficPoint> points, const GpuShape& gpu,
                          const TrafficFitOptions& options) {
  constexpr double least_known = 0.5;
  constexpr double least_known_of_passes = 0.65;
  constexpr double standard_errors = 2;
  TrafficFitOptions determined = options;
  TrafficFit fit = fit_traffic(points, gpu, determined);
  while (!fit.profile.parameters.cpu) {
    std::map<std::string, std::pair<double, std::string>> worst;  // by group
    for (const TrafficParameter& each : parameter_list(fit.profile.parameters)) {
      const auto error = fit.profile.log_errors.find(each.name);
      if (error == fit.profile.log_errors.end()) continue;
      // Factors that may as well be 1 say nothing, however well they are known.
      const bool is_factor = each.least < each.neutral && each.neutral < each.most;
      const bool is_one = is_factor && std::abs(std::log(*each.value / each.neutral)) <
                                           standard_errors * error->second;
      // What passes end with is for schedules of many more operations than are measured: of these a
      // rough value is better than none, as far as it is known within a factor of two.
      const double enough =
          group_of(each.name) == passes_group ? least_known_of_passes : least_known;
      if (error->second <= enough && !is_one) continue;
      auto& of_group = worst[group_of(each.name)];
      of_group = std::max(of_group, {error->second, each.name});
    }
    if (worst.empty()) break;
    for (auto& [group, one] : worst) determined.without.push_back(std::move(one.second));
    const TrafficParameters start = fit.profile.parameters;
    determined.start = &start;
    fit = fit_traffic(points, gpu, determined);
  }
  return fit;
}

}  // namespace sparsecast
