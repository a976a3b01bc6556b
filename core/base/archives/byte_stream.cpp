#include "core/base/archives/byte_stream.hpp"

#include <algorithm>

#include "core/base/error.hpp"

namespace sparsecast {

std::string beginning_of(ByteStream& stream, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t filled = 0;
  try {
    while (filled < size) {
      const std::size_t more = stream.read(bytes.data() + filled, size - filled);
      if (more == 0) break;
      filled += more;
    }
  } catch (const Error&) {  // who reads all of it says so
  }
  bytes.resize(filled);
  return bytes;
}

std::string read_all(ByteStream& stream, std::size_t most, const std::string& what) {
  constexpr std::size_t first_piece = std::size_t{16} << 10;
  std::string bytes;
  for (;;) {
    const std::size_t before = bytes.size();
    // One byte more than may come tells whether more does.
    bytes.resize(before + std::min(std::max(before, first_piece), most - before + 1));
    const std::size_t more = stream.read(bytes.data() + before, bytes.size() - before);
    bytes.resize(before + more);
    if (more == 0) return bytes;
    if (bytes.size() > most) {
      throw Error(what + " expands to more than " + std::to_string(most) +
                  " bytes; expected no more than its matrix needs");
    }
  }
}

}  // namespace sparsecast
