#include "core/base/files/file_output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <random>
#include <system_error>
#include <thread>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/files/ending_signals.hpp"

namespace sparsecast {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail_at(const fs::path& path, const std::string& what, int error_number) {
  throw Error(path.string() + ": " + what + ": " + std::strerror(error_number));
}

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/// Is that what a descriptor of this program is written to? Devices may be opened as often as one
/// likes; of a file or pipe that is open already, another opening would lose either's text.
bool is_open_as(int descriptor, const struct stat& status) {
  struct stat open_file {};
  return (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode)) &&
         fstat(descriptor, &open_file) == 0 && same_file(open_file, status);
}

/// While one of these lives, a write of this thread to a pipe that nobody reads any more fails
/// with EPIPE and ends nothing.
class BrokenPipeGuard {
 public:
  BrokenPipeGuard() {
    sigemptyset(&broken_pipe_);
    sigaddset(&broken_pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe_, &before_);
  }
  ~BrokenPipeGuard() {
    const timespec now{};
    if (sigismember(&before_, SIGPIPE) == 0) {
      while (sigtimedwait(&broken_pipe_, nullptr, &now) < 0 && errno == EINTR) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  BrokenPipeGuard(const BrokenPipeGuard&) = delete;
  BrokenPipeGuard& operator=(const BrokenPipeGuard&) = delete;

 private:
  sigset_t broken_pipe_{};
  sigset_t before_{};
};

/// While one of these lives, Ctrl-C, SIGTERM and SIGHUP wait.
class SignalsWait {
 public:
  SignalsWait() {
    seen_ = 0;
    noting_.emplace([](int number) { seen_ = number; });
  }
  ~SignalsWait() {
    noting_.reset();
    if (seen_ != 0) raise(seen_);
  }
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;

 private:
  static inline volatile std::sig_atomic_t seen_ = 0;
  std::optional<EndingSignals> noting_;
};

/// Opens what is neither a regular file nor a folder. A named pipe is waited for until somebody
/// reads it.
int open_as_it_stands(const fs::path& path, bool socket) {
  using namespace std::chrono_literals;
  if (socket) throw Error(path.string() + ": is a socket; expected a file, pipe or device");
  constexpr auto patience = 5s;
  const auto start = std::chrono::steady_clock::now();
  for (;;) {
    const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file >= 0) {
      fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK);
      return file;
    }
    if (errno != ENXIO) fail_at(path, "cannot write", errno);
    if (std::chrono::steady_clock::now() - start > patience) {
      throw Error(path.string() + ": nobody reads this pipe; start its reader first");
    }
    std::this_thread::sleep_for(20ms);
  }
}

/// A name that a file beside others does not have: hidden, and short, whatever their names.
std::string random_name() {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device random;
  std::string name = ".sparsecast-";
  for (int i = 0; i < 12; ++i) name += letters[random() % letters.size()];
  return name;
}

/// How the system calls an open file, with a name or without.
std::string own_name(int descriptor) {
  return "/proc/self/fd/" + std::to_string(descriptor);
}

constexpr mode_t default_mode = 0666;  // less the process's umask
constexpr int most_names_tried = 100;

/// Where `path` leads, links followed, whether there is a file or not. Throws for circles of links.
fs::path follow_links(const fs::path& path) {
  constexpr int most_links = 40;
  fs::path target = path;
  for (int links = 0;; ++links) {
    std::error_code error;
    const fs::path next = fs::read_symlink(target, error);
    if (error) return target;
    if (links == most_links) fail_at(path, "cannot write", ELOOP);
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

}  // namespace

void write_all(int file, std::string_view content, const fs::path& path) {
  const BrokenPipeGuard guard;
  while (!content.empty()) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {  // whoever gave us this end made it so
      pollfd ready{file, POLLOUT, 0};
      poll(&ready, 1, -1);
      continue;
    }
    if (written < 0) fail_at(path, "cannot write", errno);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

bool is_standard_output(const fs::path& path) {
  struct stat status {};
  return path == "-" || (stat(path.c_str(), &status) == 0 && is_open_as(STDOUT_FILENO, status));
}

OutputFile::OutputFile(const fs::path& path)
    : path_(path == "-" ? "standard output" : path), target_(path) {
  struct stat status {};
  const bool exists = path == "-" || stat(path.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) fail("cannot write", errno);
  if (exists && S_ISDIR(status.st_mode)) {
    throw Error(path.string() + ": is a folder; expected the name of a file");
  }
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    if (stream == STDOUT_FILENO ? !is_standard_output(path)
                                : !exists || !is_open_as(stream, status)) {
      continue;
    }
    descriptor_ = fcntl(stream, F_DUPFD_CLOEXEC, 0);
    if (descriptor_ < 0) fail("cannot write", errno);
    return;
  }
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = open_as_it_stands(path, S_ISSOCK(status.st_mode));
    return;
  }
  target_ = follow_links(path);
  const fs::path folder = folder_of(target_);
  kind_ = Kind::renamed;
  if (!exists) {
    open_beside(folder);
    return;
  }

  // A file that may not be written to is not replaced either.
  if (faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) fail("cannot write", errno);
  replaces_ = true;
  mode_ = status.st_mode & 07777;
  user_ = status.st_uid;
  group_ = status.st_gid;
  // Others may know the file by another name, and not every folder takes a new one.
  const bool keeps_place =
      status.st_nlink > 1 || faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0;
  if (!keeps_place) {
    open_beside(folder);
    return;
  }
  kind_ = Kind::copied;
  std::error_code error;
  const fs::path elsewhere = fs::temp_directory_path(error);
  if (error) throw Error(path.string() + ": cannot write: TMPDIR is no folder; set it to one");
  open_beside(elsewhere);
  if (!temporary_.empty()) {
    unlink(temporary_.c_str());
    temporary_.clear();
  }
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

/// Creates the new file: without a name where the file system can, so that nothing of it remains
/// however the program ends.
void OutputFile::open_beside(const fs::path& folder) {
  descriptor_ = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, default_mode);
  if (descriptor_ >= 0 && access(own_name(descriptor_).c_str(), F_OK) == 0) return;
  if (descriptor_ >= 0) close(descriptor_);  // it could not get a name later
  for (int tried = 0; tried < most_names_tried; ++tried) {
    const std::string name = (folder / random_name()).string();
    descriptor_ = open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, default_mode);
    if (descriptor_ >= 0) {
      temporary_ = name;
      return;
    }
    if (errno != EEXIST) break;
  }
  fail("cannot write", errno);
}

void OutputFile::write(std::string_view content) {
  write_all(descriptor_, content, path_);
}

SharedName OutputFile::share() {
  if (kind_ != Kind::renamed) return {};
  // A file without a name is seen by processes of this host alone.
  const std::string name = temporary_.empty() ? "/proc/" + std::to_string(getpid()) + "/fd/" +
                                                    std::to_string(descriptor_)
                                              : fs::absolute(temporary_).string();
  const std::string token = random_name();
  write(token);
  if (fsync(descriptor_) != 0) fail("cannot write", errno);
  return {name, token};
}

void OutputFile::clear() {
  if (ftruncate(descriptor_, 0) != 0 || lseek(descriptor_, 0, SEEK_SET) != 0) {
    fail("cannot write", errno);
  }
}

/// All content is on the disk, and the new file has a name.
void OutputFile::finish_writing() {
  if (kind_ == Kind::direct) return;
  if (kind_ == Kind::renamed && replaces_ &&
      (fchown(descriptor_, user_, group_) != 0 || fchmod(descriptor_, mode_) != 0)) {
    kind_ = Kind::copied;  // an owner that this user cannot give to a new file
  }
  if (fsync(descriptor_) != 0) fail("cannot write", errno);
  if (kind_ != Kind::renamed || !temporary_.empty()) return;
  const std::string open_file = own_name(descriptor_);
  for (int tried = 0; tried < most_names_tried; ++tried) {
    const std::string name = (folder_of(target_) / random_name()).string();
    if (linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      temporary_ = name;
      return;
    }
    if (errno != EEXIST) break;
  }
  fail("cannot write", errno);
}

void OutputFile::take_place() {
  if (kind_ == Kind::renamed) {
    if (rename(temporary_.c_str(), target_.c_str()) == 0) {
      temporary_.clear();
      return;
    }
    // A file that is mounted by itself cannot be replaced, only written to.
    if (errno != EBUSY || !replaces_) fail("cannot replace", errno);
    kind_ = Kind::copied;
  }
  if (kind_ != Kind::copied) return;
  const int file = open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) fail("cannot replace", errno);
  const struct Closing {
    int file;
    ~Closing() { close(file); }
  } closing{file};
  // Room first, so that a full disk does not cost the old content.
  const off_t size = lseek(descriptor_, 0, SEEK_END);
  const off_t old_size = lseek(file, 0, SEEK_END);
  const int error = posix_fallocate(file, 0, std::max<off_t>(size, 1));
  if (error != 0 && error != EOPNOTSUPP && error != EINVAL) {
    if (ftruncate(file, old_size) != 0) fail("cannot replace", errno);
    fail("cannot replace", error);
  }
  lseek(file, 0, SEEK_SET);
  std::array<char, 65536> piece{};
  off_t at = 0;
  for (ssize_t count = 0; (count = pread(descriptor_, piece.data(), piece.size(), at)) != 0;) {
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("cannot replace", errno);
    write_all(file, {piece.data(), static_cast<std::size_t>(count)}, path_);
    at += count;
  }
  if (ftruncate(file, at) != 0 || fsync(file) != 0) fail("cannot replace", errno);
}

void OutputFile::commit() {
  OutputFile* const self = this;
  commit_together({&self, 1});
}

void OutputFile::commit_together(std::span<OutputFile* const> files) {
  const SignalsWait wait;
  for (OutputFile* file : files) file->finish_writing();
  for (OutputFile* file : files) file->take_place();
}

void OutputFile::fail(const std::string& what, int error_number) const {
  fail_at(path_, what, error_number);
}

void write_file(const fs::path& path, std::string_view content) {
  OutputFile file(path);
  file.write(content);
  file.commit();
}

void check_can_write(const fs::path& path) {
  struct stat status {};
  const bool exists = stat(path.c_str(), &status) == 0;
  if (is_standard_output(path)) return;
  if (exists && S_ISFIFO(status.st_mode)) {
    // Open for good: its reader would take its closing for the end.
    open_as_it_stands(path, false);
  } else if (exists && (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode))) {
    if (faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) {
      fail_at(path, "cannot write", errno);
    }
  } else {
    const OutputFile probe(path);
  }
}

std::string read_file(const fs::path& path, std::size_t largest) {
  // Does not wait for a writer if it is a pipe.
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) fail_at(path, "cannot read", errno);
  const struct Closing {
    int file;
    ~Closing() { close(file); }
  } closing{file};
  struct stat status {};
  if (fstat(file, &status) != 0) fail_at(path, "cannot read", errno);
  if (S_ISDIR(status.st_mode)) throw Error(path.string() + ": is a folder; expected a file");
  if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode) && !S_ISSOCK(status.st_mode)) {
    throw Error(path.string() + ": is a device; expected a file");
  }
  std::string content;
  std::array<char, 65536> piece{};
  for (;;) {
    const ssize_t count = read(file, piece.data(), piece.size());
    if (count == 0) return content;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) {
      pollfd ready{file, POLLIN, 0};
      poll(&ready, 1, -1);
      continue;
    }
    if (count < 0) fail_at(path, "cannot read", errno);
    if (content.size() + static_cast<std::size_t>(count) > largest) {
      throw Error(path.string() + ": more than " + std::to_string(largest >> 20) +
                  " MiB; expected a smaller file");
    }
    content.append(piece.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace sparsecast
