#include "cli/command_files.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <optional>

#include "cli/plots/gnuplot.hpp"
#include "core/base/files/file_output.hpp"
#include "model/profile/device_profile.hpp"
#include "model/profile/profile_file.hpp"

namespace sparsecast::cli {

namespace {

namespace fs = std::filesystem;

/// The regular file that a path leads to; nothing for what is no regular file.
std::optional<std::pair<dev_t, ino_t>> identity(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return std::pair(status.st_dev, status.st_ino);
}

bool same_file(const std::string& a, const std::string& b) {
  const auto first = identity(a);
  if (first) return first == identity(b);
  // Neither is there yet, or one is a device.
  std::error_code error;
  if (fs::exists(a, error) || fs::exists(b, error)) return false;
  const fs::path absolute_a = fs::weakly_canonical(a, error);
  return !error && absolute_a == fs::weakly_canonical(b, error) && !error;
}

std::vector<std::string> paths_of(const CommandLine& line, const std::string& option) {
  if (!line.has(option)) return {};
  if (line.is<std::string>(option)) return {line.get<std::string>(option)};
  return line.get<std::vector<std::string>>(option);
}

/// The file of a profile of --profile. Throws `UsageError` for a name that none has.
std::string profile_path(const CommandLine& line, const std::string& name) {
  try {
    return find_profile(name).string();
  } catch (const Error& error) {
    const bool several = !line.is<std::string>("profile");
    if (const std::size_t comma = name.find(','); several && comma != std::string::npos) {
      throw UsageError("--profile " + name + ": expected one; give each its own, as --profile " +
                       name.substr(0, comma) + " --profile " +
                       name.substr(comma + 1, name.find(',', comma + 1) - comma - 1));
    }
    throw UsageError("--profile: " + std::string(error.what()));
  }
}

std::string name_of(const std::string& option) {
  return option == "matrix" ? "MATRIX" : "--" + option;
}

}  // namespace

void CommandFiles::reads(const std::string& name, const std::string& path) {
  inputs_.push_back({name, path, false});
}

void CommandFiles::writes(const std::string& name, const std::string& path) {
  outputs_.push_back({name, path, false});
}

void CommandFiles::reads(const CommandLine& line, const std::string& option) {
  for (const std::string& path : paths_of(line, option)) {
    reads(name_of(option), option == "profile" ? profile_path(line, path) : path);
  }
}

void CommandFiles::writes(const CommandLine& line, const std::string& option) {
  for (const std::string& path : paths_of(line, option)) writes(name_of(option), path);
}

void CommandFiles::draws(const CommandLine& line, const std::string& option) {
  for (const std::string& path : paths_of(line, option)) {
    outputs_.push_back({name_of(option), path, true});
  }
}

void CommandFiles::check(bool prints_json) const {
  for (auto output = outputs_.begin(); output != outputs_.end(); ++output) {
    if (output->path.empty()) throw UsageError(output->name + ": expected the name of a file");
    if (output->drawing && !can_be_drawn(output->path)) {
      throw UsageError(output->name + " " + output->path +
                       ": unknown kind of picture; expected .svg, .png or .pdf");
    }
    for (const File& input : inputs_) {
      if (input.path != "-" && same_file(output->path, input.path)) {
        throw UsageError(output->name + " " + output->path + ": is " + input.name +
                         " too; choose another name");
      }
    }
    for (auto other = outputs_.begin(); other != output; ++other) {
      const bool one = is_standard_output(output->path) ? is_standard_output(other->path)
                                                        : same_file(output->path, other->path);
      if (one) {
        throw UsageError(output->name + " " + output->path + ": is " + other->name +
                         " too; choose another name");
      }
    }
    if (prints_json && is_standard_output(output->path)) {
      throw UsageError(output->name + " " + output->path +
                       ": --json prints to standard output too; choose one");
    }
  }
  for (const File& output : outputs_) {
    check_can_write(output.path);
    if (output.drawing) check_can_draw(output.path);
  }
}

}  // namespace sparsecast::cli
