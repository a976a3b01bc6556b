#include "calibrate/plan/measurement_plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <utility>

#include "core/base/visits.hpp"
#include "core/formats/registry.hpp"
#include "core/schedule/built_in_solvers.hpp"

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

  /// Products in CSR and half of the other layouts, and whole iterations in CSR and one more
  /// layout, which models are fitted to; of layouts for comparisons one.
  void add_fitted(std::vector<MatrixRecipe> recipes) {
    for (MatrixRecipe& recipe : recipes) {
      const int matrix = add_matrix(recipe);
      if (matrix < 0) continue;
      for (const Precision precision : options_.precisions) {
        const std::size_t turn =
            static_cast<std::size_t>(matrix) + (precision == Precision::f64 ? 2 : 0);
        const auto blocks_in_turn = [&](std::size_t further) {
          return block_layout(block_sizes[1 + (turn + further) % (block_sizes.size() - 1)]);
        };
        const Layout other = blocks_in_turn(0);
        for (const Layout& layout : {Layout{}, other, blocks_in_turn(1), blocks_in_turn(3)}) {
          add_on_matrix("SpMV", matrix, precision, layout);
        }
        for (const Layout& layout : {Layout{}, other}) {
          add_on_matrix("SpMVDot", matrix, precision, layout);
          for (const std::string& schedule : schedules_) {
            add_on_matrix("Iteration", matrix, precision, layout, schedule);
          }
        }
        for (const Layout& layout : other_layouts()) {
          add_on_matrix("SpMV", matrix, precision, layout);
          add_on_matrix("SpMVDot", matrix, precision, layout);
          for (const std::string& schedule : schedules_) {
            add_on_matrix("Iteration", matrix, precision, layout, schedule);
          }
        }
        const Layout& compared = compared_[static_cast<std::size_t>(matrix) % compared_.size()];
        add_on_matrix("SpMV", matrix, precision, compared);
        add_on_matrix("Iteration", matrix, precision, compared, fused_cg().name());
      }
    }
  }

  /// Whole iterations on other matrices, for the intervals: both schedules in CSR, by turns in
  /// blocks.
  void add_held_out(std::vector<MatrixRecipe> recipes) {
    for (MatrixRecipe& recipe : recipes) {
      const int matrix = add_matrix(recipe);
      if (matrix < 0) continue;
      for (const Precision precision : options_.precisions) {
        std::size_t turn = static_cast<std::size_t>(matrix) + (precision == Precision::f64 ? 1 : 0);
        for (const int block_size : block_sizes) {
          const std::string& other = schedules_[turn++ % schedules_.size()];
          for (const std::string& schedule : schedules_) {
            if (block_size != 1 && schedule != other) continue;
            add_on_matrix("Iteration", matrix, precision, block_layout(block_size), schedule);
            plan_.measurements.back().held_out = true;
          }
        }
        for (const Layout& layout : other_layouts()) {
          add_on_matrix("Iteration", matrix, precision, layout, fused_cg().name());
          plan_.measurements.back().held_out = true;
        }
      }
    }
  }

  /// Products in these layouts.
  void add_products(std::vector<MatrixRecipe> recipes, const std::vector<Layout>& layouts) {
    for (MatrixRecipe& recipe : recipes) {
      const int matrix = add_matrix(recipe);
      if (matrix < 0) continue;
      for (const Precision precision : options_.precisions) {
        for (const Layout& layout : layouts) add_on_matrix("SpMV", matrix, precision, layout);
      }
    }
  }

  void visit_again() {
    plan_.passes = Visits::of_all;
    plan_.most_passes = Visits::most;
  }

  MeasurementPlan build() { return std::move(plan_); }

 private:
  const std::array<std::string, 2> schedules_{algorithm1().name(), fused_cg().name()};
  const std::vector<Layout>& compared_ = compared_layouts();

  /// -1 for a matrix that the plan has already: small grids may coincide, and what is fitted must
  /// not be in the interval.
  int add_matrix(MatrixRecipe& recipe) {
    if (!descriptions_.insert(recipe.description).second) return -1;
    generation_seconds_ = 200e-9 * recipe.nonzeros;
    plan_.matrices.push_back(std::move(recipe));
    return static_cast<int>(plan_.matrices.size()) - 1;
  }

  void add_on_matrix(const char* kernel, int matrix, Precision precision, const Layout& layout,
                     const std::string& schedule = "") {
    Measurement measurement;
    measurement.precision = precision;
    measurement.kernel = kernel;
    measurement.schedule = schedule;
    measurement.matrix = matrix;
    measurement.layout = layout;
    const bool other = !is_csr_or_blocks(layout);
    if (other) measurement.most_fill = most_other_fill;
    // Blocks of matrices without block structure are mostly zeros.
    const double elements = plan_.matrices[static_cast<std::size_t>(matrix)].nonzeros *
                            (1 + 0.3 * (layout.block_size - 1));
    const double bytes = elements * static_cast<double>(bytes_per_value(precision) + 4);
    measurement.estimated_seconds =
        timing_seconds(bytes) + bytes / conversion_rate + std::exchange(generation_seconds_, 0);
    // Most matrices are left out.
    if (other) measurement.estimated_seconds *= 0.3;
    plan_.measurements.push_back(std::move(measurement));
  }

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
  std::set<std::string> descriptions_;
  double generation_seconds_ = 0;  ///< of the matrix that was added last; 0 once it is counted
};

/// The kernels of both schedules and how many vectors each touches.
constexpr std::array<std::pair<const char*, int>, 8> vector_kernels{{{"CG1", 8},
                                                                     {"CG2", 2},
                                                                     {"CG3", 3},
                                                                     {"CG4", 7},
                                                                     {"CG5", 5},
                                                                     {"Red", 1},
                                                                     {"CGResidual", 3},
                                                                     {"CGDirection", 3}}};

std::vector<MatrixFamily> joined(std::vector<MatrixFamily> families,
                                 const std::vector<MatrixFamily>& more) {
  families.insert(families.end(), more.begin(), more.end());
  return families;
}

/// The largest working set: well beyond the cache, but no larger than it takes to see that.
double largest_bytes(const PlanOptions& options, double caches, double least, double most) {
  return std::clamp(caches * static_cast<double>(options.cache_bytes), least, most);
}

/// Distinct streams of random numbers for the parts of a plan.
constexpr std::uint64_t held_out_seed_offset = 1000;

}  // namespace

std::vector<Layout> other_layouts() {
  std::vector<Layout> layouts = usual_layouts();
  std::erase_if(layouts, is_csr_or_blocks);
  return layouts;
}

double MeasurementPlan::estimated_seconds() const {
  return passes * std::accumulate(measurements.begin(), measurements.end(), 0.0,
                                  [](double sum, const Measurement& each) {
                                    return sum + each.estimated_seconds;
                                  });
}

void cut_to(MeasurementPlan& plan, const PlanPart& part) {
  std::erase_if(plan.measurements, [&part](const Measurement& each) {
    const bool is_layout = part.layouts.empty() ||
                           (each.matrix >= 0 && std::ranges::count(part.layouts, each.layout) > 0);
    const bool is_launch = part.launches.empty() ||
                           (each.launch && std::ranges::count(part.launches, *each.launch) > 0);
    return !is_layout || !is_launch;
  });
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
         (measurement.launch ? std::string(to_string(*measurement.launch)) : "") +
         (measurement.exchange.empty() ? "" : ',' + measurement.exchange);
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
  // Larger ones take longer to make than to measure; blocks and vectors reach far beyond.
  constexpr double most_nonzeros = 4e6;
  const double most = std::min(nonzeros_of(bytes / 3), most_nonzeros);
  plan.add_fitted(matrices_in_turn(joined(fitted_families(), unequal_families()), 300, most,
                                   sizes.fitted_matrices, options.seed));
  plan.add_held_out(matrices_in_turn(joined(held_out_families(), held_out_unequal_families()), 300,
                                     most, sizes.held_out_matrices,
                                     options.seed + held_out_seed_offset));
}

}  // namespace

MeasurementPlan default_plan(const PlanOptions& options) {
  StopwatchOptions stopwatch;
  stopwatch.min_round_seconds = 5e-4;
  stopwatch.max_seconds = 0.02;
  PlanBuilder plan("default", options, stopwatch);
  plan.visit_again();
  const double bytes = largest_bytes(options, 8, 64e6, 512e6);
  for (const char* grid_kind : {"fixed", "variable"}) {
    for (const int vectors : {1, 2, 4, 8}) {
      plan.add_vectors("Load/" + std::to_string(vectors) + '/' + grid_kind, vectors, bytes, 8);
    }
  }
  plan.add_vectors("Mixed/1r1w", 2, bytes, 10);
  plan.add_vectors("Mixed/2r1w", 3, bytes, 10);
  plan.add_vectors("Mixed/1r2w", 3, bytes, 10);
  add_what_a_profile_needs(plan, options, bytes, {24, 8, 3, 2});
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
  plan.add_products(matrices_of({families[2], families[5], families[10]}, 1000, nonzeros_of(bytes),
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
