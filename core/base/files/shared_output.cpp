#include "core/base/files/shared_output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/error.hpp"

namespace sparsecast {

SharedOutput::SharedOutput(const SharedName& name) {
  // On another host the name may be of anything, also of a device.
  struct stat status {};
  if (stat(name.path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  // With O_DSYNC a client of NFS sends just the bytes that are written, never the rest of a page of
  // which another host writes its own.
  descriptor_ = open(name.path.c_str(), O_RDWR | O_DSYNC | O_CLOEXEC);
  if (descriptor_ < 0) return;
  std::string token(name.token.size(), '\0');
  if (pread(descriptor_, token.data(), token.size(), 0) == std::ssize(token) &&
      token == name.token) {
    return;
  }
  close(descriptor_);
  descriptor_ = -1;
}

SharedOutput::~SharedOutput() {
  if (found()) close(descriptor_);
}

void SharedOutput::write(std::int64_t begin, std::string_view content,
                         const std::filesystem::path& path) const {
  while (!content.empty()) {
    const ssize_t written = pwrite(descriptor_, content.data(), content.size(), begin);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw Error(path.string() + ": cannot write: " + std::strerror(errno));
    content.remove_prefix(static_cast<std::size_t>(written));
    begin += written;
  }
}

}  // namespace sparsecast
