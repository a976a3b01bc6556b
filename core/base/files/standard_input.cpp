#include "core/base/files/standard_input.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>

#include "core/base/error.hpp"

namespace sparsecast {

bool is_standard_input(const std::filesystem::path& path) {
  return path == "-";
}

Buffer<char> read_standard_input() {
  static std::atomic<bool> was_read{false};
  if (was_read.exchange(true)) {
    throw Error(
        "it was read already, and comes once; expected a file where a matrix is read again");
  }
  if (isatty(STDIN_FILENO) != 0) {
    throw Error("this is a terminal; expected a matrix from a pipe or a file");
  }
  Buffer<char> bytes;
  std::size_t filled = 0;
  for (;;) {
    if (filled == bytes.size()) bytes.resize(std::max(2 * filled, std::size_t{1} << 20));
    const ssize_t count = read(STDIN_FILENO, bytes.data() + filled, bytes.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      throw Error(std::string("cannot read it: ") + std::strerror(errno) + "; expected a matrix");
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  bytes.resize(filled);
  return bytes;
}

}  // namespace sparsecast
