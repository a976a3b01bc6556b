#include "calibrate/plan/gpu_plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "calibrate/preparation_kinds.hpp"
#include "core/formats/registry.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"

namespace sparsecast {

namespace {

/// A kernel on vectors and how many vectors it touches.
struct VectorKernel {
  const char* name;
  int vectors;
};

constexpr std::array loads{VectorKernel{"Load/1/fixed", 1},    VectorKernel{"Load/2/fixed", 2},
                           VectorKernel{"Load/4/fixed", 4},    VectorKernel{"Load/8/fixed", 8},
                           VectorKernel{"Load/1/variable", 1}, VectorKernel{"Load/2/variable", 2},
                           VectorKernel{"Load/4/variable", 4}, VectorKernel{"Load/8/variable", 8}};
constexpr std::array mixes{VectorKernel{"Mixed/1r1w", 2}, VectorKernel{"Mixed/2r1w", 3},
                           VectorKernel{"Mixed/1r2w", 3}, VectorKernel{"Mixed/4r1w", 5}};
constexpr std::array steps{VectorKernel{"CG1", 8}, VectorKernel{"CG2", 2}, VectorKernel{"CG3", 3},
                           VectorKernel{"CG4", 7}, VectorKernel{"CG5", 5}, VectorKernel{"Red", 1}};
constexpr std::array fused_steps{VectorKernel{"CGStart", 5}, VectorKernel{"CGResidual", 3},
                                 VectorKernel{"CGDirection", 3}};
/// Of the user's own solvers.
constexpr std::array passes{VectorKernel{"PassPair", 5},     VectorKernel{"SumPassPair", 3},
                            VectorKernel{"BlockTerms/8", 9}, VectorKernel{"BlockTerms/30", 31},
                            VectorKernel{"BlockDots/8", 9},  VectorKernel{"BlockDots/30", 31}};
constexpr std::array wide_passes{VectorKernel{"WidePassPair", 7},
                                 VectorKernel{"WideSumPassPair", 7}};
constexpr std::array vendor_steps{VectorKernel{"cublasDot", 2}, VectorKernel{"cublasAxpy", 2},
                                  VectorKernel{"cublasScal", 1}, VectorKernel{"cublasCopy", 2},
                                  VectorKernel{"VendorMultiply", 3}};

/// How many sizes of each vector kernel, by kind.
struct VectorSizes {
  int loads = 0;
  int mixes = 0;
  int steps = 0;  ///< of Algorithm 1 and the fused schedule
  int vendor_steps = 0;
  int wide_passes = 0;
  int plain = 0;  ///< sizes at which some kernels are also launched one by one
};

/// Which matrices and how many.
struct MatrixSizes {
  double least = 0;  ///< nonzeros
  double most = 0;
  int sizes = 0;  ///< of each family
};

/// Estimates for a large GPU; the remaining time corrects itself while running.
constexpr double upload_rate = 15e9;       ///< bytes a second
constexpr double cutting_rate = 1.1e9;     ///< of the host, for a persistent kernel
constexpr double streaming_rate = 2.5e12;  ///< of kernels
constexpr double fixed_seconds = 0.0067;   ///< to prepare and to release
constexpr double vendor_seconds = 0.01;    ///< to open its libraries, and to choose its product

class GpuPlanBuilder {
 public:
  GpuPlanBuilder(std::string name, const PlanOptions& options)
      : options_(options), random_(options.seed) {
    plan_.name = std::move(name);
    plan_.stopwatch.min_round_seconds = 7e-4;
    plan_.stopwatch.max_seconds = 0.011;
    plan_.stopwatch.min_rounds = 5;
  }

  /// Where there are many matrices: short measurements, whose noise is below the model's error many
  /// times; and what is much alike on a matrix takes turns from one to the next. What a launch
  /// costs shows on a third of them.
  void has_many_matrices() {
    plan_.stopwatch.min_round_seconds = 3e-4;
    plan_.stopwatch.max_seconds = 0.003;
    plan_.stopwatch.min_rounds = 3;
    plan_.iteration_stopwatch = plan_.stopwatch;
    plan_.iteration_stopwatch->min_round_seconds = 5e-4;
    plan_.iteration_stopwatch->max_seconds = 0.005;
    takes_turns_ = true;
    turns_of_modes_ = 3;
  }

  void add_vectors(const VectorSizes& sizes) {
    for (const VectorKernel& kernel : loads) add_kernel(kernel, sizes.loads);
    for (const VectorKernel& kernel : mixes) add_kernel(kernel, sizes.mixes);
    for (const VectorKernel& kernel : steps) add_kernel(kernel, sizes.steps);
    for (const VectorKernel& kernel : fused_steps) add_kernel(kernel, sizes.steps);
    for (const VectorKernel& kernel : vendor_steps) add_kernel(kernel, sizes.vendor_steps);
    for (const VectorKernel& kernel : {steps[2], steps[3], steps[5], fused_steps[1]}) {
      add_plain(kernel, sizes.plain);
    }
    for (const VectorKernel& kernel : passes) add_kernel(kernel, sizes.steps);
    for (const VectorKernel& kernel : wide_passes) add_kernel(kernel, sizes.wide_passes);
  }

  /// Products in all layouts and whole iterations, which the models are fitted to. Sizes come from
  /// large to small in turn, a matrix of each family at a time.
  void add_fitted(const std::vector<MatrixFamily>& families, const MatrixSizes& sizes) {
    for_each_matrix(families, sizes, 0, [&](int matrix, Precision precision, int number) {
      add_products(matrix, precision, number);
      add_iterations(matrix, precision, number, false);
      add_in_other_layouts(matrix, precision, number);
      add_pass_iterations(matrix, precision, number);
    });
  }

  /// Whole iterations on other matrices, for the intervals.
  void add_held_out(const std::vector<MatrixFamily>& families, const MatrixSizes& sizes) {
    for_each_matrix(families, sizes, held_out_seed_offset,
                    [&](int matrix, Precision precision, int number) {
                      if (!is_turn_of(precision, number)) return;
                      add_iterations(matrix, precision, number, true);
                      for (const Layout& layout : other_layouts_in_turn(number)) {
                        add_in_other_layout("Iteration", matrix, precision, layout, true);
                      }
                    });
  }

  /// Products alone in these layouts.
  void add_products_in(const std::vector<MatrixFamily>& families, const MatrixSizes& sizes,
                       const std::vector<Layout>& layouts) {
    for_each_matrix(families, sizes, 0, [&](int matrix, Precision precision, int) {
      for (const Layout& layout : layouts) {
        add(on_matrix("SpMV", matrix, precision, layout, LaunchMode::graph, any_fill));
      }
    });
  }

  /// Matrices that fill a part of the device, or fill it a few times: products alone in CSR and, in
  /// turn, in another layout where its blocks are nearly full. Of the precisions one shows the
  /// kernel for all iterations, which most of them run fastest with, and the formats that may pay,
  /// the other those for comparisons.
  void add_part_full(const std::vector<MatrixFamily>& families, const MatrixSizes& sizes) {
    for_each_matrix(
        families, sizes, part_full_seed_offset, [&](int matrix, Precision precision, int number) {
          add(on_matrix("SpMV", matrix, precision, Layout{}, LaunchMode::graph, any_fill));
          const bool more = is_turn_of(precision, number);
          if (more) {
            add(on_matrix("SpMV", matrix, precision, block_layout(block_sizes[1 + turn(number)]),
                          LaunchMode::graph, small_fill));
            add_persistent_iterations(matrix, precision);
          }
          for (const Layout& layout : more ? other_layouts_in_turn(number)
                                           : std::vector{compared_layout_in_turn(number)}) {
            add_in_other_layout("SpMV", matrix, precision, layout);
            add_in_other_layout("SpMVDot", matrix, precision, layout);
          }
        });
  }

  /// The kernel for all iterations alone: it changes from shared memory to the last-level cache and
  /// to memory within a decade of sizes.
  void add_persistent(const std::vector<MatrixFamily>& families, const MatrixSizes& sizes) {
    for_each_matrix(families, sizes, persistent_seed_offset,
                    [&](int matrix, Precision precision, int number) {
                      if (is_turn_of(precision, number))
                        add_persistent_iterations(matrix, precision);
                    });
  }

  /// What the host takes to share out a matrix for a persistent kernel. To be added last: then no
  /// other matrix is made at the same time.
  void add_conversions(const std::vector<MatrixFamily>& families, const MatrixSizes& sizes) {
    for_each_matrix(
        families, sizes, conversion_seed_offset, [&](int matrix, Precision precision, int) {
          for (const int block_size : {1, 3}) {
            add(on_matrix(std::string(conversion), matrix, precision, block_layout(block_size),
                          LaunchMode::persistent, block_size == 1 ? any_fill : small_fill));
          }
        });
  }

  /// What the host takes to upload a matrix. To be added last, as these.
  void add_uploads(const std::vector<MatrixFamily>& families, const MatrixSizes& sizes) {
    for_each_matrix(families, sizes, upload_seed_offset, [&](int matrix, Precision precision, int) {
      add(on_matrix(std::string(matrix_upload), matrix, precision, Layout{}, LaunchMode::graph,
                    any_fill));
    });
  }

  /// Of matrices larger than others are measured on: uploads take most of the time, so that there
  /// is only what such matrices are run with.
  void add_large(const std::vector<MatrixFamily>& families, const MatrixSizes& sizes) {
    constexpr int usual_block_size = 3;
    for_each_matrix(
        families, sizes, large_seed_offset, [&](int matrix, Precision precision, int number) {
          if (!is_turn_of(precision, number)) return;
          add(on_matrix("SpMV", matrix, precision, Layout{}, LaunchMode::graph, any_fill));
          for (const int block_size : {1, usual_block_size}) {
            const double most_fill = block_size == 1 ? any_fill : small_fill;
            const Layout layout = block_layout(block_size);
            add(on_matrix("SpMVDot", matrix, precision, layout, LaunchMode::graph, most_fill));
            Measurement iteration =
                on_matrix("Iteration", matrix, precision, layout, LaunchMode::graph, most_fill);
            iteration.schedule = fused_cg().name();
            add(std::move(iteration));
          }
          for (const Layout& layout : other_layouts_in_turn(number)) {
            for (const char* kernel : {"SpMV", "SpMVDot", "Iteration"}) {
              add_in_other_layout(kernel, matrix, precision, layout);
            }
          }
        });
  }

  /// What tells device constants, where kernels are known from a relative: in CSR and in layouts
  /// whose blocks are nearly full, other schedules and launch modes in turn.
  void add_like(const std::vector<MatrixFamily>& families, const MatrixSizes& sizes) {
    for_each_matrix(
        families, sizes, like_seed_offset, [&](int matrix, Precision precision, int number) {
          const Layout csr;
          add(on_matrix("SpMVDot", matrix, precision, csr, LaunchMode::graph, any_fill));
          for (const int block_size : block_sizes) {
            const Layout layout = block_layout(block_size);
            const double most_fill = block_size == 1 ? any_fill : small_fill;
            add(on_matrix("SpMV", matrix, precision, layout, LaunchMode::graph, most_fill));
            add_iteration(fused_cg(), matrix, precision, layout, LaunchMode::graph, most_fill);
            if (block_size == 1 || block_size == 3) {
              add_iteration(fused_cg(), matrix, precision, layout, LaunchMode::persistent,
                            most_fill);
            }
          }
          const int turn_of_mode = number + (precision == Precision::f64 ? 1 : 0);
          const auto other = [&](const Solver& solver, LaunchMode launch) {
            add_iteration(solver, matrix, precision, csr, launch, any_fill);
          };
          other(turn_of_mode % 2 == 0 ? algorithm1() : vendor_cg(), LaunchMode::graph);
          switch (turn_of_mode % 4) {
            case 0:
              return other(fused_cg(), LaunchMode::plain);
            case 1:
              return other(algorithm1(), LaunchMode::plain);
            case 2:
              return other(algorithm1(), LaunchMode::host);
            default:
              return other(vendor_cg(), LaunchMode::host);
          }
        });
  }

  void add_kernel(const VectorKernel& kernel, int count) {
    for (const Precision precision : options_.precisions) {
      for (const double bytes : working_sets(count)) {
        add_vector(kernel, precision, bytes, LaunchMode::graph);
      }
    }
  }

  /// Measurements of one matrix in one layout follow each other: it is uploaded and converted once.
  MeasurementPlan build() {
    const auto copy = [](const Measurement& each) {
      return each.matrix < 0 ? std::tuple(-1, Precision::f32, Layout{})
                             : std::tuple(each.matrix, each.precision, each.layout);
    };
    std::ranges::stable_sort(plan_.measurements, {}, copy);
    const Measurement* before = nullptr;
    for (Measurement& each : plan_.measurements) {
      const bool copies = before == nullptr || copy(each) != copy(*before);
      if (each.matrix >= 0) each.estimated_seconds = estimated_seconds(each, copies);
      before = &each;
    }
    return std::move(plan_);
  }

 private:
  /// Distinct streams of random numbers for the parts of a plan.
  static constexpr std::uint64_t held_out_seed_offset = 1000;
  static constexpr std::uint64_t persistent_seed_offset = 2000;
  static constexpr std::uint64_t part_full_seed_offset = 3000;
  static constexpr std::uint64_t large_seed_offset = 4000;
  static constexpr std::uint64_t like_seed_offset = 5000;
  static constexpr std::uint64_t conversion_seed_offset = 6000;
  static constexpr std::uint64_t upload_seed_offset = 7000;

  /// Half of them from 10 to 300 MB, where the cache matters; a third below; the rest up to 1 GB.
  std::vector<double> working_sets(int count) {
    if (count == 0) return {};
    const int small = count / 3;
    const int large = std::max(1, count / 8);
    std::vector<double> bytes = log_spread(400, 10e6, small, random_);
    for (const double more : log_spread(10e6, 300e6, count - small - large, random_)) {
      bytes.push_back(more);
    }
    for (const double more : log_spread(300e6, 1e9, large, random_)) bytes.push_back(more);
    return bytes;
  }

  void add_plain(const VectorKernel& kernel, int count) {
    for (const Precision precision : options_.precisions) {
      for (const double bytes : log_spread(400, 40e6, count, random_)) {
        add_vector(kernel, precision, bytes, LaunchMode::plain);
      }
    }
  }

  void add_vector(const VectorKernel& kernel, Precision precision, double bytes,
                  LaunchMode launch) {
    Measurement measurement;
    measurement.precision = precision;
    measurement.kernel = kernel.name;
    measurement.launch = launch;
    const double length =
        bytes / (kernel.vectors * static_cast<double>(bytes_per_value(precision)));
    // Users' vectors end anywhere: every eighth length is no multiple of 32.
    constexpr int every = 8;
    constexpr std::int64_t multiple = 32;
    measurement.unknowns =
        vectors_added_++ % every == every - 1
            ? std::max<std::int64_t>(1, std::llround(length))
            : multiple * std::max<std::int64_t>(1, std::llround(length / multiple));
    measurement.estimated_seconds = fixed_seconds / 2 + timing(bytes);
    add(std::move(measurement));
  }

  /// -1 for a matrix that the plan has already: small grids may coincide, and what is fitted must
  /// not be in the interval.
  int add_matrix(MatrixRecipe& recipe) {
    if (!descriptions_.insert(recipe.description).second) return -1;
    plan_.matrices.push_back(std::move(recipe));
    return static_cast<int>(plan_.matrices.size()) - 1;
  }

  /// `visit(matrix, precision, number)` for those that the plan does not have yet, numbered.
  template <class Visit>
  void for_each_matrix(const std::vector<MatrixFamily>& families, const MatrixSizes& sizes,
                       std::uint64_t seed_offset, const Visit& visit) {
    int number = 0;
    for (MatrixRecipe& recipe : in_turn(families, sizes, seed_offset)) {
      const int matrix = add_matrix(recipe);
      if (matrix < 0) continue;
      for (const Precision precision : options_.precisions) visit(matrix, precision, number);
      ++number;
    }
  }

  std::vector<MatrixRecipe> in_turn(const std::vector<MatrixFamily>& families,
                                    const MatrixSizes& sizes, std::uint64_t seed_offset) const {
    return matrices_in_turn(families, sizes.least, sizes.most, sizes.sizes,
                            options_.seed + seed_offset);
  }

  /// Elements of blocks for each nonzero.
  static constexpr double small_fill = 1.7;
  static constexpr double usual_fill = 3;
  static constexpr double any_fill = std::numeric_limits<double>::infinity();

  Measurement on_matrix(const std::string& kernel, int matrix, Precision precision,
                        const Layout& layout, LaunchMode launch, double most_fill) const {
    Measurement measurement;
    measurement.most_fill = most_fill;
    measurement.precision = precision;
    measurement.kernel = kernel;
    measurement.launch = launch;
    measurement.matrix = matrix;
    measurement.layout = layout;
    return measurement;
  }

  /// `copies`: the first of those that share a copy of the matrix.
  double estimated_seconds(const Measurement& each, bool copies) const {
    const double value_bytes = static_cast<double>(bytes_per_value(each.precision));
    const double bytes = nonzeros(each.matrix) * (value_bytes + 4);
    double seconds = fixed_seconds + timing(bytes, each.kernel == "Iteration");
    const bool of_vendor = each.schedule == vendor_cg().name() || each.kernel == "cusparseSpMV";
    if (of_vendor) seconds += vendor_seconds;
    if (copies || of_vendor) seconds += bytes / upload_rate;
    if (each.launch == LaunchMode::persistent) seconds += bytes / cutting_rate;
    return seconds * measured_share(each);
  }

  /// Few matrices have blocks, or few diagonals; the others are left out.
  static double measured_share(const Measurement& each) {
    if (each.most_fill == any_fill) return 1;
    if (!is_csr_or_blocks(each.layout)) return 0.35;
    return each.most_fill < 2 ? 0.12 : 0.45;
  }

  double nonzeros(int matrix) const {
    return plan_.matrices[static_cast<std::size_t>(matrix)].nonzeros;
  }

  /// Of two precisions, which take turns with the number.
  bool is_turn_of(Precision precision, int number) const {
    const auto count = static_cast<int>(options_.precisions.size());
    return !takes_turns_ ||
           options_.precisions[static_cast<std::size_t>(number % count)] == precision;
  }

  /// Every layout whose blocks are mostly full. Every fourth matrix also shows what it costs when
  /// they are not.
  void add_products(int matrix, Precision precision, int number) {
    constexpr double large_fill = 12;
    constexpr int large_every = 4;
    for (const int block_size : block_sizes) {
      const Layout layout = block_layout(block_size);
      const double most_fill = block_size == 1             ? any_fill
                               : number % large_every == 0 ? large_fill
                                                           : usual_fill;
      Measurement product =
          on_matrix("SpMV", matrix, precision, layout, LaunchMode::graph, most_fill);
      add(product);
      if (!is_turn_of(precision, block_size == 1 ? number / 2 : number + block_size)) continue;
      product.kernel = "SpMVDot";
      if (block_size != 1 && block_size != block_sizes[1 + turn(number)]) {
        product.most_fill = small_fill;
      }
      add(std::move(product));
    }
    // Whole iterations have it, too.
    if (number % (takes_turns_ ? 4 : 2) == 0) {
      add(on_matrix("cusparseSpMV", matrix, precision, Layout{}, LaunchMode::graph, any_fill));
    }
  }

  /// A kernel, or an iteration of the fused schedule, as a graph.
  void add_in_other_layout(const std::string& kernel, int matrix, Precision precision,
                           const Layout& layout, bool held_out = false) {
    Measurement measurement =
        on_matrix(kernel.c_str(), matrix, precision, layout, LaunchMode::graph, most_other_fill);
    if (kernel == "Iteration") measurement.schedule = fused_cg().name();
    measurement.held_out = held_out;
    add(std::move(measurement));
  }

  /// Of each format one of its layouts, which share their kernel's constants.
  static std::vector<Layout> other_layouts_in_turn(int number) {
    std::vector<Layout> layouts;
    for (const Format* format : formats()) {
      std::vector<Layout> of_format = usual_layouts_of(*format);
      std::erase_if(of_format, is_csr_or_blocks);
      if (of_format.empty()) continue;
      layouts.push_back(of_format[static_cast<std::size_t>(number) % of_format.size()]);
    }
    return layouts;
  }

  /// One of the layouts that are for comparisons. Not in step with precisions, which take turns
  /// with the number.
  static Layout compared_layout_in_turn(int number) {
    const std::vector<Layout>& layouts = compared_layouts();
    return layouts[static_cast<std::size_t>(number / 2) % layouts.size()];
  }

  /// Products, and iterations of the fused schedule.
  void add_in_other_layouts(int matrix, Precision precision, int number) {
    std::vector<Layout> layouts = other_layouts_in_turn(number);
    if (takes_turns_) layouts.push_back(compared_layout_in_turn(number));
    for (const Layout& layout : layouts) {
      add_in_other_layout("SpMV", matrix, precision, layout);
      if (is_turn_of(precision, number)) {
        add_in_other_layout("SpMVDot", matrix, precision, layout);
      }
      if (is_turn_of(precision, number + 1)) {
        add_in_other_layout("Iteration", matrix, precision, layout);
      }
    }
  }

  /// What the kernels of the user's own solvers end with, which shows while they are short: of
  /// each matrix a third of these iterations. With fewer the fit cannot tell their costs apart, and
  /// leaves some out.
  void add_pass_iterations(int matrix, Precision precision, int number) {
    constexpr double most = 2e6;
    constexpr std::size_t of_each = 3;
    if (nonzeros(matrix) > most || !is_turn_of(precision, number)) return;
    const auto names = pass_iteration_names();
    for (std::size_t k = 0; k < of_each; ++k) {
      const std::size_t turn = of_each * static_cast<std::size_t>(number) + k;
      add(on_matrix(std::string(names[turn % names.size()]), matrix, precision, Layout{},
                    LaunchMode::graph, any_fill));
    }
  }

  static std::size_t turn(int number) {
    return static_cast<std::size_t>(number) % (block_sizes.size() - 1);
  }

  /// In the layouts that there are kernels for all iterations of.
  void add_persistent_iterations(int matrix, Precision precision) {
    for (const int block_size : {1, 3}) {
      add_iteration(fused_cg(), matrix, precision, block_layout(block_size), LaunchMode::persistent,
                    block_size == 1 ? any_fill : small_fill);
    }
  }

  void add_iteration(const Solver& solver, int matrix, Precision precision, const Layout& layout,
                     LaunchMode launch, double most_fill, bool held_out = false) {
    Measurement measurement = on_matrix("Iteration", matrix, precision, layout, launch, most_fill);
    measurement.schedule = solver.name();
    measurement.held_out = held_out;
    add(std::move(measurement));
  }

  /// In CSR, in layouts whose blocks are nearly full, and in one more; the launch modes that differ
  /// only while an iteration is short take turns on large matrices.
  void add_iterations(int matrix, Precision precision, int number, bool held_out) {
    const double size = nonzeros(matrix);
    constexpr double small = 1e6;
    constexpr double most_for_persistent = 3e7;
    const Layout csr;
    const Layout other = block_layout(block_sizes[1 + turn(number)]);
    const auto iterate = [&](const Solver& solver, const Layout& layout, LaunchMode launch) {
      add_iteration(solver, matrix, precision, layout, launch,
                    layout == csr     ? any_fill
                    : layout == other ? usual_fill
                                      : small_fill,
                    held_out);
    };
    for (const int block_size : block_sizes) {
      iterate(fused_cg(), block_layout(block_size), LaunchMode::graph);
    }
    const bool all = !takes_turns_ || !held_out;  // what is held out has one of these
    if (all || number % 4 >= 2) {
      iterate(algorithm1(), csr, LaunchMode::graph);
      if (is_turn_of(precision, number)) iterate(algorithm1(), other, LaunchMode::graph);
    }
    if (all || number % 4 < 2) iterate(vendor_cg(), csr, LaunchMode::graph);
    // The host takes long to cut a large matrix for the kernel.
    constexpr double quickly_cut = 3e6;
    const bool cut = size <= quickly_cut || is_turn_of(precision, number) || held_out;
    if (size <= most_for_persistent && cut) {
      iterate(fused_cg(), csr, LaunchMode::persistent);
      if (other.block_size % 3 == 0) iterate(fused_cg(), other, LaunchMode::persistent);
    }
    // Launches cost the same in both precisions.
    const int turn_of_mode = number + (precision == Precision::f64 ? 1 : 0);
    const auto takes_turn = [&](int mode) {
      const int turns = (size <= small ? 2 : 4) * turns_of_modes_;
      return turn_of_mode % turns == mode % turns;
    };
    if (takes_turn(0)) iterate(fused_cg(), csr, LaunchMode::plain);
    if (takes_turn(1)) iterate(algorithm1(), csr, LaunchMode::plain);
    if (takes_turn(2)) iterate(algorithm1(), csr, LaunchMode::host);
    if (takes_turn(3)) iterate(vendor_cg(), csr, LaunchMode::host);
  }

  /// Short vectors may coincide.
  void add(Measurement measurement) {
    if (ids_.insert(measurement_id(plan_, measurement)).second) {
      plan_.measurements.push_back(std::move(measurement));
    }
  }

  /// Warm-up and rounds of what multiplies, or streams, so many bytes.
  double timing(double bytes, bool iterates = false) const {
    const StopwatchOptions& options =
        iterates ? plan_.iteration_stopwatch.value_or(plan_.stopwatch) : plan_.stopwatch;
    const double calls = 3 * options.min_rounds + 4;
    const double more_bytes = iterates ? 1.5 : 1;
    return calls * std::max(1.2 * options.min_round_seconds, more_bytes * bytes / streaming_rate);
  }

  const PlanOptions& options_;
  PlanRandom random_;
  MeasurementPlan plan_;
  std::set<std::string> ids_;
  std::set<std::string> descriptions_;
  int vectors_added_ = 0;
  bool takes_turns_ = false;
  int turns_of_modes_ = 1;
};

std::vector<MatrixFamily> joined(std::vector<MatrixFamily> families,
                                 const std::vector<MatrixFamily>& more) {
  families.insert(families.end(), more.begin(), more.end());
  return families;
}

}  // namespace

MeasurementPlan gpu_default_plan(const PlanOptions& options) {
  GpuPlanBuilder plan("default", options);
  plan.has_many_matrices();
  plan.add_vectors({9, 9, 9, 9, 9, 4});
  const std::vector<MatrixFamily> fitted = joined(fitted_families(), unequal_families());
  const std::vector<MatrixFamily> held_out =
      joined(held_out_families(), held_out_unequal_families());
  // Around the cache, both ways out, and a few that are large.
  plan.add_fitted(fitted, {1e6, 2e7, 3});
  plan.add_fitted(fitted, {1e3, 1e6, 1});
  plan.add_part_full(fitted, {2e4, 4e6, 5});
  plan.add_part_full(product_families(), {2e4, 4e6, 5});
  plan.add_held_out(held_out, {1e6, 2e7, 2});
  plan.add_held_out(held_out, {1e3, 1e6, 1});
  plan.add_persistent(fitted, {3e6, 2e7, 1});
  plan.add_fitted({fitted[2], fitted[5], fitted[12]}, {4e7, 6e7, 1});
  plan.add_large({fitted[1], fitted[2]}, {1.5e8, 3e8, 1});
  plan.add_large({fitted[4], fitted[5], fitted[10], fitted[12]}, {6e7, 2e8, 1});
  plan.add_conversions(fitted_families(), {2e4, 6e6, 2});
  plan.add_uploads({fitted[0], fitted[1], fitted[4], fitted[5]}, {1e4, 6e7, 6});
  return plan.build();
}

MeasurementPlan gpu_quick_plan(const PlanOptions& options) {
  GpuPlanBuilder plan("quick", options);
  plan.add_vectors({0, 10, 12, 8, 8, 3});
  const std::vector<MatrixFamily> fitted = fitted_families();
  const std::vector<MatrixFamily> held_out = held_out_families();
  plan.add_fitted({fitted[1], fitted[4], fitted[5], fitted[9], fitted[11], fitted[12]},
                  {2e3, 8e6, 2});
  plan.add_held_out({held_out[0], held_out[3], held_out[7], held_out[9]}, {2e3, 5e6, 2});
  plan.add_conversions({fitted[1], fitted[4], fitted[5], fitted[12]}, {2e4, 4e6, 2});
  plan.add_uploads({fitted[0], fitted[1], fitted[4]}, {1e4, 2e7, 4});
  return plan.build();
}

MeasurementPlan gpu_like_plan(const PlanOptions& options) {
  GpuPlanBuilder plan("like", options);
  constexpr int sizes = 5;
  for (const VectorKernel& kernel : {steps[1], steps[2], steps[3], steps[4], steps[5],
                                     fused_steps[1], fused_steps[2], mixes[0], mixes[2]}) {
    plan.add_kernel(kernel, sizes);
  }
  const std::vector<MatrixFamily> fitted = fitted_families();
  const std::vector<MatrixFamily> unequal = unequal_families();
  plan.add_like({fitted[1], fitted[2], fitted[4], fitted[5], fitted[9], fitted[10], fitted[12],
                 fitted[13], unequal[9], unequal[11]},
                {2e3, 4e6, 2});
  plan.add_like({fitted[1], fitted[2], fitted[4]}, {8e6, 1.5e7, 1});
  return plan.build();
}

MeasurementPlan gpu_check_plan(const PlanOptions& options) {
  GpuPlanBuilder plan("check", options);
  for (const VectorKernel& kernel : steps) plan.add_kernel(kernel, 9);
  const std::vector<MatrixFamily> families = fitted_families();
  plan.add_products_in({families[2], families[5], families[10]}, {1e4, 8e6, 3},
                       {block_layout(1), block_layout(2), block_layout(4)});
  return plan.build();
}

}  // namespace sparsecast
