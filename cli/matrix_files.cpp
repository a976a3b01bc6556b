#include "cli/matrix_files.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <system_error>

#include "cli/command.hpp"
#include "core/base/files/standard_input.hpp"
#include "core/matrix/files/file_kind.hpp"

namespace sparsecast::cli {

namespace fs = std::filesystem;

namespace {

void warn_of_subfolders(const std::string& folder, std::vector<std::string> names) {
  if (names.empty()) return;
  std::ranges::sort(names);
  constexpr std::size_t most_named = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most_named); ++i) {
    text += (text.empty() ? "" : ", ") + names[i];
  }
  if (names.size() > most_named) text += ", ...";
  warn(folder + ": " + std::to_string(names.size()) +
       (names.size() == 1 ? " subfolder is" : " subfolders are") + " not searched (" + text +
       "); name what is wanted of " + (names.size() == 1 ? "it" : "them"));
}

std::vector<fs::path> files_in(const std::string& folder) {
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  if (error) throw Error(folder + ": cannot read: " + error.message());
  std::vector<fs::path> files;
  std::vector<std::string> subfolders;
  for (const auto& entry : entries) {
    const fs::file_type type = entry.status(error).type();
    if (type == fs::file_type::directory) {
      subfolders.push_back(entry.path().filename().string());
    } else if (has_matrix_ending(entry.path())) {
      if (type == fs::file_type::not_found) {
        warn("skipped " + entry.path().string() + ": a link to nothing");
      } else {
        files.push_back(entry.path());
      }
    }
  }
  warn_of_subfolders(folder, std::move(subfolders));
  if (files.empty())
    throw Error(folder + ": no matrix file in this folder; expected " + matrix_endings());
  std::ranges::sort(files);
  return files;
}

bool is_among(const fs::path& file, const std::vector<fs::path>& files) {
  return std::ranges::any_of(files, [&](const fs::path& other) {
    std::error_code error;
    return fs::equivalent(file, other, error);
  });
}

/// The last `folders` folders of a path, and what stands for its file.
std::string label(const fs::path& folder, const std::string& file, std::size_t folders) {
  std::vector<std::string> parts;
  for (const fs::path& part : folder.relative_path()) parts.push_back(part.string());
  std::string text;
  for (std::size_t i = parts.size() - std::min(folders, parts.size()); i < parts.size(); ++i) {
    text += parts[i] + '/';
  }
  return text + file;
}

/// Names that tell files apart.
std::vector<std::string> names_of(const std::vector<fs::path>& files) {
  std::vector<fs::path> folders;
  std::vector<std::string> bases;
  std::map<std::pair<fs::path, std::string>, int> in_folder;
  for (const fs::path& file : files) {
    folders.push_back(fs::absolute(file).lexically_normal().parent_path());
    bases.push_back(matrix_name(file));
    ++in_folder[{folders.back(), bases.back()}];
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (in_folder[{folders[i], bases[i]}] > 1) bases[i] = files[i].filename().string();
  }
  std::vector<std::string> names = bases;
  // A folder more at a time, for those that are still called the same.
  std::size_t deepest = 0;
  for (const fs::path& folder : folders) {
    deepest =
        std::max(deepest, static_cast<std::size_t>(std::distance(folder.begin(), folder.end())));
  }
  for (std::size_t depth = 1; depth <= deepest; ++depth) {
    std::map<std::string, int> count;
    for (const std::string& name : names) ++count[name];
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (count[names[i]] > 1) names[i] = label(folders[i], bases[i], depth);
    }
  }
  return names;
}

}  // namespace

std::vector<MatrixFile> find_matrix_files(const std::vector<std::string>& arguments) {
  std::vector<fs::path> files;
  for (const std::string& argument : arguments) {
    std::error_code error;
    if (is_standard_input(argument)) {
      if (std::ranges::count(files, fs::path(argument)) > 0) {
        throw UsageError("MATRIX " + argument + ": standard input is named already");
      }
      files.emplace_back(argument);
      continue;
    }
    if (!fs::exists(argument, error)) throw Error(argument + ": no such file or folder");
    const bool folder = fs::is_directory(argument, error);
    for (const fs::path& file : folder ? files_in(argument) : std::vector<fs::path>{argument}) {
      if (!is_among(file, files)) {
        files.push_back(file);
      } else if (folder) {
        warn("skipped " + file.string() + ": is named already");
      } else {
        throw UsageError("MATRIX " + argument + ": is named already");
      }
    }
  }
  const std::vector<std::string> names = names_of(files);
  std::vector<MatrixFile> named;
  for (std::size_t i = 0; i < files.size(); ++i) named.push_back({files[i], names[i]});
  return named;
}

}  // namespace sparsecast::cli
