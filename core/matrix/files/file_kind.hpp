#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

/// @file
/// The kinds of matrix files that are read, told apart by what is in them. All messages and help
/// texts that list them take the list from here.

namespace sparsecast {

enum class FileKind {
  matrix_market,  ///< and what is none of the others
  harwell_boeing,
  npz,
  petsc,
  matlab,
  tar,
  gzip,  ///< one of the texts, or a tar archive, compressed
  zstd   ///< the same
};

/// Bytes that tell the kind.
inline constexpr std::size_t kind_bytes = 1024;

/// The kind of a file that begins with these bytes, up to `kind_bytes` of them.
FileKind kind_of(std::string_view beginning);

/// What a file is that begins like this where a text must be, and what to do: "this is an HTML
/// page, not a matrix (a failed download?); expected a matrix as ...".
std::string describe_unreadable(std::string_view beginning);

/// What is read, after "expected": "a matrix as Matrix Market ('%%MatrixMarket ...'), ...".
const std::string& readable_files();

/// The same for help texts: "matrix file (Matrix Market, ...; - is standard input)".
const std::string& matrix_file_help();

/// What is said of a file, with what was expected, where several processes read one together and
/// it is none that they can read so.
const std::string& unreadable_in_parts();

/// Does a file's name end as those of matrices do? Folders are searched for such names.
bool has_matrix_ending(const std::filesystem::path& file);

/// Those endings, for a message: ".mtx, .rb, ... (also with .gz or .zst), ... or .petsc".
const std::string& matrix_endings();

/// "bcsstk16" of "folder/bcsstk16.mtx.gz", "stdin" of "-".
std::string matrix_name(const std::filesystem::path& file);

/// "bcsstk16.mtx.gz" of "folder/bcsstk16.mtx.gz", "stdin" of "-".
std::string file_name(const std::filesystem::path& file);

/// How messages call a file: its path, or "standard input".
std::string file_label(const std::filesystem::path& file);

}  // namespace sparsecast
