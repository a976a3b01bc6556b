#include "core/base/files/ending_signals.hpp"

#include <cstddef>

namespace sparsecast {

namespace {

constexpr std::array<int, 3> signals{SIGINT, SIGTERM, SIGHUP};

}  // namespace

EndingSignals::EndingSignals(void (*handler)(int)) {
  for (std::size_t i = 0; i < signals.size(); ++i) {
    sigaction(signals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(signals[i], &action, nullptr);
  }
}

EndingSignals::~EndingSignals() {
  for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &before_[i], nullptr);
}

}  // namespace sparsecast
