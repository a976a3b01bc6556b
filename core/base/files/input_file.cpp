#include "core/base/files/input_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/error.hpp"

namespace sparsecast {

namespace {

constexpr const char* changed = "it changed while it was read; try again when nobody writes to it";

}  // namespace

InputFile::InputFile(const std::filesystem::path& path, const std::string& expected) {
  const auto fail = [&](const std::string& what) { throw Error(what + "; expected " + expected); };
  // Does not wait for a writer if it is a pipe.
  descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor_ < 0) fail(std::string("cannot read it: ") + std::strerror(errno));
  struct stat status {};
  const bool known = fstat(descriptor_, &status) == 0;
  if (!known || !S_ISREG(status.st_mode)) {
    close(descriptor_);
    fail(known && S_ISDIR(status.st_mode) ? "this is a folder"
         : known && S_ISFIFO(status.st_mode)
             ? "this is a pipe, which is read as - from standard input"
             : "this is not a regular file");
  }
  size_ = static_cast<std::size_t>(status.st_size);
  modified_ = status.st_mtim;
  posix_fadvise(descriptor_, 0, 0, POSIX_FADV_WILLNEED);
}

InputFile::~InputFile() {
  close(descriptor_);
}

void InputFile::read(std::size_t begin, std::span<char> out) const {
  while (!out.empty()) {
    const ssize_t count = pread(descriptor_, out.data(), out.size(), static_cast<off_t>(begin));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error(std::string("cannot read it: ") + std::strerror(errno));
    if (count == 0) throw Error(changed);
    begin += static_cast<std::size_t>(count);
    out = out.subspan(static_cast<std::size_t>(count));
  }
}

void InputFile::check_unchanged() const {
  struct stat status {};
  if (fstat(descriptor_, &status) != 0 || static_cast<std::size_t>(status.st_size) != size_ ||
      status.st_mtim.tv_sec != modified_.tv_sec || status.st_mtim.tv_nsec != modified_.tv_nsec) {
    throw Error(changed);
  }
}

}  // namespace sparsecast
