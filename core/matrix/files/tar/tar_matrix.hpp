#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/base/archives/byte_stream.hpp"
#include "core/matrix/files/matrix_file.hpp"

namespace sparsecast {

/// Reads the matrix of a tar archive: the member NAME/NAME.mtx (or NAME.rb) as the SuiteSparse
/// collection names it, beside which NAME_b.mtx and others may lie; where there is none, the only
/// .mtx or .rb file that there is. Several candidates, and none, throw `Error` that lists what is
/// there; `name` stands for the file in messages. The archive is read once, or, where no member is
/// named like its folder, twice: `open` begins it.
MatrixFromFile parse_tar(const std::function<std::unique_ptr<ByteStream>()>& open,
                         const std::string& name, const MatrixFileOptions& options = {});

}  // namespace sparsecast
