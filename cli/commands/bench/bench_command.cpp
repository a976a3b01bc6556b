#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/command_files.hpp"
#include "cli/commands/bench/bench_layouts.hpp"
#include "cli/commands/bench/bench_mappings.hpp"
#include "cli/commands/bench/bench_options.hpp"
#include "cli/commands/bench/blocks/bench_blocks.hpp"
#include "cli/commands/bench/formats/bench_formats.hpp"
#include "cli/commands/bench/fusion/bench_fusion.hpp"
#include "cli/commands/bench/option_refusals.hpp"
#include "cli/exports/export_options.hpp"
#include "cli/layout_options.hpp"
#include "cli/own_schedule.hpp"
#include "cli/rank_system.hpp"
#include "cli/ranks.hpp"
#include "cli/reports/table_options.hpp"
#include "core/base/error.hpp"
#include "core/cpu/instruction_sets.hpp"
#include "core/matrix/files/file_kind.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "core/schedule/persistent/persistent_plan.hpp"

namespace sparsecast::cli {
namespace {

constexpr const char* all_of_bench = "spmv, cg, formats, blocks or fusion";

/// What benchmarks of papers do without: they have matrices of their own.
constexpr const char* not_of_papers[] = {"matrix",  "schedule", "launch", "mappings",
                                         "figure2", "figure9",  "ginkgo", "extra-p"};

/// --instructions, before anything is prepared on the CPU. Throws `UsageError` for what there is
/// not.
void limit_instructions(const CommandLine& line) {
  if (!line.has("instructions")) return;
  try {
    limit_instruction_sets(line.get<std::string>("instructions"));
  } catch (const Error& error) {
    throw UsageError("--instructions: " + std::string(error.what()));
  }
}

/// What benchmarks of papers do: they have options and files in common.
template <class Options>
int run_with(const CommandLine& line, const std::string& what,
             Options (*options_of)(const CommandLine&), int (*bench)(const Options&)) {
  refuse(line, not_of_papers, "with " + what + ", which has matrices of its own");
  if (line.has("from")) {
    refuse(line,
           {"set", "device", "precision", "threads", "layout", "block", "scale", "folder", "x",
            "renumber", "dot", "instructions", "size", "basis"},
           "with --from, whose file says what was measured");
  }
  const Options options = options_of(line);
  CommandFiles files;
  files.reads(line, "from");
  files.writes(line, "csv");
  files.draws(line, "chart");
  files.check(options.json);
  limit_instructions(line);
  return bench(options);
}

struct PaperCommand {
  std::string_view what;
  int (*run)(const CommandLine& line);
};
constexpr PaperCommand of_papers[] = {
    {"formats",
     [](const CommandLine& line) {
       return run_with(line, "formats", formats_options, bench_formats);
     }},
    {"blocks",
     [](const CommandLine& line) {
       return run_with(line, "blocks", blocks_options, bench_blocks);
     }},
    {"fusion", [](const CommandLine& line) {
       return run_with(line, "fusion", fusion_options, bench_fusion);
     }}};

/// Throws `UsageError` for what ranks of mpirun do not measure together.
void require_what_runs_on_ranks(const CommandLine& line, const std::string& what) {
  if (what != "cg") {
    throw UsageError("bench " + what + " is for one process; leave out mpirun, or measure cg");
  }
  require_device_of_ranks(line.get_or("device", "cpu"));
}

/// An option that does nothing is an error.
void require_options_that_apply(const CommandLine& line, const std::string& what,
                                const std::string& device, bool mappings) {
  if (what == "spmv") refuse(line, {"schedule", "launch"}, "with spmv");
  if (what == "cg") {
    refuse(line, {"mappings", "figure2", "figure9", "from"},
           "with cg: the paper's mappings are of spmv");
  }
  if (line.has("from")) {
    refuse(line, {"ginkgo", "extra-p"}, "with --from, whose file is of mappings");
    refuse(
        line,
        {"matrix", "mappings", "device", "precision", "threads", "layout", "block", "instructions"},
        "with --from, whose file says what was measured");
    return;
  }
  if (mappings) {
    refuse(line, {"layout", "block"}, "with --mappings, which have their own");
    refuse(line, {"ginkgo", "extra-p"}, "with --mappings");
  }
  if (is_gpu(device)) {
    refuse(line, {"threads", "instructions"}, "on a GPU");
    if (ranks() == nullptr) benched_gpu(device);
    return;
  }
  refuse(line, {"launch"}, "on the CPU");
  if (mappings) {
    throw UsageError("--device " + device +
                     ": the paper's mappings are kernels of a GPU; expected one, as in cuda:0");
  }
}

/// Of conjugate gradients: what cannot run anywhere, or not on this device.
void require_schedule_that_runs(const BenchOptions& options) {
  const bool other_than_csr =
      std::ranges::any_of(options.layouts, [](const Layout& layout) { return layout != Layout{}; });
  const bool vendor = is_vendor(options.schedule);
  if (vendor && other_than_csr) {
    throw UsageError("--schedule " + options.schedule +
                     ": NVIDIA's libraries multiply csr only; expected --layout csr");
  }
  if (vendor && !is_gpu(options.device)) {
    throw UsageError("--schedule " + options.schedule +
                     ": NVIDIA's libraries need a GPU; add --device cuda:0");
  }
  if (options.launch_mode == LaunchMode::persistent) {
    const Solver& solver = options.own ? options.own->priced() : built_in(options.schedule);
    const std::string why = why_not_persistent(solver.schedule);
    if (!why.empty()) {
      throw UsageError("--launch persistent: there is none for --schedule " + solver.name() + ": " +
                       why);
    }
  }
}

CommandLine make_command_line() {
  namespace po = boost::program_options;
  CommandLine line(
      "bench", "spmv|cg|formats|blocks|fusion [MATRIX...] [options]",
      "Measures the sparse matrix-vector product (spmv) or an iteration of Jacobi-\n"
      "preconditioned conjugate gradients (cg) on this machine for matrix\n"
      "files or, without any, a small generated set, in every layout that fits them unless\n"
      "told which. GB/s counts what each\n"
      "step reads and writes, the matrix as the kernel stores it; raw GFlop/s counts all\n"
      "stored elements, effective nonzeros only; runs follow each other over the same\n"
      "memory, of which the last-level cache holds all (hot), part (mixed) or little (cold).\n"
      "A persistent kernel stores no blocks but those of 3 x 3, whatever the layout, and\n"
      "reads what it can from shared memory.\n"
      "Under mpirun several processes run cg together.\n"
      "On a GPU, spmv --mappings measures the paper's own mappings and optimisations\n"
      "beside ours in the formats that may pay (under two minutes), and draws its Figures\n"
      "2 and 9.\n"
      "formats measures the storage formats of Bell and Garland (2008) and ours on their\n"
      "structured and unstructured matrices, and says which of their statements hold.\n"
      "blocks does so of the Concurrent Number Cruncher (Buatois, Caumon and Levy, 2009):\n"
      "blocks, strips and Jacobi-CG on stand-ins for its meshes.\n"
      "fusion does so of pipelined solvers (Rupp, Weinbub, Juengel and Grasser, 2016):\n"
      "iterations of textbook, pipelined and our conjugate gradients on grids by unknowns and\n"
      "launch mode, Gram-Schmidt steps by the basis, and what the recurrence costs in\n"
      "iterations, as in bench fusion --device cuda:0 --csv fusion.csv.",
      "sparsecast bench spmv --device cuda:0 --precision f32 --figure2 mappings.svg");
  line.add()("what", po::value<std::string>(), all_of_bench)(
      "matrix", po::value<std::vector<std::string>>(),
      ("matrix files, or folders of them; a " + matrix_file_help()).c_str())(
      "precision", po::value<std::string>(),
      "f32 or f64 (default); formats: both unless told; blocks: f32 unless told, or both; fusion: "
      "f64 unless told, or both")(
      "device", po::value<std::string>(),
      "cpu (default), a GPU: cuda:0, or 32 of its multiprocessors: cuda:0/32; formats, blocks "
      "and fusion: or a list; cg under mpirun: or cuda:0,cuda:1,..., one for each rank of a "
      "host")(
      "schedule", po::value<std::string>(),
      "cg: fused (default), algorithm1 as printed, vendor (cuSPARSE and cuBLAS on a GPU), or a "
      "solver of your own: FILE.json")(
      "launch", po::value<std::string>(),
      "cg on a GPU: auto (default), host, plain, graph or persistent")(
      "threads", po::value<int>(), "of the CPU; 0: all (default)")(
      "instructions", po::value<std::string>(),
      "spmv and blocks on the CPU: no more than baseline (x86-64), avx2 or avx512; default: all "
      "that "
      "it has")(
      "scale", po::value<std::string>(),
      "formats: rows of the structured set over the paper's 10^6; blocks: vertices over the "
      "meshes'; a list 1,27")("json", "print an object with the measurements")(
      "mappings", "spmv on a GPU: the paper's mappings, storages and Bx")(
      "csv", po::value<std::string>(),
      "write what was measured to this CSV file, a line each (gzip if its name ends in .gz); -: to "
      "standard output, and tables to standard error; that of --mappings, formats, blocks and "
      "fusion holds what --from reads")(
      "chart", po::value<std::string>(),
      "formats and blocks: draw GFlop/s by matrix; fusion: gains (.svg, .png, .pdf)")(
      "figure2", po::value<std::string>(), "draw --mappings: raw performance (.svg, .png, .pdf)")(
      "figure9", po::value<std::string>(), "draw --mappings: block sizes, best Bx, ours by format")(
      "from", po::value<std::vector<std::string>>(), "instead of measuring: a file of --csv");
  add_table_styles(line);
  add_export_options(line);
  add_layouts_option(line);
  line.add()("set", po::value<std::vector<std::string>>()->composing(),
             "cg: a parameter of --schedule FILE.json, as m=30; again for another; formats: "
             "structured, unstructured or both (default)");
  add_formats_options(line);
  add_blocks_options(line);
  add_fusion_options(line);
  line.positional("what", 1);
  line.positional("matrix", -1);
  return line;
}

int run(const CommandLine& line) {
  if (!line.has("what")) throw UsageError(std::string("name what to measure: ") + all_of_bench);
  const std::string& what = line.get<std::string>("what");
  const auto found = std::ranges::find_if(
      benchmarks(), [&](const Benchmark& benchmark) { return what == benchmark.name; });
  const auto of_paper = std::ranges::find(of_papers, what, &PaperCommand::what);
  const bool is_of_paper = of_paper != std::end(of_papers);
  if (!is_of_paper && found == benchmarks().end()) {
    throw UsageError("nothing to measure called '" + what + "'; expected " + all_of_bench);
  }
  refuse_options_of_others(line, what);
  if (ranks() != nullptr) require_what_runs_on_ranks(line, what);
  if (is_of_paper) return of_paper->run(line);

  BenchOptions options;
  if (line.has("from")) options.from = line.get<std::vector<std::string>>("from");
  options.device = line.get_or("device", "cpu");
  options.schedule = line.get_or("schedule", fused_cg().name());
  options.csv = line.get_or("csv", "");
  options.figure2 = line.get_or("figure2", "");
  options.figure9 = line.get_or("figure9", "");
  options.json = line.has("json");
  options.style = table_style(line);
  const bool mappings =
      line.has("mappings") || line.has("figure2") || line.has("figure9") || line.has("from");
  require_options_that_apply(line, what, options.device, mappings);
  options.precision = parse_precision("--precision", line.get_or("precision", "f64"));
  options.threads = parse_threads(line);
  options.layouts = layouts_of(line);
  if (const std::optional<OwnSchedule> own = own_schedule(line)) {
    warn_of_library(*own);
    options.own.emplace(own->method, own->settings);
  }
  try {
    if (!options.own) built_in(options.schedule);
    options.launch_mode = parse_launch_mode(line.get_or("launch", "auto"));
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
  require_schedule_that_runs(options);
  refuse_repeated_files("--from", options.from);

  if (line.has("matrix")) {
    options.files = find_matrix_files(line.get<std::vector<std::string>>("matrix"));
  }
  CommandFiles files;
  for (const MatrixFile& matrix : options.files) files.reads("MATRIX", matrix.path.string());
  files.reads(line, "from");
  if (options.own) files.reads(line, "schedule");
  if (ranks() == nullptr || ranks()->rank() == 0) {  // which writes for all
    files.writes(line, "csv");
    name_exports(line, files);
    for (const char* drawing : {"figure2", "figure9"}) files.draws(line, drawing);
  }
  files.check(options.json);

  limit_instructions(line);
  if (mappings) return bench_mappings(options);
  const auto run_it = options.precision == Precision::f32 ? found->run_f32 : found->run_f64;
  return run_it(line, options);
}

}  // namespace

extern const Command bench_command;
const Command bench_command{"bench", "measure kernels on this machine", make_command_line, run,
                            true};

}  // namespace sparsecast::cli
