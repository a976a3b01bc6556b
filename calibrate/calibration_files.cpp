#include "calibrate/calibration_files.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/files/file_output.hpp"
#include "core/base/files/text_file.hpp"
#include "model/profile/profile_json.hpp"

namespace sparsecast {

namespace fs = std::filesystem;

namespace {

constexpr const char* samples_ending = ".samples.csv";

fs::path with_ending(fs::path profile, const std::string& ending) {
  return profile.replace_extension() += ending;
}

}  // namespace

CalibrationFiles calibration_files(const fs::path& profile) {
  if (profile.extension() != ".json") {
    throw Error(profile.string() + ": expected a name that ends in .json");
  }
  if (profile.stem().extension() == ".partial") {
    throw Error(profile.string() +
                ": its samples would be named like another profile's partial ones; choose "
                "another name");
  }
  fs::path samples = with_ending(profile, samples_ending);
  fs::path compressed = samples;
  compressed += ".gz";
  if (!fs::exists(samples) && fs::exists(compressed)) samples = std::move(compressed);
  return {profile, std::move(samples),
          with_ending(profile, std::string(".partial") + samples_ending)};
}

void write_calibration(const CalibrationFiles& files, const DeviceProfile& profile,
                       const SampleFile* samples) {
  OutputFile profile_file(files.profile);
  profile_file.write(profile_to_json(profile));
  std::vector<OutputFile*> together{&profile_file};
  std::optional<OutputFile> samples_file;
  if (samples != nullptr) {
    samples_file.emplace(files.samples);
    samples_file->write(text_for(files.samples, samples_to_csv(*samples)));
    together.push_back(&*samples_file);
  }
  OutputFile::commit_together(together);
}

}  // namespace sparsecast
