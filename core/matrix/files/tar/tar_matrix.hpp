#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/base/archives/byte_stream.hpp"
#include "core/base/archives/tar.hpp"
#include "core/matrix/files/matrix_file.hpp"

namespace sparsecast {

/// Finds the matrix of a tar archive: the member NAME/NAME.mtx (or NAME.rb) as the SuiteSparse
/// collection names it, beside which NAME_b.mtx and others may lie; where there is none, the only
/// .mtx or .rb file that there is. `read` is called there, once, and says whether the rest of the
/// archive is to be looked at, for damage and for further candidates. The archive is read once, or,
/// where no member is named like its folder, twice: `open` begins it. Several candidates, and none,
/// throw `Error` that lists what is there (without a file name).
void read_matrix_member(const std::function<std::unique_ptr<ByteStream>()>& open,
                        const std::function<bool(TarReader&, const TarMember&)>& read);

/// Reads that matrix; `name` stands for the file in messages.
MatrixFromFile parse_tar(const std::function<std::unique_ptr<ByteStream>()>& open,
                         const std::string& name, const MatrixFileOptions& options = {});

}  // namespace sparsecast
