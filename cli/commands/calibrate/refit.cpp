#include "cli/commands/calibrate/programs.hpp"

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "calibrate/sample.hpp"
#include "cli/command_files.hpp"
#include "cli/commands/calibrate/calibration_files.hpp"
#include "cli/commands/calibrate/fitted_output.hpp"
#include "cli/commands/calibrate/measured_options.hpp"
#include "model/profile/profile_file.hpp"

namespace sparsecast::cli {

namespace fs = std::filesystem;

int refit(const CommandLine& line) {
  const auto paths = line.get<std::vector<std::string>>("refit");
  refuse_repeated_files("--refit", paths);
  const bool several = paths.size() > 1;
  if (several && !line.has("out")) {
    throw UsageError("--refit: of several samples files there is one profile; name it with --out");
  }
  const fs::path own_profile = profile_path_of(paths.front());
  const CalibrationFiles files =
      files_of_out(line.has("out") ? fs::path(line.get<std::string>("out")) : own_profile);
  std::vector<SampleFile> runs;
  for (const std::string& path : paths) runs.push_back(read_samples(path));
  CommandFiles all;
  all.reads(line, "refit");
  if (line.has("like")) all.reads("--like", find_profile(line.get<std::string>("like")).string());
  all.writes("--out", files.profile);
  if (several) all.writes("the samples of --out", files.samples);
  all.draws(line, "plot");
  all.writes(line, "html");
  all.check(line.has("json"));
  if (!line.has("force")) {
    // The profile of these samples is what fitting them again is for.
    std::error_code error;
    const bool own = !several && (files.profile == own_profile ||
                                  fs::equivalent(files.profile, own_profile, error));
    if (!own) refuse_to_overwrite(files.profile);
    if (several) refuse_to_overwrite(files.samples);
  }
  const SampleFile merged = merge_samples(std::move(runs), paths);
  if (merged.plan == "like" && !line.has("like")) {
    throw UsageError("--refit " + paths.front() +
                     ": samples of the like plan, which are too few alone; name the relative's "
                     "profile with --like");
  }
  SampleFile fitted = merged;
  if (line.has("precision")) {
    const Precision precision = precisions_of(line).front();
    std::erase_if(fitted.samples,
                  [precision](const Sample& sample) { return sample.precision != precision; });
  }
  write_fitted(line, fitted, files, several ? &merged : nullptr);
  return 0;
}

}  // namespace sparsecast::cli
