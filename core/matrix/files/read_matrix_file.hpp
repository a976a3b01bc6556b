#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/files/byte_source.hpp"
#include "core/matrix/files/matrix_file.hpp"

namespace sparsecast {

/// Reads a matrix from a file of any kind that is read (`FileKind`), told by its content and not by
/// its name, or from standard input (`-`). Texts may be compressed by gzip or zstd, and lie in a
/// tar archive as the SuiteSparse collection ships them. Nothing is unpacked to disk, and no size
/// that a file claims is believed before the file is seen to be large enough for it.
///
/// Throws `Error` of one line: the file, where in it (line, member or byte), what is wrong, what
/// was expected. A file that is written to while it is read is refused.
MatrixFromFile read_matrix_file(const std::filesystem::path& path,
                                const MatrixFileOptions& options = {});

/// The same of bytes elsewhere; `name` stands for the file in messages.
MatrixFromFile parse_matrix_file(const ByteSource& bytes, const std::string& name,
                                 const MatrixFileOptions& options = {});

}  // namespace sparsecast
