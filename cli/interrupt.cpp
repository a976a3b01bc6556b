#include "cli/interrupt.hpp"

#include <csignal>

namespace sparsecast::cli {

namespace {

volatile std::sig_atomic_t interrupt_seen = 0;

extern "C" void on_interrupt(int signal_number) {
  if (interrupt_seen != 0) {
    std::signal(signal_number, SIG_DFL);
    std::raise(signal_number);
  }
  interrupt_seen = 1;
}

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupt_seen = 0;
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool InterruptGuard::interrupted() {
  return interrupt_seen != 0;
}

}  // namespace sparsecast::cli
