#include <initializer_list>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/command_files.hpp"
#include "cli/commands/validate/measured_validation.hpp"
#include "cli/commands/validate/raw_data.hpp"
#include "cli/commands/validate/validation_options.hpp"
#include "cli/commands/validate/validation_page.hpp"
#include "cli/counting/iteration_counts.hpp"
#include "cli/counting/right_hand_side.hpp"
#include "cli/exports/export_options.hpp"
#include "cli/interrupt.hpp"
#include "cli/layout_options.hpp"
#include "cli/matrix_files.hpp"
#include "cli/own_schedule.hpp"
#include "cli/plots/forecast_scatter.hpp"
#include "cli/plots/validation_plot.hpp"
#include "cli/ranks.hpp"
#include "cli/reports/json_output.hpp"
#include "cli/reports/table_options.hpp"
#include "cli/reports/validation_report.hpp"
#include "core/base/files/file_output.hpp"
#include "core/matrix/files/file_kind.hpp"
#include "predict/validation/summary/validation_json.hpp"

namespace sparsecast::cli {

namespace {

CommandLine make_command_line() {
  namespace po = boost::program_options;
  CommandLine line(
      "validate", "(MATRIX... [--generated] --profile P | --from FILE.csv [--profile P]) [options]",
      "Runs solvers and products on the CPU, or on a GPU of this machine (--device cuda:0), and\n"
      "sets the measured time of an iteration beside the one that a profile predicts. Matrices\n"
      "that CG cannot solve keep their pattern and get other values; complex and non-square ones\n"
      "are skipped. Unless told which layouts, it runs all block sizes and other formats where\n"
      "they may pay, on a GPU those worth a thought. With --csv raw data is kept every ten\n"
      "seconds: whatever ends the run, --resume goes on from there. With --from nothing runs: raw\n"
      "data is analysed, and priced again where a profile is given. With --rtol it counts\n"
      "iterations first, and then solves: times to solution, forecast and measured. Under mpirun\n"
      "processes with a GPU each, or CPU cores, run the solvers together.",
      "sparsecast validate matrices/ --profile cpu.json --csv raw.csv --plot figure10.svg");
  line.add()("matrix", po::value<std::vector<std::string>>(),
             ("matrix files, or folders of them; a " + matrix_file_help()).c_str())(
      "generated",
      "also some 180 generated matrices that calibration does not use; for several GPUs more "
      "large ones")("largest", po::value<double>(),
                    "leave out generated matrices of more nonzeros; default 5e8")(
      "seed", po::value<std::uint64_t>(),
      "other generated matrices of the same kinds, as 2; default 1")(
      "families", po::value<std::string>(),
      "of generated matrices: related to what calibration measures (default), or unrelated, some "
      "110 that share no generator with it")("profile,p", po::value<std::string>(),
                                             "profile: a .json file or a shipped name")(
      "model", po::value<std::string>(),
      ("model that prices: " + one_of_models() + "; default the best that the profile has")
          .c_str())(
      "from", po::value<std::vector<std::string>>(),
      "raw data of an earlier run, plain or .gz: analyse it, run nothing; several runs on one kind "
      "of device, as "
      "--from a.csv --from b.csv, are one, with the fastest of each case (needs --profile)")(
      "regression", po::value<std::string>(),
      "samples of the calibration, as NAME.samples.csv or .gz: also train a plain regression on "
      "them, "
      "as a baseline (needs --profile)")(
      "device", po::value<std::string>(),
      "run on: cpu (default), cuda:0, ..., or 32 multiprocessors "
      "of one: cuda:0/32; under mpirun cuda:0,cuda:1,..., one for each rank of a host")(
      "devices,d", po::value<std::string>(),
      "numbers of devices, as 1,2; default 1; a CPU is cut into that many groups of threads")(
      "precision", po::value<std::string>(), "f32, f64 or f32,f64; default all of the profile")(
      "schedule", po::value<std::string>(),
      "what runs, as algorithm1,fused,vendor,spmv,mine.json (docs/schedules.md), or all of ours; "
      "default all of ours that the device has; with --from: the files of your own that it "
      "has (--solver names the others)")(
      "exchange", po::value<std::string>(),
      "of several GPUs: halo (default), peer or staged; of ranks "
      "with --network: nccl, staged or gpu-aware")(
      "network", po::value<std::string>(),
      "under mpirun, and of raw data that ranks measured: what joins them, a .network.json file "
      "(calibrate --links measures one) or a shipped name; needed on CPUs")(
      "launch", po::value<std::string>(),
      "on a GPU: host,plain,graph,persistent, or all; default graph,persistent")(
      "renumber", po::value<std::string>(),
      "orders of the unknowns of files, as none,random,rcm,metis, or all; default none; metis for "
      "each number of several --devices")(
      "curve", po::value<std::string>(),
      "average: what to expect (default); maximum: the best case")(
      "seconds-per-case", po::value<double>(),
      "longest measurement of one case; default 0.5, on a GPU 0.01, with --rtol 1")(
      "csv", po::value<std::string>(),
      "write the raw data to this file (gzip if its name ends in .gz); -: to standard output, and "
      "the report to standard error")("resume",
                                      "go on with the cases that the --csv file does not hold yet")(
      "force", "overwrite a --csv file that is there")(
      "plot", po::value<std::string>(), "draw Figure 10 into this file: .svg, .png or .pdf")(
      "scatter", po::value<std::string>(),
      "draw predicted against measured time, by working set, into this file")(
      "html", po::value<std::string>(),
      "write forecast and measured times and errors as a page for a browser into this file")(
      "json", "print an object with rows and summaries");
  add_table_styles(line);
  add_export_options(line);
  add_layouts_option(line);
  add_solver_options(line, true);
  add_count_options(line,
                    "times to solution: count iterations to ||b - Ax|| <= rtol ||b||, then solve, "
                    "and set the whole time beside its forecast");
  line.positional("matrix", -1);
  return line;
}

/// Throws `UsageError` for options that mean nothing together.
void refuse_combinations(const CommandLine& line) {
  const bool from = line.has("from");
  if (from && (line.has("matrix") || line.has("generated"))) {
    throw UsageError("--from reads what was measured: no matrix and no --generated with it");
  }
  const auto refuse = [&](std::initializer_list<const char*> options, const std::string& why) {
    for (const char* option : options) {
      if (line.has(option)) throw UsageError("--" + std::string(option) + ": " + why);
    }
  };
  if (from) {
    refuse({"largest", "seed", "families", "device", "devices", "precision", "layout", "block",
            "exchange", "launch", "renumber", "seconds-per-case", "resume", "rtol"},
           "of a measurement; --from runs nothing");
    if (!line.has("profile")) {
      refuse({"model", "curve", "regression", "network"},
             "prices raw data again; give the --profile to do it with");
    }
  } else {
    if (!line.has("generated")) {
      refuse({"largest", "seed", "families"}, "of generated matrices; give --generated");
    }
    if (!line.has("matrix")) refuse({"renumber"}, "of matrix files; name some");
    if (ranks() == nullptr) refuse({"network"}, "joins ranks; run this under mpirun");
  }
  if (line.has("renumber") && !right_hand_side_file(line).empty()) {
    throw UsageError("--rhs FILE is in the order of its matrix; leave out --renumber");
  }
  if (!line.has("csv")) refuse({"resume", "force"}, "of the file that --csv names; give it");
  if (!line.has("resume")) return;
  if (line.has("force"))
    throw UsageError("--resume goes on with what --force overwrites; choose one");
  if (is_standard_output(line.get<std::string>("csv"))) {
    throw UsageError("--resume: there is nothing in --csv -; name a file");
  }
}

/// What --ginkgo and --extra-p hold: what was measured, and what the profile forecasts of it.
std::vector<TimedCase> timed_cases(const ValidationData& data) {
  std::vector<TimedCase> cases;
  const auto profile = data.about.find("profile");
  const auto device = data.about.find("run on");
  for (const ValidationRow& row : data.rows) {
    TimedCase timed;
    timed.matrix = row.matrix;
    if (row.renumbering != "none") timed.order = row.renumbering;
    if (device != data.about.end()) timed.system = device->second;
    timed.on_gpu = !row.launch.empty();  // a CPU has no launch modes
    timed.rows = static_cast<double>(row.unknowns);
    timed.nonzeros = static_cast<double>(row.nonzeros);
    if (row.schedule != product_alone) timed.solver = row.schedule;
    timed.layout = row.layout;
    timed.launch = row.launch;
    timed.devices = row.devices;
    timed.precision = row.precision;
    timed.seconds = row.measured_seconds;
    timed.repetitions = row.rounds;
    if (row.solution) {
      timed.all = {row.solution->iterations, row.solution->measured.iterations};
    }
    cases.push_back(timed);
    if (!(row.predicted_seconds > 0) || profile == data.about.end()) continue;
    timed.forecast_by = profile->second;
    timed.seconds = row.predicted_seconds;
    timed.repetitions = 0;
    timed.all.reset();
    if (row.solution && row.solution->predicted) {
      timed.all = {row.solution->count.iterations, row.solution->predicted->iterations};
    }
    cases.push_back(timed);
  }
  return cases;
}

int run_validate(const CommandLine& line) {
  const TableStyle style = table_style(line);
  refuse_combinations(line);
  count_options(line);  // refuses those of --rtol without it
  if (ranks() != nullptr) {
    require_options_of_ranks(line);
    if (ranks()->rank() != 0) {
      serve_validation(line);
      return 0;
    }
  }
  CommandFiles files;
  std::vector<MatrixFile> matrices;
  if (line.has("from")) {
    refuse_repeated_files("--from", line.get<std::vector<std::string>>("from"));
    files.reads(line, "from");
  } else if (line.has("matrix") || !line.has("generated")) {
    matrices = find_matrix_files(line.get<std::vector<std::string>>("matrix"));
    for (const MatrixFile& matrix : matrices) files.reads("MATRIX", matrix.path.string());
  }
  files.reads(line, "profile");
  files.reads(line, "regression");
  if (const std::string rhs = right_hand_side_file(line); !rhs.empty()) files.reads("--rhs", rhs);
  files.writes(line, "csv");
  name_exports(line, files);
  for (const char* drawing : {"plot", "scatter"}) files.draws(line, drawing);
  files.writes(line, "html");
  files.check(line.has("json"));
  refuse_to_overwrite(line);

  ValidationData data;
  bool complete = true;
  if (line.has("from")) {
    data = read_runs(line);
    add_regression(data, line);
    write_raw_data(data, line);
  } else {
    complete = measure_validation(line, matrices, data);
    add_regression(data, line);
    if (line.has("regression") && !data.rows.empty()) write_raw_data(data, line);
  }
  if (data.rows.empty()) {
    if (!complete) throw Interrupted(interrupted_text(line, 0));
    throw Error("nothing was measured");
  }

  if (exports(line)) write_exports(line, timed_cases(data));
  const ValidationSummary summary = summarize_validation(data.rows);
  if (line.has("json")) {
    std::cout << json_head("validate").add_members(to_json(data, summary)).lines();
  } else {
    const bool prints_file = prints_export(line) || is_standard_output(line.get_or("csv", "")) ||
                             is_standard_output(line.get_or("html", ""));
    print_validation(data, summary, style, prints_file ? std::cerr : std::cout);
  }
  if (line.has("plot")) draw_validation(line.get<std::string>("plot"), data);
  if (line.has("scatter")) draw_forecasts(line.get<std::string>("scatter"), data);
  if (line.has("html")) {
    write_file(line.get<std::string>("html"), validation_page(data, summary, line.words()));
  }
  if (!complete) throw Interrupted(interrupted_text(line, data.rows.size()));
  return 0;
}

}  // namespace

extern const Command validate_command{"validate", "measured beside predicted on real matrices",
                                      make_command_line, run_validate, true};

}  // namespace sparsecast::cli
