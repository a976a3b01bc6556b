#include "cli/commands/validate/raw_data.hpp"

#include <charconv>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "calibrate/fit/plain_regression.hpp"
#include "calibrate/sample.hpp"
#include "cli/commands/validate/validation_options.hpp"
#include "cli/reports/table.hpp"
#include "core/base/error.hpp"
#include "core/base/files/file_output.hpp"
#include "core/base/files/text_file.hpp"
#include "predict/validation/case_price.hpp"
#include "predict/validation/data/validation_csv.hpp"

namespace sparsecast::cli {

namespace fs = std::filesystem;

namespace {

CurveKind curve_of(const CommandLine& line) {
  return parse_curve("--curve", line.get_or("curve", "average"));
}

/// What raw data says of it.
int ranks_per_host_of(const std::string& text, const std::string& path) {
  int count = 0;
  const char* end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, count);
  if (status == std::errc{} && rest == end && count > 0) return count;
  throw Error(path + ": " + ranks_per_host_key + ": " + text + "; expected a positive number");
}

std::string model_of(const CommandLine& line) {
  const std::string model = line.get_or("model", "");
  check_model_option(model);
  return model;
}

}  // namespace

bool keeps_raw_data(const CommandLine& line) {
  if (!line.has("csv") || is_standard_output(line.get<std::string>("csv"))) return false;
  std::error_code error;
  const fs::file_type type = fs::status(line.get<std::string>("csv"), error).type();
  return type == fs::file_type::regular || type == fs::file_type::not_found;
}

void refuse_to_overwrite(const CommandLine& line) {
  if (!keeps_raw_data(line) || line.has("resume") || line.has("force")) return;
  const auto& path = line.get<std::string>("csv");
  if (!fs::exists(path)) return;
  throw UsageError("--csv " + path + ": is there already; " +
                   (line.has("from") ? "" : "go on with --resume, ") +
                   "choose another name, or overwrite it with --force");
}

void price(ValidationData& data, const DeviceProfile& profile, const CommandLine& line) {
  price_data(data, profile, model_of(line), curve_of(line), own_solvers(line));
}

void add_regression(ValidationData& data, const CommandLine& line) {
  if (!line.has("regression")) return;
  const auto& path = line.get<std::string>("regression");
  const SampleFile file = read_samples(path);
  if (const auto about = data.about.find("profile device");
      about != data.about.end() && about->second != file.origin.device) {
    throw Error("--regression " + path + ": samples of '" + file.origin.device +
                "'; the profile is of '" + about->second + "'");
  }
  const PlainRegression regression(file.samples);
  const OwnSolvers own = own_solvers(line);
  for (ValidationRow& row : data.rows) {
    row.regression_seconds = 0;
    if (row.segments.size() != 1 || !row.access) continue;
    const Schedule schedule = case_solver(row.schedule, own).schedule;
    row.regression_seconds =
        regression
            .seconds({schedule, row.launch, row.layout, row.segments.front(),
                      static_cast<double>(row.nonzeros), *row.access, row.precision})
            .value_or(0);
  }
  data.about["regression"] = path;
}

void write_raw_data(const ValidationData& data, const CommandLine& line) {
  if (!line.has("csv")) return;
  const auto& path = line.get<std::string>("csv");
  write_file(path, text_for(path, validation_to_csv(data)));
}

ValidationData read_runs(const CommandLine& line) {
  const auto& paths = line.get<std::vector<std::string>>("from");
  if (paths.size() > 1 && !line.has("profile")) {
    throw UsageError("--from: several runs are priced again; give the --profile to do it with");
  }
  std::vector<ValidationData> runs;
  for (const std::string& path : paths) {
    runs.push_back(parse_validation_csv(read_text(path), path));
  }
  ValidationData data = merge_validations(std::move(runs), paths);
  if (line.has("profile")) {
    DeviceProfile profile = profile_of(line);
    const auto found = data.about.find(ranks_per_host_key);
    if (profile.network && found != data.about.end()) {
      profile.network->ranks_per_host = ranks_per_host_of(found->second, paths.front());
    }
    price(data, profile, line);
  }
  return data;
}

std::string interrupted_text(const CommandLine& line, std::size_t cases) {
  if (cases == 0) return "interrupted before anything was measured";
  const std::string count = format_counted(static_cast<long long>(cases), "case");
  if (!keeps_raw_data(line)) {
    return "interrupted: the figures are of the " + count + " measured so far";
  }
  return "interrupted: the " + count + " measured so far " + (cases == 1 ? "is" : "are") + " in " +
         line.get<std::string>("csv") + "; go on with --resume";
}

}  // namespace sparsecast::cli
