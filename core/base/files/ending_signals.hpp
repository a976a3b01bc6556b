#pragma once

#include <signal.h>

#include <array>

namespace sparsecast {

/// While one of these lives, Ctrl-C (SIGINT), SIGTERM and SIGHUP, which else end the program, call
/// `handler`; those that the program was started without (nohup) stay ignored. Then all is as it
/// was before.
class EndingSignals {
 public:
  explicit EndingSignals(void (*handler)(int));
  ~EndingSignals();
  EndingSignals(const EndingSignals&) = delete;
  EndingSignals& operator=(const EndingSignals&) = delete;

 private:
  std::array<struct sigaction, 3> before_{};
};

}  // namespace sparsecast
