#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sparsecast::cli {

/// A matrix file that the command line names, and what to call it.
struct MatrixFile {
  std::filesystem::path path;
  /// "bcsstk16" of "folder/bcsstk16.mtx.gz"; with as much of its folder, and its ending, as tells
  /// it apart from the others.
  std::string name;
};

/// Files as given (- is standard input), folders as the files in them whose names end as those of
/// matrices do, sorted. Warns of links to
/// nothing, which are left out, and of subfolders, which are not searched. Throws `Error` for what
/// is not there, and folders without such files; `UsageError` for a file that is named twice.
std::vector<MatrixFile> find_matrix_files(const std::vector<std::string>& arguments);

}  // namespace sparsecast::cli
