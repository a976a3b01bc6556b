#pragma once

#include <functional>

namespace sparsecast {

/// While one of these lives, parallel work that its thread begins (`parallel_for`) first calls
/// `ask`, which ends it by what it throws: for programs whose users may stop what takes long, where
/// a function has no progress of its own to report. Of several on a thread the last one counts.
class WorkWatch {
 public:
  explicit WorkWatch(std::function<void()> ask);
  ~WorkWatch();
  WorkWatch(const WorkWatch&) = delete;
  WorkWatch& operator=(const WorkWatch&) = delete;

  /// Calls that of this thread, if there is one.
  static void ask_here();

 private:
  std::function<void()> ask_;
  WorkWatch* before_;
};

}  // namespace sparsecast
