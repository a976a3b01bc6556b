#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/buffer.hpp"
#include "core/base/files/byte_source.hpp"

namespace sparsecast {

/// A file in a zip archive.
struct ZipMember {
  std::string name;
  bool deflated = false;         ///< else stored as it is
  std::uint32_t checksum = 0;    ///< CRC-32 of its content
  std::uint64_t compressed = 0;  ///< bytes in the archive
  std::uint64_t size = 0;        ///< bytes of its content
  std::uint64_t begin = 0;       ///< where its compressed bytes begin in the archive
};

/// Does the data start like a zip archive?
bool is_zip(std::string_view data);

/// The members of a zip archive (PKWARE's APPNOTE 6.3.10), from its central directory. Only what
/// Python's zipfile and others write plainly is taken: no encryption, no parts, no data
/// descriptors, no comment at the end, at most 64 members; methods stored and deflated; local
/// headers that say what the directory says; members that do not overlap; 64-bit sizes only where a
/// 32-bit field says that they are there. A size beyond what DEFLATE can expand to is refused.
/// Throws `Error` ("what; what was expected", without a file name).
std::vector<ZipMember> read_zip_directory(const ByteSource& archive);

/// The first bytes of a member's content, at most `size`.
std::string beginning_of_member(const ByteSource& archive, const ZipMember& member,
                                std::size_t size);

/// The content of a member: exactly its size, with its checksum. Throws `Error` for other.
Buffer<char> read_zip_member(const ByteSource& archive, const ZipMember& member);

}  // namespace sparsecast
