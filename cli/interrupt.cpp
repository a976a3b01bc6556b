#include "cli/interrupt.hpp"

#include <signal.h>

#include <csignal>

namespace sparsecast::cli {

namespace {

constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t signal_seen = 0;

extern "C" void on_interrupt(int signal_number) {
  if (signal_seen != 0) {
    signal(signal_number, SIG_DFL);
    raise(signal_number);
  }
  signal_seen = signal_number;
}

void set_handler(void (*handler)(int)) {
  for (const int number : signals) {
    struct sigaction before {};
    sigaction(number, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, nullptr);
  }
}

}  // namespace

InterruptGuard::InterruptGuard() {
  signal_seen = 0;
  set_handler(on_interrupt);
}

InterruptGuard::~InterruptGuard() {
  set_handler(SIG_DFL);
}

bool InterruptGuard::interrupted() {
  return signal_seen != 0;
}

Interrupted::Interrupted(const std::string& what)
    : Error(what), exit_status_(128 + (signal_seen != 0 ? signal_seen : SIGINT)) {}

}  // namespace sparsecast::cli
