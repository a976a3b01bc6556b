#pragma once

#include <filesystem>
#include <string_view>

#include "core/engine/ranks/communicator.hpp"

namespace sparsecast {

/// Writes a file that is made of the texts of all ranks, one behind the other, as an `OutputFile`:
/// whole or not at all. Where all ranks see the new file each writes its own text, at the same time
/// as the others. Else rank 0 writes them in turn: where hosts do not share the file system, what
/// is no regular file, has other names or may not be replaced. When a rank fails all throw, as by
/// `do_together`. All ranks call it, with the same `path`.
void write_together(Communicator& ranks, const std::filesystem::path& path, std::string_view own);

}  // namespace sparsecast
