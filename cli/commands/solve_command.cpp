#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <optional>

#include "cli/command.hpp"
#include "cli/command_files.hpp"
#include "cli/counting/iteration_counts.hpp"
#include "cli/counting/right_hand_side.hpp"
#include "cli/given_matrix.hpp"
#include "cli/gpu_of_rank.hpp"
#include "cli/interrupt.hpp"
#include "cli/layout_options.hpp"
#include "cli/own_schedule.hpp"
#include "cli/rank_system.hpp"
#include "cli/ranks.hpp"
#include "cli/reports/json_output.hpp"
#include "cli/reports/printable.hpp"
#include "cli/reports/progress.hpp"
#include "cli/reports/table.hpp"
#include "cli/reports/verbosity.hpp"
#include "core/analysis/features.hpp"
#include "core/base/files/file_output.hpp"
#include "core/base/text/name_list.hpp"
#include "core/base/text/text_fields.hpp"
#include "core/engine/backend.hpp"
#include "core/engine/device_list.hpp"
#include "core/engine/ranks/rank_errors.hpp"
#include "core/engine/ranks/rank_file.hpp"
#include "core/engine/ranks/rank_matrix.hpp"
#include "core/engine/ranks/rank_order.hpp"
#include "core/engine/solve.hpp"
#include "core/engine/solve_method.hpp"
#include "core/engine/solve_result_json.hpp"
#include "core/matrix/files/file_kind.hpp"
#include "core/matrix/files/market/matrix_market.hpp"
#include "core/matrix/renumber.hpp"
#include "core/matrix/renumbering.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "core/schedule/shipped/shipped_methods.hpp"
#include "predict/counting/count_outcomes.hpp"

namespace sparsecast::cli {
namespace {

StopRule parse_stop_options(const CommandLine& line) {
  StopRule rule;
  int given = 0;
  const auto tolerance = [&](const char* option, StopRule::Kind kind) {
    if (!line.has(option)) return;
    rule.kind = kind;
    rule.tolerance = line.get<double>(option);
    if (!(rule.tolerance >= 0)) {
      throw UsageError("--" + std::string(option) + ": expected a number that is not negative");
    }
    ++given;
  };
  tolerance("rtol", StopRule::Kind::relative);
  tolerance("atol", StopRule::Kind::absolute);
  rule.max_iterations = positive_whole_of(line, "max-iterations", 0);
  if (line.has("iterations")) {
    rule.max_iterations = positive_whole_of(line, "iterations", 0);
    if (line.has("max-iterations")) {
      throw UsageError("--iterations and --max-iterations are given; expected one of them");
    }
    rule.kind = StopRule::Kind::fixed_iterations;
    ++given;
  }
  if (given > 1) throw UsageError("expected one of --rtol, --atol and --iterations");
  const std::string stop = line.get_or("stop", "residual");
  if (stop != "residual" && stop != "preconditioned") {
    throw UsageError("--stop: '" + stop + "'; expected residual or preconditioned");
  }
  if (line.has("stop") && rule.kind != StopRule::Kind::relative) {
    throw UsageError("--stop: is of --rtol; leave out it or --atol and --iterations");
  }
  if (stop == "preconditioned") rule.kind = StopRule::Kind::preconditioned;
  return rule;
}

/// The name of a schedule of ours.
std::string parse_schedule(const CommandLine& line) {
  if (has_schedule_file(line) || line.has("solver")) {
    if (line.has("atol")) throw UsageError("--atol is Algorithm 1's own test; use --rtol");
    return names_fused(line) ? fused_cg().name() : std::string();
  }
  if (!line.has("schedule")) return {};
  const auto& name = line.get<std::string>("schedule");
  if (!is_ours(name)) {
    std::vector<std::string> known = our_names();
    known.emplace_back("a file that ends with .json");
    throw UsageError("--schedule: '" + name + "'; expected " + one_of(known));
  }
  if (line.has("atol") && !built_in(name).paper) {
    throw UsageError("--atol is Algorithm 1's own test; expected --schedule algorithm1");
  }
  return name;
}

LaunchMode parse_launch(const CommandLine& line) {
  if (!line.has("launch")) return LaunchMode::automatic;
  if (!line.get<std::string>("device").starts_with(gpu_kind)) {
    throw UsageError("--launch: a CPU has no launch modes; leave it out");
  }
  try {
    return parse_launch_mode(line.get<std::string>("launch"));
  } catch (const Error& error) {
    throw UsageError("--launch: " + std::string(error.what()));
  }
}

/// That of --exchange, which only several GPUs have, and ranks with one each.
ExchangeMode parse_exchange(const CommandLine& line) {
  if (!line.has("exchange")) return ExchangeMode::automatic;
  const auto& device = line.get<std::string>("device");
  const bool several = device.find(',') != std::string::npos || ranks() != nullptr;
  if (!device.starts_with(gpu_kind) || !several) {
    throw UsageError("--exchange: --device " + device + " is not several GPUs; leave it out");
  }
  return parse_exchange_option("--exchange", line.get<std::string>("exchange"));
}

void require_square(const std::string& path, const CsrMatrix<double>& matrix) {
  if (matrix.rows != matrix.columns) {
    throw Error(path + ": " + std::to_string(matrix.rows) + " rows and " +
                std::to_string(matrix.columns) + " columns; a solve needs a square matrix");
  }
}

bool is_symmetric(const MatrixFromFile& file, int threads) {
  return file.symmetry == StoredSymmetry::symmetric ||
         compute_features(file.matrix.view(), threads).symmetric;
}

/// `values[permutation[i]]` at i.
std::vector<double> permuted(const std::vector<double>& values, const Permutation& permutation) {
  std::vector<double> result;
  result.reserve(values.size());
  for (const std::int32_t place : permutation) result.push_back(values[place]);
  return result;
}

/// What solves a system, and for which matrices.
struct SolverChoice {
  std::string name;
  MatrixKind needs = MatrixKind::square;
  bool by_transpose = false;  ///< it multiplies by the transpose, too
  int rows_together = 1;
};

SolverChoice choice_of(const std::optional<OwnSchedule>& own, const SolveOptions& options) {
  if (own) {
    const bool by_transpose =
        std::ranges::any_of(own->method.operators, [](const OperatorDeclaration& each) {
          return each.kind == OperatorDeclaration::Kind::transpose;
        });
    return {own->method.name, own->method.needs, by_transpose, rows_together(own->method)};
  }
  const Solver& ours = solver_of(options);
  return {ours.name(), ours.needs, multiplies_by_transpose(ours.schedule), 1};
}

[[noreturn]] void refuse_unsymmetric(const std::string& path, const SolverChoice& solver) {
  throw Error(path + ": the matrix is not symmetric; " + solver.name + " needs a " +
              std::string(to_string(solver.needs)) + " one; use --solver " +
              one_of(shipped_names_for(MatrixKind::square)));
}

/// What is solved: the whole system, or a rank's part of it in the numbers of that.
struct System {
  CsrMatrix<double> matrix;
  std::vector<double> b;
  std::int64_t unknowns = 0;  ///< of the whole system, as the nonzeros
  std::int64_t nonzeros = 0;
  Permutation permutation{};         ///< none: the order of the file
  std::unique_ptr<RankPart> part{};  ///< nullptr: there is one process
  std::optional<RankOrder> order{};  ///< of the part's rows; none: that of the file
  std::unique_ptr<Backend> backend{};
};

CudaPolicy cuda_policy(const CommandLine& line) {
  CudaPolicy policy;
  policy.launch_mode = parse_launch(line);
  policy.exchange = parse_exchange(line);
  return policy;
}

/// That of --renumber for one process.
Renumbering parse_renumbering_alone(const CommandLine& line) {
  const auto& how = line.get<std::string>("renumber");
  if (how == ptscotch_order) {
    throw UsageError(
        "--renumber ptscotch cuts for several ranks of mpirun; one process has nothing to cut, and "
        "for its devices there is metis");
  }
  return parse_renumbering_option("--renumber", how);
}

/// The system that this process solves alone.
System whole_system(const CommandLine& line, const GivenMatrix& given, const SolverChoice& solver,
                    int threads) {
  const std::string& path = given.label();
  const Renumbering how = parse_renumbering_alone(line);
  System system;
  system.backend = open_device(line.get<std::string>("device"), threads, cuda_policy(line));
  MatrixFromFile file = given.whole(threads);
  require_square(path, file.matrix);
  if (solver.needs != MatrixKind::square && !is_symmetric(file, threads)) {
    refuse_unsymmetric(path, solver);
  }
  system.matrix = std::move(file.matrix);
  system.unknowns = system.matrix.rows;
  system.nonzeros = system.matrix.nonzeros();
  system.b = right_hand_side(line, system.unknowns);
  if (how != Renumbering::none) {
    const int devices = system.backend->device_count();
    require_several_devices(how, devices, "--device");
    system.permutation = make_permutation(how, system.matrix, devices);
    system.matrix = renumber<double>(system.matrix, system.permutation, threads);
    system.b = permuted(system.b, system.permutation);
  }
  return system;
}

/// Throws `UsageError` for options that need the whole matrix in one process, or another device.
void require_options_of_ranks(const CommandLine& line) {
  require_device_of_ranks(line.get<std::string>("device"));
  if (line.given("count")) {
    throw UsageError("--count is for one process; leave it out under mpirun");
  }
  const auto& how = line.get<std::string>("renumber");
  if (how != to_string(Renumbering::none) && how != ptscotch_order) {
    throw UsageError("--renumber " + how + ": under mpirun expected none or " + ptscotch_order);
  }
}

/// b, where a rank's part has it.
std::vector<double> part_of_right_hand_side(const CommandLine& line, const System& system) {
  const RankRows& rows = system.part->rows;
  const int rank = ranks()->rank();
  const Segment known =
      system.order ? system.order->stretch() : Segment{rows.begin(rank), rows.end(rank)};
  std::vector<double> own = right_hand_side(line, rows.total(), known);
  if (system.order) own = system.order->to_part(own);
  std::vector<double> b(static_cast<std::size_t>(system.matrix.rows), 0);
  std::ranges::copy(own, b.begin() + system.part->own.begin_row);
  return b;
}

/// The part of the system that this rank solves.
System part_of_system(const CommandLine& line, const GivenMatrix& given, const SolverChoice& solver,
                      const Layout& layout, int threads) {
  const CudaPolicy cuda = cuda_policy(line);
  const std::optional<GpuPart> gpu = device_of_rank(line.get<std::string>("device"));
  RankMatrixOptions options =
      part_options(layout, solver.by_transpose, solver.rows_together, gpu.has_value());
  options.threads = threads;
  if (line.get<std::string>("renumber") == ptscotch_order) options.cut = graph_cut_of_ranks();
  const bool needs_symmetric = solver.needs != MatrixKind::square;
  RankMatrixFile file = given.part(*ranks(), options, needs_symmetric);
  if (needs_symmetric && !file.symmetric) refuse_unsymmetric(given.label(), solver);
  System system;
  system.part = std::make_unique<RankPart>(std::move(file.matrix.part));
  system.matrix = std::move(file.matrix.matrix);
  system.unknowns = system.part->unknowns();
  system.nonzeros = file.matrix.nonzeros;
  system.order = std::move(file.matrix.order);
  system.b = part_of_right_hand_side(line, system);
  system.backend = open_rank_backend(*system.part, gpu, threads, cuda);
  return system;
}

/// Writes x, in the order of the file.
void write_solution(const std::string& out, const System& system, const std::vector<double>& x) {
  const std::string comment = "solution x of A x = b";
  if (system.part == nullptr) {
    std::vector<double> in_order = x;
    for (std::size_t row = 0; row < system.permutation.size(); ++row) {
      in_order[system.permutation[row]] = x[row];
    }
    write_matrix_market_vector(out, in_order, comment);
    return;
  }
  const auto own = std::span(x).subspan(system.part->own.begin_row, system.part->own.rows());
  // To make text of numbers takes longest, so each rank does its own.
  std::string text;
  const auto make_text = [&](std::span<const double> values, const RankRows& rows) {
    do_together(*ranks(), [&] {
      if (ranks()->rank() == 0) text = matrix_market_vector_head(out, system.unknowns, comment);
      text += matrix_market_vector_text(out, values, rows.begin(ranks()->rank()));
    });
  };
  if (system.order) {
    make_text(system.order->to_stretch(own), system.order->given());
  } else {
    make_text(own, system.part->rows);
  }
  write_together(*ranks(), out, text);
}

template <class T>
SolveResult solve_by(const std::optional<OwnSchedule>& own, Backend& backend,
                     const CsrView<T>& matrix, std::span<const T> b, std::span<T> x,
                     const SolveOptions& options) {
  if (!own) return solve(backend, matrix, b, x, options);
  return solve_by_method(backend, own->method, own->settings, matrix, b, x, options,
                         own->execution);
}

/// Solves in the wanted precision; x comes back in double.
template <class T>
SolveResult solve_in(const std::optional<OwnSchedule>& own, Backend& backend,
                     const CsrMatrix<double>& matrix, const std::vector<double>& b,
                     std::vector<double>& x, const SolveOptions& options) {
  if constexpr (std::is_same_v<T, double>) {
    return solve_by<double>(own, backend, matrix.view(), b, x, options);
  } else {
    const CsrMatrix<T> converted = convert_values<T>(matrix.view());
    const std::vector<T> right(b.begin(), b.end());
    std::vector<T> solution(x.begin(), x.end());
    SolveResult result = solve_by<T>(own, backend, converted.view(), right, solution, options);
    std::ranges::copy(solution, x.begin());
    return result;
  }
}

bool succeeded(const SolveResult& result) {
  return result.outcome == Outcome::converged || (result.outcome == Outcome::iteration_limit &&
                                                  result.rule == StopRule::Kind::fixed_iterations);
}

void print_text(std::ostream& out, const SolveResult& result, const std::string& solver,
                const std::string& path, const System& system, const Layout& layout,
                Precision precision) {
  const auto row = [&out](const char* label, const std::string& value) {
    out << label << std::string(12 - std::string_view(label).size(), ' ') << value << '\n';
  };
  row("matrix", printable_line(path) + ", " + format_count(system.unknowns) + " unknowns, " +
                    format_count(system.nonzeros) + " nonzeros");
  row("solver", solver);
  row("device", system.backend->description());
  row("layout", to_string(layout) + ", " + std::string(to_string(precision)));
  row("outcome", std::string(result.outcome_name()));
  row("iterations", format_count(result.iterations) +
                        (result.iterations > 0
                             ? ", " + format_seconds(result.seconds_per_iteration()) + " each, " +
                                   format_seconds(result.iteration_seconds) + " together"
                             : ""));
  row("||b - Ax||",
      format_number(result.residual_norm) +
          (result.right_hand_side_norm > 0
               ? " = " + format_number(result.residual_norm / result.right_hand_side_norm) +
                     " ||b||"
               : ""));
  if (const double first = result.first_preconditioned_norm.value_or(0); first > 0) {
    row("in M^-1",
        format_number(result.preconditioned_norm.value() / first) + " of the first residual");
  }
  row("conversion", format_seconds(result.conversion_seconds));
}

/// --count: how many iterations solvers take, in place of a solution.
int count_solvers(const CommandLine& line) {
  for (const char* option : {"out", "history", "atol", "iterations", "stop", "launch", "exchange",
                             "layout", "block", "execution", "threads", "renumber"}) {
    if (!line.given(option)) continue;
    throw UsageError("--" + std::string(option) + " does not go with --count");
  }
  const StopRule rule = parse_stop_options(line);
  require_countable_tolerance(rule.tolerance);
  const std::string ours = parse_schedule(line);
  SolversToCount solvers;
  solvers.own = own_schedules(line, true);
  const bool all = takes_all_solvers(line);
  if (solvers.own.empty() || all || !ours.empty())
    solvers.ours = {ours.empty() ? fused_cg().name() : ours};
  const Precision precision = parse_precision("--precision", line.get<std::string>("precision"));
  const GivenMatrix given(line);
  const std::string& path = given.label();
  const MatrixFromFile file = given.whole(0);
  require_square(path, file.matrix);
  if (!is_symmetric(file, 0)) leave_out_symmetric(path, solvers);
  const CountOptions options{{rule.tolerance, rule.max_iterations, line.get<std::string>("rhs"),
                              count_seconds(line), false},
                             line.get<std::string>("device")};
  const std::vector<IterationCount> counts =
      count_iterations(line, options, file.matrix.view(), solvers, std::array{precision});
  warn_of_counts(path, counts);
  if (line.has("json")) {
    JsonArray all_counts;
    for (const IterationCount& each : counts) all_counts.add(to_json(each));
    std::cout << json_head("solve").add("matrix", path).add("counts", all_counts).lines();
  } else {
    std::cout << printable_line(path) << ", " << format_count(file.matrix.rows) << " unknowns, "
              << format_count(file.matrix.nonzeros()) << " nonzeros\n\n";
    print_counts(std::cout, counts);
  }
  const std::string why = why_none_solves(counts, {});
  if (!why.empty()) throw Error(path + ": " + why);
  return 0;
}

CommandLine make_command_line() {
  namespace po = boost::program_options;
  CommandLine line(
      "solve", "MATRIX [options]",
      "Solves A x = b for the matrix of a file, from x = 0: a symmetric positive\n"
      "definite one by conjugate gradients with Jacobi preconditioning, others by a\n"
      "solver that you name (--solver) or have written down (--schedule FILE.json).\n"
      "Under mpirun several processes solve it together. Exit status 1 when it did not\n"
      "converge.",
      "sparsecast solve matrix.mtx.gz --block 4 --rtol 1e-10 --out x.mtx\n"
      "  sparsecast solve matrix.mtx --solver gmres --restart 50\n"
      "  sparsecast solve --generate \"laplacian --size 100\"");
  line.add()("matrix", po::value<std::string>(), matrix_file_help().c_str());
  add_generate_option(line);
  line.add()("precision", po::value<std::string>()->default_value("f64"), "f32 or f64");
  add_layout_option(line);
  line.add()("device", po::value<std::string>()->default_value("cpu"),
             "cpu, cpu:0,cpu:1,... (its threads in groups that act as devices), or GPUs: cuda:0, "
             "cuda:0,cuda:1,... (under mpirun one for each rank of a host), or 32 multiprocessors "
             "of one: cuda:0/32")(
      "schedule", po::value<std::string>(),
      "fused (default: conjugate gradients in three kernels an iteration), algorithm1 (as the "
      "paper "
      "prints it; --atol takes it), or a solver of your own: FILE.json (docs/schedules.md)")(
      "launch", po::value<std::string>(),
      "how a GPU gets its kernels: auto (default), host (which waits for every sum), "
      "plain, graph or "
      "persistent (one GPU)")("exchange", po::value<std::string>(),
                              "how several GPUs exchange vectors: staged (through host memory), "
                              "peer (all values, directly), halo (those that are gathered, "
                              "directly; the default where they reach each other) or, under "
                              "mpirun, nccl or gpu-aware (those that are gathered, by NCCL or "
                              "by MPI that takes memory of GPUs)")(
      "threads", po::value<int>()->default_value(0), "0: all")(
      "rtol", po::value<double>(), "stop when ||b - Ax|| <= rtol ||b|| (default 1e-8)")(
      "stop", po::value<std::string>(),
      "what --rtol is of: residual (default), or preconditioned: stop when r.M^-1 r is rtol^2 "
      "times "
      "what it was at first, M being the diagonal; of FILE.json, which has a test of its own, what "
      "the outcome is held against")("atol", po::value<double>(),
                                     "stop by Algorithm 1's absolute test")(
      "iterations", po::value<WholeNumber>(), "exactly so many, without a test")(
      "max-iterations", po::value<WholeNumber>(), "default: ten times the unknowns")(
      "renumber", po::value<std::string>()->default_value("none"),
      "solve it after a renumbering: none, random, rcm (reverse Cuthill-McKee), hubs (of a graph "
      "first, then clusters), metis (parts for the devices with small halos) or, under mpirun, "
      "ptscotch (such parts for the ranks, none of which has the whole matrix); b and x keep the "
      "order of MATRIX")(
      "out", po::value<std::string>(),
      "write x to this Matrix Market file (array format), - for standard output")(
      "history", po::value<std::string>(),
      "write the residual's norm after each iteration, as the solver knows it, to this CSV file, - "
      "for standard output; iterations then run one by one")(
      "count",
      "how many iterations solvers take, --solver also a list or all, in place of a solution; for "
      "b "
      "and three more right-hand sides that differ by rounding, as another device's sums do")(
      "json", "print an object");
  add_right_hand_side_option(line);
  add_count_seconds(line);
  add_solver_options(line, false);
  add_execution_option(line);
  line.positional("matrix", 1);
  return line;
}

int run(const CommandLine& line) {
  const bool several = ranks() != nullptr;
  if (several) require_options_of_ranks(line);
  if (line.has("count")) return count_solvers(line);
  if (line.given("count-seconds")) {
    throw UsageError("--count-seconds is for --count, which is missing");
  }

  const GivenMatrix given(line);
  const std::string& path = given.label();
  const std::optional<OwnSchedule> own = own_schedule(line);
  if (own) warn_of_library(*own);
  const Precision precision = parse_precision("--precision", line.get<std::string>("precision"));
  SolveOptions options{
      layout_of(line).value_or(Layout{}), parse_stop_options(line), parse_schedule(line), {}};
  const int threads = parse_threads(line);
  // Rank 0 makes the files of all.
  const bool writes = !several || ranks()->rank() == 0;
  CommandFiles files;
  files.reads(line, "matrix");
  if (has_schedule_file(line)) files.reads(line, "schedule");
  if (const std::string rhs = right_hand_side_file(line); !rhs.empty()) files.reads("--rhs", rhs);
  if (writes) {
    files.writes(line, "out");
    files.writes(line, "history");
  }
  files.check(line.has("json"));

  const SolverChoice choice = choice_of(own, options);
  const std::string& solver = choice.name;
  const System system = several ? part_of_system(line, given, choice, options.layout, threads)
                                : whole_system(line, given, choice, threads);
  options.part = system.part.get();
  std::vector<double> x(system.b.size(), 0);
  std::string history = "iteration,residual_norm\n";
  if (line.has("history")) {
    options.record = [&history](std::int64_t iteration, double norm) {
      history += std::to_string(iteration) + ',' + number_text(norm) + '\n';
    };
  }
  const SolveResult result = [&] {
    const Phase phase("solving by " + solver + " in layout " + to_string(options.layout));
    // A signal to mpirun ends all ranks.
    std::optional<InterruptGuard> guard;
    if (!several) guard.emplace();
    Progress progress("solve");
    options.keep_going = [&progress](const SolveProgress& so_far) {
      progress.update(so_far.fraction, "iteration " + format_count(so_far.iterations));
      return !InterruptGuard::interrupted();
    };
    return precision == Precision::f32
               ? solve_in<float>(own, *system.backend, system.matrix, system.b, x, options)
               : solve_in<double>(own, *system.backend, system.matrix, system.b, x, options);
  }();

  if (line.has("history") && writes) write_file(line.get<std::string>("history"), history);
  if (result.residuals_part()) {
    warn(path + ": rounding has parted ||b - Ax|| = " + format_number(result.residual_norm) +
         " from the " + format_number(*result.recurrence_norm) + " of the recurrence of " + solver +
         "; " +
         (precision == Precision::f32 ? "use --precision f64 or a larger tolerance"
          : line.has("iterations")    ? "further iterations gain nothing"
                                      : "use a larger tolerance or another solver"));
  }
  const std::string out = line.get_or("out", "");
  const bool prints_file =
      is_standard_output(out) || is_standard_output(line.get_or("history", ""));
  if (line.has("json")) {
    std::cout << json_head("solve")
                     .add("matrix", path)
                     .add_members(to_json(result, solver, system.backend->description(),
                                          options.layout, precision))
                     .lines();
  } else {
    print_text(prints_file ? std::cerr : std::cout, result, solver, path, system, options.layout,
               precision);
  }
  // What is no solution does not take the place of one.
  bool written = line.has("out") && (succeeded(result) || !std::filesystem::is_regular_file(out));
  if (several) written = ranks()->any(writes && written);
  if (written) write_solution(out, system, x);
  const std::string where = !line.has("out") ? ""
                            : written        ? "; x so far is in " + out
                                             : "; " + out + " is left as it was";
  if (InterruptGuard::interrupted()) {
    throw Interrupted(path + ": interrupted after " + format_count(result.iterations) +
                      " iterations, not converged" + where);
  }
  if (!succeeded(result)) throw Error(path + ": " + result.brief() + where);
  return 0;
}

}  // namespace

extern const Command solve_command;
const Command solve_command{"solve", "solve A x = b by a Krylov solver, with timings",
                            make_command_line, run, true};

}  // namespace sparsecast::cli
