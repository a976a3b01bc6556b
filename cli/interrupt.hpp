#pragma once

#include <string>

#include "core/base/error.hpp"
#include "core/base/files/ending_signals.hpp"

namespace sparsecast::cli {

/// While one of these lives, Ctrl-C (SIGINT), SIGTERM and SIGHUP set a flag instead of ending the
/// program, so that what was measured can be kept. A second one ends it at once. Signals that the
/// program was started without (nohup) stay ignored.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  static bool interrupted();

 private:
  EndingSignals signals_;
};

/// A command ended by Ctrl-C or another signal that an `InterruptGuard` saw. The program's exit
/// status is 128 and the signal's number: 130 for Ctrl-C.
class Interrupted : public Error {
 public:
  /// `what`: what is kept, and how to go on.
  explicit Interrupted(const std::string& what);
  int exit_status() const { return exit_status_; }

 private:
  int exit_status_;
};

}  // namespace sparsecast::cli
