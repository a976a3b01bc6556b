#include "cli/commands/calibrate/fitted_output.hpp"

#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/fit/profile_fit.hpp"
#include "calibrate/fit/relative_fit.hpp"
#include "cli/commands/calibrate/calibration_page.hpp"
#include "cli/commands/calibrate/measured_options.hpp"
#include "cli/plots/calibration_plot.hpp"
#include "cli/reports/calibration_report.hpp"
#include "cli/reports/json_output.hpp"
#include "cli/reports/table.hpp"
#include "cli/reports/table_options.hpp"
#include "cli/wrapped_lines.hpp"
#include "core/base/files/file_output.hpp"
#include "model/profile/profile_file.hpp"

namespace sparsecast::cli {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

void write_fitted(const CommandLine& line, const SampleFile& file, const CalibrationFiles& files,
                  const SampleFile* new_samples, const fs::path& partial) {
  const std::string name = files.profile.stem().string();
  const ProfileFit fit = line.has("like")
                             ? fit_like(file, read_profile(line.get<std::string>("like")), name)
                             : fit_profile(file, name);
  write_calibration(files, fit.profile, new_samples);
  if (!partial.empty()) fs::remove(partial);
  if (line.has("plot")) {
    const std::vector<Precision> precisions = precisions_of(line);
    plot_calibration(line.get<std::string>("plot"), file, fit, precisions.back());
  }
  if (line.has("html")) {
    write_file(line.get<std::string>("html"), calibration_page(file, fit, line.words()));
  }
  for (const std::string& warning : fit.warnings) warn(warning);
  if (line.has("json")) {
    Json json = fits_as_json(fit);
    if (line.has("like")) json["device_constants"] = device_constants_as_json(fit.profile);
    json["profile"] = files.profile.string();
    std::cout << json_text(with_json_head("calibrate", std::move(json)));
    return;
  }
  std::ostream& out = is_standard_output(line.get_or("html", "")) ? std::cerr : std::cout;
  if (line.has("full")) {
    out << wrapped_lines(fit.full(), plain_table_width);
  } else if (line.has("like")) {
    print_device_constants(fit.profile, out);
  } else {
    print_fits(fit, table_style(line), out);
  }
  out << "\nprofile: " << files.profile.string() << '\n';
  if (new_samples != nullptr) out << "samples: " << files.samples.string() << '\n';
}

}  // namespace sparsecast::cli
