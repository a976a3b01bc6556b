#include "core/file_output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "core/error.hpp"

namespace sparsecast {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& path, const std::string& what, int error_number) {
  throw Error(path.string() + ": " + what + ": " + std::strerror(error_number));
}

}  // namespace

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)) {
  const fs::path folder = path_.has_parent_path() ? path_.parent_path() : fs::path(".");
  temporary_ = (folder / ("." + path_.filename().string() + ".XXXXXX")).string();
  descriptor_ = mkostemp(temporary_.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail(path_, "cannot write", errno);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor_, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path_, "cannot write", errno);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  const mode_t mask = umask(0);
  umask(mask);
  if (fchmod(descriptor_, 0666 & ~mask) != 0) fail(path_, "cannot set the mode", errno);
  if (fsync(descriptor_) != 0) fail(path_, "cannot write", errno);
  if (rename(temporary_.c_str(), path_.c_str()) != 0) fail(path_, "cannot replace", errno);
  close(descriptor_);
  descriptor_ = -1;
}

void write_file_atomically(const fs::path& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
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
