#include "core/matrix/files/read_matrix_file.hpp"

#include <algorithm>
#include <memory>
#include <new>

#include "core/base/archives/compressed.hpp"
#include "core/base/archives/gzip.hpp"
#include "core/base/archives/source_stream.hpp"
#include "core/base/error.hpp"
#include "core/base/files/input_file.hpp"
#include "core/base/files/standard_input.hpp"
#include "core/matrix/files/file_kind.hpp"
#include "core/matrix/files/harwell_boeing/harwell_boeing.hpp"
#include "core/matrix/files/market/matrix_market.hpp"
#include "core/matrix/files/matlab/matlab.hpp"
#include "core/matrix/files/npz/npz.hpp"
#include "core/matrix/files/petsc/petsc.hpp"
#include "core/matrix/files/tar/tar_matrix.hpp"

namespace sparsecast {
namespace {

/// Calls `parse`; what it throws gets the file's name.
template <class Parse>
auto named(const std::string& name, const Parse& parse) {
  try {
    return parse();
  } catch (const Error& error) {
    throw Error(name + ": " + error.what());
  } catch (const std::bad_alloc&) {
    throw Error(name + ": the matrix does not fit into memory; expected a smaller one");
  }
}

MatrixFromFile parse_compressed(const ByteSource& bytes, const std::string& name,
                                const MatrixFileOptions& options) {
  const auto open = [&] { return open_compressed(bytes); };
  switch (kind_of(beginning_of(*open(), kind_bytes))) {
    case FileKind::tar:
      return parse_tar(open, name, options);
    case FileKind::harwell_boeing:
      return named(name, [&] { return parse_harwell_boeing(*open(), options); });
    default:
      return parse_matrix_market(bytes, name, options);
  }
}

}  // namespace

MatrixFromFile parse_matrix_file(const ByteSource& bytes, const std::string& name,
                                 const MatrixFileOptions& options) {
  const FileKind kind = named(name, [&] {
    Buffer<char> scratch;
    return kind_of(bytes.view(0, std::min(bytes.size(), kind_bytes), scratch));
  });
  switch (kind) {
    case FileKind::matrix_market:
      return parse_matrix_market(bytes, name, options);
    case FileKind::gzip:
    case FileKind::zstd:
      return parse_compressed(bytes, name, options);
    case FileKind::tar:
      return parse_tar([&] { return std::make_unique<SourceStream>(bytes); }, name, options);
    case FileKind::harwell_boeing:
      return named(name, [&] {
        SourceStream text(bytes);
        return parse_harwell_boeing(text, options);
      });
    case FileKind::npz:
      return named(name, [&] { return parse_npz(bytes, options); });
    case FileKind::petsc:
      return named(name, [&] { return parse_petsc(bytes, options); });
    case FileKind::matlab:
      return named(name, [&] { return parse_matlab(bytes, options); });
  }
  return {};
}

MatrixFromFile read_matrix_file(const std::filesystem::path& path,
                                const MatrixFileOptions& options) {
  const std::string name = file_label(path);
  if (is_standard_input(path)) {
    const Buffer<char> bytes = named(name, [] { return read_standard_input(); });
    return parse_matrix_file(MemoryBytes({bytes.data(), bytes.size()}), name, options);
  }
  const auto file = named(name, [&] { return std::make_unique<InputFile>(path, "a matrix file"); });
  const auto check_unchanged = [&] { named(name, [&] { file->check_unchanged(); }); };
  try {
    MatrixFromFile matrix = parse_matrix_file(FileBytes(*file), name, options);
    check_unchanged();
    return matrix;
  } catch (const Error&) {
    check_unchanged();  // else who changed it is to blame
    throw;
  }
}

}  // namespace sparsecast
