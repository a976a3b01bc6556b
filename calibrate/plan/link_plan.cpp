#include "calibrate/plan/link_plan.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "calibrate/sample.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "core/workload/exchange_mode.hpp"

namespace sparsecast {

namespace {

/// A grid cut across its last direction.
struct Slab {
  int points = 0;
  std::int64_t nx = 1;
  std::int64_t ny = 1;         ///< 1: of two dimensions
  std::int64_t thickness = 1;  ///< of each device's part, in grid points
};

/// Cross-sections of the slabs: a few values to a million.
std::vector<Slab> slabs() {
  std::vector<Slab> all;
  constexpr double most_nonzeros = 1.5e7;  // of a part
  constexpr double least_unknowns = 400;
  const auto add = [&](const Slab& slab) {
    const double unknowns = static_cast<double>(slab.nx * slab.ny * slab.thickness);
    if (unknowns >= least_unknowns && unknowns * slab.points <= most_nonzeros) all.push_back(slab);
  };
  for (const std::int64_t side : {8, 24, 64, 160, 400, 1000}) {
    for (const std::int64_t thickness : {2, 12, 70}) {
      add({7, side, side, thickness});
      add({27, side + 4, side, thickness});
    }
  }
  for (const std::int64_t width : {32, 700, 20'000}) {
    for (const std::int64_t thickness : {20, 150}) add({5, width, 1, thickness});
  }
  return all;
}

MatrixRecipe recipe_of(const Slab& slab, int parts) {
  const std::int64_t length = slab.thickness * parts;
  MatrixRecipe recipe;
  recipe.nonzeros = static_cast<double>(slab.points * slab.nx * slab.ny * length);
  recipe.description = "laplacian" + std::to_string(slab.points) + ' ' + std::to_string(slab.nx);
  if (slab.points == 5) {
    recipe.description += 'x' + std::to_string(length) + "x1";
    recipe.generate = [=](int threads) {
      return laplacian(slab.points, slab.nx, length, 1, threads);
    };
  } else {
    recipe.description += 'x' + std::to_string(slab.ny) + 'x' + std::to_string(length);
    recipe.generate = [=](int threads) {
      return laplacian(slab.points, slab.nx, slab.ny, length, threads);
    };
  }
  return recipe;
}

/// Estimates for a large GPU; the remaining time corrects itself while running.
constexpr double upload_rate = 8e9;
constexpr double fixed_seconds = 0.02;

class LinkPlanBuilder {
 public:
  explicit LinkPlanBuilder(const PlanOptions& options) : options_(options), random_(options.seed) {
    plan_.name = "links";
    plan_.stopwatch.min_round_seconds = 7e-4;
    plan_.stopwatch.max_seconds = 0.011;
    plan_.stopwatch.min_rounds = 5;
  }

  void add_vectors(int devices) {
    constexpr int barriers = 5;  // lengths mean nothing to them
    for (int i = 1; i <= barriers; ++i) {
      add(vectors("Barrier", devices, Precision::f64, 32 * i * devices, ExchangeMode::peer));
    }
    for (const ExchangeMode mode : {ExchangeMode::peer, ExchangeMode::staged}) {
      for (const Precision precision : options_.precisions) {
        constexpr int sizes = 10;
        for (const double length : log_spread(1e3, 2e7, sizes, random_)) {
          add(vectors("Exchange", devices, precision, whole_lines(length, devices), mode));
        }
      }
    }
  }

  void add_sums(int devices) {
    for (const Precision precision : options_.precisions) {
      for (const char* kernel : {"Red", "CGResidual"}) {
        for (const std::int64_t length : {320, 2048, 10'016, 40'000}) {
          add(vectors(kernel, devices, precision, length * devices, ExchangeMode::peer));
          Measurement alone = vectors(kernel, 1, precision, length, ExchangeMode::peer);
          alone.exchange = measured_alone;
          add(std::move(alone));
        }
      }
    }
  }

  /// Large and small take turns; a part follows its slab.
  void add_slabs(int devices) {
    int number = 0;
    for (const Slab& slab : slabs()) {
      MatrixRecipe whole = recipe_of(slab, devices);
      MatrixRecipe part = recipe_of(slab, 1);
      part.description = part_of_slab(devices, whole.description);
      const int whole_index = add_matrix(std::move(whole));
      const int part_index = add_matrix(std::move(part));
      for (const Precision precision : options_.precisions) {
        // Costs in bytes are the same in both; half of the slabs in f32 tell.
        if (precision == Precision::f32 && options_.precisions.size() > 1 && number % 2 == 1)
          continue;
        for (const ExchangeMode mode :
             {ExchangeMode::halo, ExchangeMode::peer, ExchangeMode::staged}) {
          if (mode != ExchangeMode::halo && number % 3 == 1) continue;
          add(iteration(whole_index, devices, precision, Layout{}, mode));
        }
        Measurement alone = iteration(part_index, 1, precision, Layout{}, ExchangeMode::halo);
        alone.exchange = measured_alone;
        add(std::move(alone));
      }
      ++number;
    }
  }

  void add_held_out(int devices) {
    std::vector<MatrixFamily> families = held_out_families();
    for (MatrixFamily& more : held_out_unequal_families()) families.push_back(std::move(more));
    constexpr std::uint64_t held_out_seed_offset = 2000;
    constexpr int sizes = 4;
    int number = 0;
    for (MatrixRecipe& recipe :
         matrices_of(families, 2e3, 2e7, sizes, options_.seed + held_out_seed_offset)) {
      const int index = add_matrix(std::move(recipe));
      const Precision precision =
          options_.precisions[static_cast<std::size_t>(number) % options_.precisions.size()];
      const Layout other = block_layout(
          block_sizes[1 + static_cast<std::size_t>(number) / 2 % (block_sizes.size() - 1)]);
      for (const Layout& layout : {Layout{}, other}) {
        Measurement held_out = iteration(index, devices, precision, layout, ExchangeMode::halo);
        held_out.held_out = true;
        constexpr double nearly_full = 1.7;
        if (layout != Layout{}) held_out.most_fill = nearly_full;
        add(std::move(held_out));
      }
      ++number;
    }
  }

  MeasurementPlan build() {
    // Back ends are opened once for each way of exchanging; matrices are made once.
    std::ranges::stable_sort(plan_.measurements, {}, &Measurement::matrix);
    return std::move(plan_);
  }

 private:
  /// Each device's part is a multiple of the lines that belong to one.
  static std::int64_t whole_lines(double length, int devices) {
    constexpr int line = 32;
    const std::int64_t multiple = std::int64_t{line} * devices;
    return multiple *
           std::max<std::int64_t>(1, std::llround(length / static_cast<double>(multiple)));
  }

  static Measurement vectors(const char* kernel, int devices, Precision precision,
                             std::int64_t unknowns, ExchangeMode mode) {
    Measurement measurement;
    measurement.kernel = kernel;
    measurement.devices = devices;
    measurement.precision = precision;
    measurement.unknowns = unknowns;
    measurement.launch = LaunchMode::graph;
    measurement.exchange = to_string(mode);
    measurement.estimated_seconds = fixed_seconds;
    return measurement;
  }

  Measurement iteration(int matrix, int devices, Precision precision, const Layout& layout,
                        ExchangeMode mode) const {
    Measurement measurement = vectors("Iteration", devices, precision, 0, mode);
    measurement.matrix = matrix;
    measurement.layout = layout;
    measurement.schedule = fused_cg().name();
    const double bytes = plan_.matrices[static_cast<std::size_t>(matrix)].nonzeros * 12;
    measurement.estimated_seconds += 2 * bytes / upload_rate;
    return measurement;
  }

  int add_matrix(MatrixRecipe recipe) {
    const auto index = static_cast<int>(plan_.matrices.size());
    const auto [known, is_new] = indices_.try_emplace(recipe.description, index);
    if (is_new) plan_.matrices.push_back(std::move(recipe));
    return known->second;
  }

  void add(Measurement measurement) {
    if (ids_.insert(measurement_id(plan_, measurement)).second) {
      plan_.measurements.push_back(std::move(measurement));
    }
  }

  const PlanOptions& options_;
  PlanRandom random_;
  MeasurementPlan plan_;
  std::set<std::string> ids_;
  std::map<std::string, int> indices_;  ///< of matrices, by description
};

}  // namespace

std::string part_of_slab(int devices, const std::string& matrix) {
  return "part of " + std::to_string(devices) + " of " + matrix;
}

MeasurementPlan gpu_link_plan(int most_devices, const PlanOptions& options) {
  LinkPlanBuilder plan(options);
  for (int devices = 2; devices <= most_devices; ++devices) {
    plan.add_vectors(devices);
    plan.add_sums(devices);
    plan.add_slabs(devices);
    plan.add_held_out(devices);
  }
  return plan.build();
}

}  // namespace sparsecast
