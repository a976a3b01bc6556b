#include "cli/commands/calibrate/calibration_files.hpp"

#include <string>

#include "cli/command.hpp"
#include "core/base/error.hpp"

namespace sparsecast::cli {

namespace fs = std::filesystem;

namespace {

constexpr const char* links_plan = "links";
constexpr const char* gzip_ending = ".gz";

/// How a plan is asked for, so that it can be gone on with.
std::string resume_text(const std::string& plan) {
  if (plan == "quick") return "resume it with --quick";
  if (plan == "like") return "resume it with --like";
  if (plan == links_plan) return "resume it with the GPUs of the links, as --device cuda:0,cuda:1";
  return "resume it for one device and without --quick or --like";
}

}  // namespace

CalibrationFiles files_of_out(const fs::path& profile) {
  try {
    return calibration_files(profile);
  } catch (const Error& error) {
    throw UsageError("--out " + std::string(error.what()));
  }
}

fs::path profile_path_of(const fs::path& samples) {
  fs::path name = samples;
  if (name.extension() == gzip_ending) name.replace_extension();
  name.replace_extension();
  if (name.extension() == ".samples") name.replace_extension();
  return name += ".json";
}

void refuse_to_overwrite(const fs::path& path) {
  if (!fs::exists(path)) return;
  throw UsageError(path.string() + ": is there already; choose another name with --out, or " +
                   "overwrite it with --force");
}

void refuse_to_discard(const fs::path& partial) {
  if (!fs::exists(partial)) return;
  throw UsageError(partial.string() + ": an unfinished calibration; go on with --resume, or " +
                   "discard it with --force");
}

SampleFile read_unfinished(const CalibrationFiles& files, const std::string& device,
                           const std::string& plan) {
  // Earlier versions of the program kept a device's partial samples where the finished ones are
  // now.
  const bool of_earlier_version =
      !fs::exists(files.partial) && fs::exists(files.samples) && plan != links_plan;
  const fs::path& path = of_earlier_version ? files.samples : files.partial;
  if (!fs::exists(path)) {
    throw Error(files.partial.string() +
                ": there is no unfinished calibration of this name; leave --resume out");
  }
  SampleFile file = read_samples(path);
  if (of_earlier_version && !file.partial) {
    throw Error(path.string() +
                ": this calibration is finished; fit it again with --refit, or measure again with "
                "--force");
  }
  if (file.origin.device != device) {
    throw Error(path.string() + ": samples of '" + file.origin.device + "'; this is '" + device +
                "'; calibrate under another name with --out");
  }
  if (file.plan != plan) {
    throw Error(path.string() + ": samples of the " + file.plan + " plan; " +
                resume_text(file.plan));
  }
  return file;
}

}  // namespace sparsecast::cli
