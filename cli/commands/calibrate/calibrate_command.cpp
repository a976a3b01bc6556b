#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/commands/calibrate/measured_options.hpp"
#include "cli/commands/calibrate/programs.hpp"
#include "cli/ranks.hpp"
#include "cli/reports/table_options.hpp"

namespace sparsecast::cli {

namespace {

namespace po = boost::program_options;

/// Something that calibrate can be asked to do, and the options that mean something with it.
struct Mode {
  std::vector<std::string> asked;  ///< the options that together ask for it; none: to measure
  std::vector<std::string> others;

  bool is_asked(const CommandLine& line) const {
    return std::ranges::all_of(asked, [&line](const auto& option) { return line.has(option); });
  }
  bool knows(const std::string& option) const {
    return std::ranges::count(asked, option) + std::ranges::count(others, option) > 0;
  }
  /// "--like and --device".
  std::string name() const {
    std::string text;
    for (const std::string& option : asked) text += (text.empty() ? "--" : " and --") + option;
    return text;
  }
};

const std::vector<Mode>& modes() {
  static const std::vector<Mode> all{
      {{},
       {"device", "threads", "out", "precision", "quick", "seed", "layout", "launch", "resume",
        "force", "plot", "html", "wide", "markdown"}},
      {{"refit"}, {"out", "precision", "force", "plot", "html", "wide", "markdown"}},
      {{"leave-families-out"}, {"wide", "markdown"}},
      {{"check"}, {"device", "threads", "precision"}},
      {{"compare"}, {}},
      {{"estimate"}, {"out", "force", "sms", "threads-per-sm", "bandwidth", "memory"}},
      {{"like"}, {"out", "force", "gpu", "sms", "clock", "bandwidth", "l2", "memory", "link"}},
      {{"like", "device"}, {"out", "seed", "resume", "force"}},
      {{"like", "refit"}, {"out", "force"}},
      {{"links"}, {"device", "adapters", "out", "force", "wide", "markdown"}},
      {{"links", "refit"}, {"adapters", "out", "force", "wide", "markdown"}}};
  return all;
}

/// Only one mode may be asked for, and only with options that mean something there.
void refuse_combinations(const CommandLine& line) {
  const Mode* chosen = &modes().front();
  for (const Mode& mode : modes()) {
    if (mode.asked.size() > chosen->asked.size() && mode.is_asked(line)) chosen = &mode;
  }
  for (const Mode& mode : modes()) {
    if (mode.asked.size() != 1 || !mode.is_asked(line) || chosen->knows(mode.asked.front())) {
      continue;
    }
    throw UsageError(chosen->name() + " and " + mode.name() + " exclude each other");
  }
  for (const Mode& mode : modes()) {
    for (const std::string& option : mode.others) {
      if (!line.has(option) || chosen->knows(option)) continue;
      throw UsageError(
          "--" + option + " means nothing " +
          (chosen->asked.empty() ? "without " + mode.name() : "with " + chosen->name()));
    }
  }
  const std::string name = chosen->name();
  if (line.has("full") && (name == "--check" || name == "--estimate" || name == "--like" ||
                           name == "--leave-families-out" || name.starts_with("--links"))) {
    throw UsageError("--full means nothing with " + name);
  }
  table_style(line);  // refuses what means nothing together
  for (const char* option : {"wide", "markdown"}) {
    if (line.has(option) && line.has("full")) {
      throw UsageError("--" + std::string(option) + ": --full prints no tables; leave one out");
    }
  }
  if (line.has("resume") && line.has("force")) {
    throw UsageError("--resume goes on with what --force discards; choose one");
  }
}

CommandLine make_command_line() {
  CommandLine line(
      "calibrate", "[--quick] [--out NAME.json] [options]",
      "Measures this machine and writes its profile: a JSON file with the throughput curves of "
      "all\n"
      "kernels, and beside it NAME.samples.csv with the raw samples. Takes about three minutes "
      "(a CPU\n"
      "that is not left alone up to six; a GPU half of that), with --quick half a minute; the\n"
      "machine should have "
      "nothing else to do. On a GPU (--device "
      "cuda:0)\n"
      "the steps of all schedules and whole iterations in all launch modes are measured; with "
      "several\nGPUs (--device cuda:0,cuda:1) only what they cost each other, in half a minute. "
      "Kernels\n"
      "are measured hot (the same buffers again), as a solver runs them. While it measures, "
      "samples "
      "are\nkept in NAME.partial.samples.csv every ten seconds: whatever ends it, --resume goes on "
      "from there.\nProfile and samples are written together at the end; a profile that is there "
      "is not overwritten\nwithout --force.",
      "sparsecast calibrate --quick --out mine.json --plot mine.svg");
  line.add()(
      "device", po::value<std::string>(),
      "what to measure: cpu (default), cuda:0, or 32 multiprocessors of it: cuda:0/32; several "
      "GPUs, as cuda:0,cuda:1, add their links to the profile of one")(
      "threads", po::value<int>(), "threads of the CPU; default 0: all")(
      "out", po::value<std::string>(), "the profile; default: named after the device")(
      "precision", po::value<std::string>(), "only f32 or only f64")(
      "quick", "fewer samples: half a minute")(
      "seed", po::value<std::uint64_t>(),
      "of the random sizes and matrices (default 1): a run with another seed measures others, and "
      "refitted together (--refit, twice) they make a better profile")(
      "layout", po::value<std::string>(),
      "measure only what is in these layouts, as sell32,dia, and write samples alone, to fit "
      "together with those of a whole calibration (--refit, twice)")(
      "launch", po::value<std::string>(),
      "the same of a GPU's launch modes, as persistent: host, plain, graph, persistent")(
      "resume", "go on where an interrupted calibration of the same name stopped")(
      "force", "overwrite a profile that is there, and discard an unfinished calibration")(
      "refit", po::value<std::vector<std::string>>(),
      "fit this samples file, plain or .gz, again; measures nothing. Several of one device, as "
      "--refit "
      "a.samples.csv --refit b.samples.csv, are one, with the fastest of each sample (needs "
      "--out, and writes its samples file too)")(
      "leave-families-out", po::value<std::string>(),
      "fit this samples file without each family of generated matrices in turn, and print how well "
      "the family is forecast: a fit for each, some minutes; measures and writes nothing")(
      "check", po::value<std::string>(),
      "measure ten seconds: does the device still behave as this profile says? exit status 0 or 1")(
      "compare", po::value<std::vector<std::string>>()->multitoken(),
      "two profiles of one device: are their parameters the same, but for what they state as their "
      "uncertainty? exit status 0 or 1; measures nothing")(
      "plot", po::value<std::string>(),
      "draw samples and curves (.svg, .png, .pdf), in f64 unless --precision f32")(
      "html", po::value<std::string>(),
      "write fitted beside measured times, residuals and parameters as a page for a browser into "
      "this file")("full", "print every fit with its uncertainties")("json",
                                                                     "print the fits as JSON")(
      "like", po::value<std::string>(),
      "profile of a GPU from this one of a relative. Of one that nobody has measured, by the data "
      "sheets of both: --like nvidia-h200 --gpu h100-pcie --out guess.json, measures nothing. Of "
      "a part of its multiprocessors: --like nvidia-h200 --sms 32 --out part.json. Of one "
      "that is here, twenty seconds for its device constants: --like nvidia-h200 --device cuda:0, "
      "or of such samples again: --like nvidia-h200 --refit NAME.samples.csv")(
      "gpu", po::value<std::string>(),
      "which GPU, of those whose data sheets are here (sparsecast devices --sheets); without it "
      "--sms alone, or all of --sms, --clock, --bandwidth, --l2 and --memory, with it what is to "
      "be another number")("clock", po::value<double>(), "its highest clock, MHz")(
      "l2", po::value<double>(), "its L2 cache, MB")(
      "link", po::value<double>(),
      "its link to another GPU in one direction, GB/s; without --gpu default none: one device")(
      "estimate",
      "profile of a GPU without a relative, for the paper's model, from --sms, --threads-per-sm, "
      "--bandwidth and --memory; needs --out")("sms", po::value<int>(), "its multiprocessors")(
      "threads-per-sm", po::value<int>(), "most threads of each")(
      "bandwidth", po::value<double>(), "its memory bandwidth, GB/s")("memory", po::value<double>(),
                                                                      "its memory, GB")(
      "links",
      "measure what ranks cost each other, in half a minute, and write the network (--out "
      "NAME.network.json) and its samples (NAME.links.csv.gz): mpirun -n 4 sparsecast calibrate "
      "--links --out mine.network.json. With GPUs, one a rank, name them by --device. Samples "
      "again, without mpirun: --links --refit NAME.links.csv.gz")(
      "adapters", po::value<int>(),
      "of --links: how many network adapters the ranks of a host share; default 1");
  add_table_styles(line);
  return line;
}

int run(const CommandLine& line) {
  refuse_combinations(line);
  if (line.has("links")) return line.has("refit") ? refit_network(line) : measure_network(line);
  if (ranks() != nullptr) {
    throw UsageError(
        "without --links this command is for one process; start it without mpirun, or give it");
  }
  if (line.has("like") && line.has("device")) require_one_gpu(line);
  if (gpus_of(line).size() > 1) return measure_links(line);
  if (line.has("refit")) return refit(line);
  if (line.has("leave-families-out")) return leave_families_out(line);
  if (line.has("check")) return check_device(line);
  if (line.has("compare")) return compare_calibrations(line);
  if (line.has("estimate")) return estimate_device(line);
  if (line.has("like") && !line.has("device")) return estimate_relative(line);
  return measure_device(line);
}

}  // namespace

extern const Command calibrate_command{"calibrate",
                                       "measure this machine's kernels and write its profile",
                                       make_command_line, run, true};

}  // namespace sparsecast::cli
