#include "cli/interrupt.hpp"

#include <csignal>

namespace sparsecast::cli {

namespace {

volatile std::sig_atomic_t signal_seen = 0;

extern "C" void on_interrupt(int signal_number) {
  if (signal_seen != 0) {
    signal(signal_number, SIG_DFL);
    raise(signal_number);
  }
  signal_seen = signal_number;
}

/// The handler, of which nothing is known from before.
auto fresh_handler() {
  signal_seen = 0;
  return on_interrupt;
}

}  // namespace

InterruptGuard::InterruptGuard() : signals_(fresh_handler()) {}

bool InterruptGuard::interrupted() {
  return signal_seen != 0;
}

Interrupted::Interrupted(const std::string& what)
    : Error(what), exit_status_(128 + (signal_seen != 0 ? signal_seen : SIGINT)) {}

}  // namespace sparsecast::cli
