#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/command_files.hpp"
#include "cli/commands/report/map_section.hpp"
#include "cli/commands/report/matrix_forecast.hpp"
#include "cli/commands/report/matrix_section.hpp"
#include "cli/commands/report/provenance_section.hpp"
#include "cli/counting/iteration_counts.hpp"
#include "cli/forecast_options.hpp"
#include "cli/html/page.hpp"
#include "cli/layout_options.hpp"
#include "cli/own_schedule.hpp"
#include "cli/reports/verbosity.hpp"
#include "core/base/files/file_output.hpp"
#include "core/matrix/files/file_kind.hpp"
#include "predict/marked_name.hpp"
#include "predict/profile_limits.hpp"

namespace sparsecast::cli {

namespace {

CommandLine make_command_line() {
  namespace po = boost::program_options;
  CommandLine line(
      "report", "MATRIX... --profile P [--profile Q ...] --out FILE.html [options]",
      "Writes one page for a colleague or a proposal, which a browser opens without a network: "
      "the\n"
      "matrix and its pattern, forecasts by layout, device and number of devices with their\n"
      "intervals, where the time goes, which device to use and why, a map of all sizes with the\n"
      "matrix on it, and how all this was made. What it says is what predict, advise and map say.\n"
      "Several matrices are also set beside each other. With --rtol, times to solution.",
      "sparsecast report box.mtx --profile nvidia-h200 --profile nvidia-h100 --out report.html\n"
      "  sparsecast report box.mtx --profile nvidia-h200 --solver all --rtol 1e-8 --out "
      "report.html\n"
      "  sparsecast report box.mtx --profile nvidia-h200 --network ndr400 --max-devices 256 --out "
      "report.html");
  line.add()("matrix", po::value<std::vector<std::string>>(),
             (matrix_file_help() + "; or features files (inspect --features)").c_str())(
      "profile,p", po::value<std::vector<std::string>>()->composing(),
      "profile: a .json file or a shipped name (gtx280); may be given several times")(
      "out,o", po::value<std::string>(), "the page to write; - is standard output")(
      "max-devices", po::value<int>(),
      "most devices to consider; default as many as a profile's machine has, 8 if unknown, 1024 "
      "with --network")("precision", po::value<std::string>(),
                        "f32 or f64; default f64 if all profiles have it");
  add_layouts_option(line);
  add_network_options(line);
  add_solver_options(line, true);
  add_count_options(line,
                    "forecast times to solution: count here how many iterations each solver takes "
                    "until ||b - Ax|| <= rtol ||b||, from x = 0. Without --solver all that fit");
  line.positional("matrix", -1);
  return line;
}

/// A page under another name would not open as one.
void check_page_name(const std::string& out) {
  const std::string ending = std::filesystem::path(out).extension().string();
  if (is_standard_output(out) || ending == ".html" || ending == ".htm") return;
  throw UsageError("--out " + out + ": the report is a page; expected a name that ends with .html");
}

ReportRequest make_request(const CommandLine& line) {
  ReportRequest request;
  if (line.has("max-devices")) {
    request.max_devices = line.get<int>("max-devices");
    require_device_count("--max-devices", *request.max_devices);
  }
  request.layouts = layouts_of(line);
  request.profiles = read_profiles(line);
  request.precision = precision_of(line, request.profiles);
  request.counting = count_options(line);
  if (request.counting) {
    require_countable(request.profiles, false);
    request.solvers = solvers_to_count(line, {}, true);
    request.cycles = cycles_text(request.solvers.own);
    return request;
  }
  const std::optional<OwnSchedule> own = uncounted_schedule(line);
  if (!own) return request;
  for (const DeviceProfile& profile : request.profiles) {
    if (profile.traffic) continue;
    throw UsageError("--solver: of the traffic model; profile " + profile.name +
                     " is priced by model " + std::string(profile.model()));
  }
  request.own = own->priced();
  request.cycles = cycles_text(std::span(&*own, 1));
  return request;
}

std::string page_of(const std::vector<MatrixForecast>& matrices, const ReportRequest& request,
                    std::span<const std::string> command) {
  const std::string title = matrices.size() == 1
                                ? "Forecast for " + matrices.front().name
                                : "Forecasts for " + std::to_string(matrices.size()) + " matrices";
  const std::string solver = request.counting ? "How long solutions of its equations take"
                             : request.own
                                 ? "How long an iteration of " + request.own->name() + " takes"
                                 : "How long an iteration of conjugate gradients takes";
  std::string devices;
  for (const DeviceProfile& profile : request.profiles) {
    devices += (devices.empty() ? "" : ", ") + marked_name(profile);
  }
  const Network* network = common_network(request.profiles);
  if (network != nullptr) devices += " joined by " + network->name;
  std::vector<std::pair<std::string, std::string>> links;
  std::string sections;
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    const int number = static_cast<int>(i) + 1;
    links.emplace_back(matrices[i].name, "matrix-" + std::to_string(number));
    sections += matrix_section(matrices[i], number);
  }
  links.emplace_back("Among all sizes", "map");
  links.emplace_back("How this was made", "provenance");
  return html_page(
      title, html_heading(1, title) +
                 html_paragraph(solver + " on " + devices + ", in " +
                                    std::string(to_string(request.precision)) +
                                    (request.cycles.empty() ? "" : "; ") + request.cycles + ".",
                                ParagraphStyle::subtitle) +
                 html_links(links) + (matrices.size() > 1 ? comparison_of_matrices(matrices) : "") +
                 sections + map_section(matrices, request) +
                 provenance_section(matrices, request, command));
}

int run_report(const CommandLine& line) {
  const auto& paths = line.get<std::vector<std::string>>("matrix");
  const auto& out = line.get<std::string>("out");
  refuse_repeated_files("MATRIX", paths);
  CommandFiles files;
  name_inputs(line, files);
  files.writes(line, "out");
  files.check();
  check_page_name(out);
  const ReportRequest request = make_request(line);

  std::vector<MatrixForecast> matrices;
  for (const std::string& path : paths) matrices.push_back(forecast_matrix(line, path, request));
  write_file(out, page_of(matrices, request, line.words()));
  if (!is_standard_output(out)) say_written(out);
  return 0;
}

}  // namespace

extern const Command report_command;
const Command report_command{"report", "one page of forecasts and advice, to open and pass on",
                             make_command_line, run_report};

}  // namespace sparsecast::cli
