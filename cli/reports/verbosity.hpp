#pragma once

#include <string>

namespace sparsecast::cli {

/// How much a command says beside its results and errors: nothing (--quiet), progress and
/// warnings, or also what it chose and how long its phases took (--verbose).
enum class Verbosity { quiet, normal, verbose };

/// That of the program: of the command line that was parsed.
Verbosity verbosity();
void set_verbosity(Verbosity verbosity);

/// With --verbose a line on standard error.
void say(const std::string& text);

/// Unless --quiet, a line on standard error that says which file a command has written.
void say_written(const std::string& path);

/// A part of a command's work; with --verbose a line says at its end how long it took.
class Phase {
 public:
  /// `what` as in "reading box.mtx".
  explicit Phase(std::string what);
  ~Phase();
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;

 private:
  std::string what_;
  double start_;
};

}  // namespace sparsecast::cli
