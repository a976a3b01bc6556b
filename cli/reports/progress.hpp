#pragma once

#include <chrono>
#include <string>

namespace sparsecast::cli {

/// A progress line with the remaining time on standard error, shown only when that is a terminal
/// and the work takes over two seconds, and not with --quiet. The line is cleared at the end.
class Progress {
 public:
  explicit Progress(std::string label);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `done` in [0, 1]; `remaining_seconds` < 0: estimated from the time so far.
  void update(double done, const std::string& what = "", double remaining_seconds = -1);

 private:
  using Clock = std::chrono::steady_clock;
  std::string label_;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point start_;
  Clock::time_point last_;
};

}  // namespace sparsecast::cli
