#include "cli/commands/calibrate/fitted_output.hpp"

#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "calibrate/fit/profile_fit.hpp"
#include "cli/commands/calibrate/measured_options.hpp"
#include "cli/plots/calibration_plot.hpp"
#include "cli/reports/calibration_report.hpp"
#include "cli/reports/json_output.hpp"

namespace sparsecast::cli {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

void write_fitted(const CommandLine& line, const SampleFile& file, const CalibrationFiles& files,
                  const SampleFile* new_samples, const fs::path& partial) {
  const ProfileFit fit = fit_profile(file, files.profile.stem().string());
  write_calibration(files, fit.profile, new_samples);
  if (!partial.empty()) fs::remove(partial);
  if (line.has("plot")) {
    const std::vector<Precision> precisions = precisions_of(line);
    plot_calibration(line.get<std::string>("plot"), file, fit, precisions.back());
  }
  for (const std::string& warning : fit.warnings) warn(warning);
  if (line.has("json")) {
    Json json = fits_as_json(fit);
    json["profile"] = files.profile.string();
    std::cout << json_text(json);
    return;
  }
  if (line.has("full")) {
    std::cout << fit.full();
  } else {
    print_fits(fit, std::cout);
  }
  std::cout << "\nprofile: " << files.profile.string() << '\n';
  if (new_samples != nullptr) std::cout << "samples: " << files.samples.string() << '\n';
}

}  // namespace sparsecast::cli
