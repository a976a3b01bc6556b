#include "cli/reports/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "cli/reports/printable.hpp"
#include "cli/reports/table.hpp"
#include "cli/reports/verbosity.hpp"

namespace sparsecast::cli {

Progress::Progress(std::string label)
    : label_(std::move(label)),
      terminal_(verbosity() != Verbosity::quiet && isatty(STDERR_FILENO) != 0),
      start_(Clock::now()),
      last_(start_) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void Progress::update(double done, const std::string& what, double remaining_seconds) {
  using namespace std::chrono_literals;
  const auto now = Clock::now();
  if (!terminal_ || now - start_ < 2s || now - last_ < 100ms) return;
  last_ = now;
  shown_ = true;
  done = std::clamp(done, 0.0, 1.0);
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  if (remaining_seconds < 0 && done > 0) remaining_seconds = elapsed * (1 - done) / done;
  constexpr int bar_width = 24;
  const int filled = static_cast<int>(done * bar_width);
  const std::string bar = std::string(static_cast<std::size_t>(filled), '#') +
                          std::string(static_cast<std::size_t>(bar_width - filled), '.');
  const std::string left =
      remaining_seconds < 0 ? "" : ", " + format_seconds(remaining_seconds) + " left";
  std::fprintf(stderr, "\r\033[K%s [%s] %3.0f %%%s  %s", label_.c_str(), bar.c_str(), 100 * done,
               left.c_str(), printable(what).c_str());
  std::fflush(stderr);
}

}  // namespace sparsecast::cli
