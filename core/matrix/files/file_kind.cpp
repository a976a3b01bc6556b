#include "core/matrix/files/file_kind.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/base/archives/gzip.hpp"
#include "core/base/archives/tar.hpp"
#include "core/base/archives/zip.hpp"
#include "core/base/archives/zstd.hpp"
#include "core/base/files/standard_input.hpp"
#include "core/matrix/files/harwell_boeing/harwell_boeing.hpp"
#include "core/matrix/files/matlab/matlab.hpp"
#include "core/matrix/files/petsc/petsc_matrix.hpp"
#include "core/matrix/files/text_tokens.hpp"

namespace sparsecast {
namespace {

/// Those of texts, which are read compressed too. Of Harwell-Boeing files the ending is the
/// matrix's type.
constexpr std::array text_endings{".mtx", ".rb",  ".hb",  ".rua", ".rsa", ".rza",
                                  ".rra", ".pua", ".psa", ".pza", ".pra"};
constexpr std::array compressed_endings{".gz", ".zst"};
constexpr std::array other_endings{".tar", ".tar.gz", ".tgz", ".tar.zst", ".npz", ".mat", ".petsc"};

/// All of them.
const std::vector<std::string>& endings() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> list(other_endings.begin(), other_endings.end());
    for (const std::string text : text_endings) {
      list.push_back(text);
      for (const char* compressed : compressed_endings) list.push_back(text + compressed);
    }
    return list;
  }();
  return all;
}

bool looks_like_text(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < ' ' && c != '\n' && !is_blank(c)) || c == '\x7f';
  });
}

/// The longest of the endings that the name has, empty if none.
std::string_view ending_of(std::string_view name) {
  std::string_view longest;
  for (const std::string_view ending : endings()) {
    if (name.ends_with(ending) && ending.size() > longest.size()) longest = ending;
  }
  return longest;
}

}  // namespace

FileKind kind_of(std::string_view beginning) {
  if (is_gzip(beginning)) return FileKind::gzip;
  if (is_zstd(beginning)) return FileKind::zstd;
  if (is_zip(beginning)) return FileKind::npz;
  if (is_petsc(beginning)) return FileKind::petsc;
  if (is_tar(beginning)) return FileKind::tar;
  if (is_matlab(beginning)) return FileKind::matlab;
  if (is_harwell_boeing(beginning)) return FileKind::harwell_boeing;
  return FileKind::matrix_market;
}

namespace {

/// What a file is that is none of the kinds, or is packed more than it may be.
std::string what_it_is(std::string_view beginning) {
  const std::string start = lower_case(beginning.substr(0, 512));
  const std::size_t first = std::min(start.find_first_not_of(" \t\r\n"), start.size());
  const std::string_view text = std::string_view(start).substr(first);
  if (text.empty()) return "the file is empty";
  if (text.starts_with("<!doctype html") || text.starts_with("<html") ||
      text.find("<head") != std::string_view::npos) {
    return "this is an HTML page, not a matrix (a failed download?)";
  }
  if (text.starts_with("version https://git-lfs")) {
    return "this is a Git LFS pointer, not the matrix itself (run 'git lfs pull')";
  }
  if (text.starts_with("%matrixmarket")) {
    return "the banner starts with one % where there must be two (repair it with sed '1s/^/%/', of "
           "a "
           ".gz with zcat FILE | sed '1s/^/%/' | gzip)";
  }
  const std::pair<std::string_view, const char*> formats[] = {
      {"bzh", "bzip2 data"},
      {"\xfd"
       "7zxz",
       "xz data"},
      {"\x93numpy", "a single array of NumPy"}};
  for (const auto& [magic, name] : formats) {
    if (start.starts_with(magic)) return std::string("this is ") + name + ", not a matrix";
  }
  switch (kind_of(beginning)) {
    case FileKind::gzip:
    case FileKind::zstd:
      return "the file is compressed twice";
    case FileKind::tar:
      return "this is a tar archive, not a matrix in text";
    case FileKind::harwell_boeing:
      return "this is a Harwell-Boeing or Rutherford-Boeing file, not Matrix Market";
    case FileKind::npz:
    case FileKind::matlab:
    case FileKind::petsc:
    case FileKind::matrix_market:
      break;
  }
  if (start.starts_with("\xff\xfe") || start.starts_with("\xfe\xff")) {
    return "this is text in UTF-16 (convert it with iconv -f UTF-16 -t UTF-8)";
  }
  if (!looks_like_text(beginning.substr(0, 512))) return "this is binary data, not text";
  return "no Matrix Market banner, but " + quote(beginning.substr(0, beginning.find('\n')));
}

/// A kind that is read as it is, but not from within another file; null for others.
const char* kind_read_unpacked(FileKind kind) {
  if (kind == FileKind::npz) return "an .npz (or another zip archive)";
  if (kind == FileKind::matlab) return "a MATLAB file";
  return kind == FileKind::petsc ? "PETSc's binary format" : nullptr;
}

}  // namespace

std::string describe_unreadable(std::string_view beginning) {
  if (const char* kind = kind_read_unpacked(kind_of(beginning)); kind != nullptr) {
    return "this is " + std::string(kind) +
           ", which is read as a matrix file of its own, not compressed (gunzip, unzstd or tar "
           "unpack it); expected a text";
  }
  return what_it_is(beginning) + "; expected " + readable_files();
}

const std::string& readable_files() {
  static const std::string text =
      "a matrix as Matrix Market text ('%%MatrixMarket matrix ...'), Harwell-Boeing, "
      "Rutherford-Boeing, .npz, PETSc binary or MATLAB .mat; texts also as .gz, .zst or .tar.gz";
  return text;
}

const std::string& unreadable_in_parts() {
  static const std::string text =
      "this file is not read in parts, as several processes do; expected Matrix Market in "
      "coordinate format ('%%MatrixMarket matrix coordinate ...', also as .gz, .zst or .tar.gz), "
      "or PETSc's binary format";
  return text;
}

const std::string& matrix_file_help() {
  static const std::string text =
      "matrix file: Matrix Market, Harwell-Boeing or Rutherford-Boeing (plain, .gz, .zst, or "
      ".tar.gz "
      "as of SuiteSparse), .npz of SciPy, PETSc binary, MATLAB .mat; -: standard input";
  return text;
}

bool has_matrix_ending(const std::filesystem::path& file) {
  return !ending_of(file.filename().string()).empty();
}

const std::string& matrix_endings() {
  static const std::string text = [] {
    std::string list;
    for (const char* ending : text_endings)
      list += (list.empty() ? "" : ", ") + std::string(ending);
    list += " (also with";
    for (const char* ending : compressed_endings) {
      list += (ending == compressed_endings.front() ? " " : " or ") + std::string(ending);
    }
    list += ')';
    for (std::size_t k = 0; k < other_endings.size(); ++k) {
      list += (k + 1 == other_endings.size() ? " or " : ", ") + std::string(other_endings[k]);
    }
    return list;
  }();
  return text;
}

std::string file_name(const std::filesystem::path& file) {
  return is_standard_input(file) ? "stdin" : file.filename().string();
}

std::string matrix_name(const std::filesystem::path& file) {
  std::string name = file_name(file);
  name.resize(name.size() - ending_of(name).size());
  return name;
}

std::string file_label(const std::filesystem::path& file) {
  return is_standard_input(file) ? "standard input" : file.string();
}

}  // namespace sparsecast
