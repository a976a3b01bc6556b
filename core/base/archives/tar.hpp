#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/archives/byte_stream.hpp"

namespace sparsecast {

/// Does the data start with a header of a tar archive: its mark, or of old archives its checksum?
bool is_tar(std::string_view data);

/// A file in a tar archive.
struct TarMember {
  std::string name;        ///< as in the archive, with its folders
  std::uint64_t size = 0;  ///< bytes
};

/// Reads a tar archive (POSIX.1-2001 ustar and pax, GNU's long names and sizes, and the old V7
/// format) from a stream, member after member: nothing is unpacked to disk, nothing kept in memory.
/// `read` gives the bytes of the member that `next` came to. Damaged headers, by their checksum,
/// and an archive that ends early throw `Error`.
class TarReader : public ByteStream {
 public:
  explicit TarReader(ByteStream& archive) : archive_(archive) {}

  /// The next regular file; folders, links and devices are passed over. Nothing at the end.
  std::optional<TarMember> next();
  std::size_t read(char* out, std::size_t size) override;

 private:
  bool read_block(char* block);
  void skip_rest();
  std::string read_small(std::uint64_t size, const char* what);

  ByteStream& archive_;
  std::uint64_t left_ = 0;     ///< bytes of this member
  std::uint64_t padding_ = 0;  ///< behind it
};

}  // namespace sparsecast
