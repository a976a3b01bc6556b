#pragma once

namespace sparsecast::cli {

/// While one of these lives, Ctrl-C (SIGINT) and SIGTERM set a flag instead of ending the program,
/// so that what was measured can be kept. A second Ctrl-C ends it at once.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  static bool interrupted();
};

}  // namespace sparsecast::cli
