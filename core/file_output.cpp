#include "core/file_output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>

#include "core/error.hpp"

namespace sparsecast {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& path, const std::string& what, int error_number) {
  throw Error(path.string() + ": " + what + ": " + std::strerror(error_number));
}

}  // namespace

void write_file_atomically(const fs::path& path, std::string_view content) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::string temporary = (folder / ("." + path.filename().string() + ".XXXXXX")).string();
  const int file = mkstemp(temporary.data());
  if (file < 0) fail(path, "cannot write", errno);
  const auto give_up = [&](const std::string& what) {
    const int reason = errno;
    close(file);
    unlink(temporary.c_str());
    fail(path, what, reason);
  };
  while (!content.empty()) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) give_up("cannot write");
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  const mode_t mask = umask(0);
  umask(mask);
  if (fchmod(file, 0666 & ~mask) != 0) give_up("cannot set the mode");
  if (fsync(file) != 0) give_up("cannot write");
  close(file);
  if (rename(temporary.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    unlink(temporary.c_str());
    fail(path, "cannot replace", reason);
  }
}

std::string read_file(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) throw Error(path.string() + ": is a folder; expected a file");
  std::ifstream in(path, std::ios::binary);
  if (!in) fail(path, "cannot read", errno);
  std::ostringstream content;
  content << in.rdbuf();
  if (!in) fail(path, "cannot read", errno);
  return std::move(content).str();
}

}  // namespace sparsecast
