#include "calibrate/measurement_plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <utility>

namespace sparsecast {

namespace {

std::int64_t rounded(double number, std::int64_t least = 1) {
  return std::max(least, static_cast<std::int64_t>(std::llround(number)));
}

/// Nonzeros of a CSR matrix in f64 that is this large, row pointers and vectors aside.
double nonzeros_of(double bytes) {
  constexpr double bytes_per_nonzero = 12;
  return bytes / bytes_per_nonzero;
}

class PlanBuilder {
 public:
  PlanBuilder(std::string name, const PlanOptions& options, StopwatchOptions stopwatch)
      : options_(options), random_(options.seed) {
    plan_.name = std::move(name);
    plan_.stopwatch = stopwatch;
  }

  /// A kernel on vectors of `count` lengths, from 32 to a working set of `bytes`; it touches
  /// `vectors` vectors.
  void add_vectors(const std::string& kernel, int vectors, double bytes, int count,
                   int devices = 1) {
    for (const Precision precision : options_.precisions) {
      const double value_bytes = static_cast<double>(bytes_per_value(precision));
      const double longest = bytes / (vectors * value_bytes);
      int position = 0;
      for (const double length : log_spread(32, longest, count, random_)) {
        Measurement measurement;
        measurement.precision = precision;
        measurement.kernel = kernel;
        measurement.devices = devices;
        // Users' vectors start anywhere: every sixth length is no multiple of 32.
        constexpr int every = 6;
        constexpr std::int64_t multiple = 32;
        measurement.unknowns = position++ % every == every - 1
                                   ? rounded(length)
                                   : multiple * rounded(length / multiple);
        measurement.estimated_seconds =
            timing_seconds(static_cast<double>(measurement.unknowns) * vectors * value_bytes);
        add(std::move(measurement));
      }
    }
  }

  void add_barrier(int devices) {
    for (const Precision precision : options_.precisions) {
      Measurement measurement;
      measurement.precision = precision;
      measurement.kernel = "Barrier";
      measurement.devices = devices;
      measurement.unknowns = 32 * devices;
      measurement.estimated_seconds = timing_seconds(0);
      add(std::move(measurement));
    }
  }

  /// A kernel in these layouts on every matrix that the plan does not have yet: small grids may
  /// coincide, and what is fitted must not be in the interval.
  void add_matrices(const std::string& kernel, std::vector<MatrixRecipe> recipes,
                    const std::vector<Layout>& layouts) {
    for (MatrixRecipe& made : recipes) {
      if (std::ranges::find(plan_.matrices, made.description, &MatrixRecipe::description) !=
          plan_.matrices.end()) {
        continue;
      }
      double generation = 100e-9 * made.nonzeros;
      for (const Precision precision : options_.precisions) {
        for (const Layout& layout : layouts) {
          Measurement measurement;
          measurement.precision = precision;
          measurement.kernel = kernel;
          measurement.held_out = kernel == "Iteration";
          if (measurement.held_out) measurement.schedule = "algorithm1";
          measurement.matrix = static_cast<int>(plan_.matrices.size());
          measurement.layout = layout;
          // Blocks of matrices without block structure are mostly zeros.
          const double elements = made.nonzeros * (1 + 0.3 * (layout.block_size - 1));
          const double bytes = elements * static_cast<double>(bytes_per_value(precision) + 4);
          measurement.estimated_seconds =
              timing_seconds(bytes) + bytes / conversion_rate + std::exchange(generation, 0);
          plan_.measurements.push_back(std::move(measurement));
        }
      }
      plan_.matrices.push_back(std::move(made));
    }
  }

  MeasurementPlan build() { return std::move(plan_); }

 private:
  /// Short vectors may coincide.
  void add(Measurement measurement) {
    if (ids_.insert(measurement_id(plan_, measurement)).second) {
      plan_.measurements.push_back(std::move(measurement));
    }
  }

  /// What measuring a kernel that moves so many bytes takes: estimates for a small machine, only
  /// used for the remaining time, which corrects itself while running.
  double timing_seconds(double bytes) const {
    constexpr double rate = 10e9;
    constexpr double warm_up_rounds = 3;
    return std::max(1.1 * plan_.stopwatch.max_seconds,
                    (plan_.stopwatch.min_rounds + warm_up_rounds) * bytes / rate);
  }

  static constexpr double conversion_rate = 1e9;
  const PlanOptions& options_;
  PlanRandom random_;
  MeasurementPlan plan_;
  std::set<std::string> ids_;
};

std::vector<Layout> all_layouts() {
  std::vector<Layout> layouts;
  for (const int block_size : block_sizes) layouts.push_back(block_layout(block_size));
  return layouts;
}

/// The kernels of Algorithm 1 and how many vectors each touches.
constexpr std::array<std::pair<const char*, int>, 6> vector_kernels{
    {{"CG1", 8}, {"CG2", 2}, {"CG3", 3}, {"CG4", 7}, {"CG5", 5}, {"Red", 1}}};

/// The largest working set: well beyond the cache, but no larger than it takes to see that.
double largest_bytes(const PlanOptions& options, double caches, double least, double most) {
  return std::clamp(caches * static_cast<double>(options.cache_bytes), least, most);
}

/// Distinct streams of random numbers for the parts of a plan.
constexpr std::uint64_t held_out_seed_offset = 1000;

}  // namespace

double MeasurementPlan::estimated_seconds() const {
  return std::accumulate(
      measurements.begin(), measurements.end(), 0.0,
      [](double sum, const Measurement& each) { return sum + each.estimated_seconds; });
}

std::string measurement_id(const MeasurementPlan& plan, const Measurement& measurement) {
  std::string id = std::string(to_string(measurement.precision)) + ',' + measurement.kernel + ',';
  if (measurement.matrix >= 0) {
    id += to_string(measurement.layout) + ',' +
          plan.matrices[static_cast<std::size_t>(measurement.matrix)].description;
  } else {
    id += std::to_string(measurement.unknowns);
  }
  return id + ',' + std::to_string(measurement.devices) + ',' + measurement.schedule + ',' +
         (measurement.launch ? std::string(to_string(*measurement.launch)) : "");
}

namespace {

/// How many sizes of each thing a plan measures.
struct PlanSizes {
  int vectors = 0;
  int exchanges = 0;
  int fitted_matrices = 0;    ///< of each family
  int held_out_matrices = 0;  ///< of each family
};

/// The kernels, links and iterations without which there is no profile; `bytes` is the largest
/// working set.
void add_what_a_profile_needs(PlanBuilder& plan, const PlanOptions& options, double bytes,
                              const PlanSizes& sizes) {
  for (const auto& [kernel, vectors] : vector_kernels) {
    plan.add_vectors(kernel, vectors, bytes, sizes.vectors);
  }
  for (int devices = 2; devices <= std::min(options.threads, 8); devices *= 2) {
    plan.add_barrier(devices);
    plan.add_vectors("Exchange", 1 + devices, bytes / 4, sizes.exchanges, devices);
  }
  const double most = nonzeros_of(bytes / 2);
  plan.add_matrices("SpMV",
                    matrices_of(fitted_families(), 300, most, sizes.fitted_matrices, options.seed),
                    all_layouts());
  plan.add_matrices("Iteration",
                    matrices_of(held_out_families(), 1000, most / 2, sizes.held_out_matrices,
                                options.seed + held_out_seed_offset),
                    all_layouts());
}

}  // namespace

MeasurementPlan default_plan(const PlanOptions& options) {
  StopwatchOptions stopwatch;
  stopwatch.min_round_seconds = 5e-4;
  stopwatch.max_seconds = 0.04;
  PlanBuilder plan("default", options, stopwatch);
  const double bytes = largest_bytes(options, 8, 64e6, 512e6);
  for (const char* grid_kind : {"fixed", "variable"}) {
    for (const int vectors : {1, 2, 4, 8}) {
      plan.add_vectors("Load/" + std::to_string(vectors) + '/' + grid_kind, vectors, bytes, 12);
    }
  }
  plan.add_vectors("Mixed/1r1w", 2, bytes, 10);
  plan.add_vectors("Mixed/2r1w", 3, bytes, 10);
  plan.add_vectors("Mixed/1r2w", 3, bytes, 10);
  add_what_a_profile_needs(plan, options, bytes, {24, 12, 4, 2});
  return plan.build();
}

MeasurementPlan quick_plan(const PlanOptions& options) {
  StopwatchOptions stopwatch;
  stopwatch.min_round_seconds = 2e-4;
  stopwatch.max_seconds = 0.01;
  PlanBuilder plan("quick", options, stopwatch);
  const double bytes = largest_bytes(options, 6, 32e6, 256e6);
  plan.add_vectors("Load/1/fixed", 1, bytes, 10);
  plan.add_vectors("Load/8/fixed", 8, bytes, 10);
  add_what_a_profile_needs(plan, options, bytes, {18, 8, 2, 1});
  return plan.build();
}

MeasurementPlan check_plan(const PlanOptions& options) {
  StopwatchOptions stopwatch;
  stopwatch.max_seconds = 0.05;
  PlanBuilder plan("check", options, stopwatch);
  const double bytes = largest_bytes(options, 2, 32e6, 128e6);
  for (const auto& [kernel, vectors] : vector_kernels) {
    if (std::string(kernel) != "CG1") plan.add_vectors(kernel, vectors, bytes, 7);
  }
  const std::vector<MatrixFamily> families = fitted_families();
  plan.add_matrices("SpMV",
                    matrices_of({families[2], families[5], families[10]}, 1000, nonzeros_of(bytes),
                                3, options.seed),
                    {block_layout(1), block_layout(2), block_layout(4)});
  return plan.build();
}

bool intervals_are_held_out(const MeasurementPlan& plan) {
  std::set<std::string> fitted;
  std::set<std::string> held_out;
  for (const Measurement& each : plan.measurements) {
    if (each.matrix < 0) continue;
    (each.held_out ? held_out : fitted).insert(plan.matrices.at(each.matrix).description);
  }
  return std::ranges::none_of(
      held_out, [&](const std::string& description) { return fitted.contains(description); });
}

}  // namespace sparsecast
