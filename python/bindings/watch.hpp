#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/base/threads/work_watch.hpp"

/// @file
/// Work without the interpreter's lock, that reports progress and that Ctrl-C ends.

namespace sparsecast::python {

namespace py = pybind11;

/// Ends work that Python wants to end. What Python raised is with the `Watch`.
struct Stopped {};

/// Looks, now and then, whether the user wants the work to end, and says how far it is.
class Watch {
 public:
  /// `progress`: None, or what is called with the share that is done, 0 to 1. Throws `Error` for
  /// what cannot be called.
  explicit Watch(py::object progress);

  /// Called by the work, without the interpreter's lock, on the thread that began it. Throws
  /// `Stopped` after Ctrl-C, and after what `progress` raised.
  void look();
  void update(double done);
  /// The same for work that ends by itself: false if it is to.
  bool goes_on(double done);

  /// Raises what ended the work. Needs the lock.
  void raise_if_stopped();

 private:
  void look_now(const double* done);

  py::object progress_;
  std::exception_ptr raised_;
  std::chrono::steady_clock::time_point last_;
};

/// Who asks whether work is to go on.
enum class Asked {
  between_passes,     ///< whatever makes passes over data (`WorkWatch`), and the work
  by_the_work_alone,  ///< where the work is measured
};

/// What `work(watch)` returns; it runs without the interpreter's lock. Ctrl-C ends it.
template <class Work>
auto without_lock(py::object progress, const Work& work, Asked asked = Asked::between_passes) {
  Watch watch(std::move(progress));
  const auto run = [&] {
    const py::gil_scoped_release release;
    std::optional<WorkWatch> passes;
    if (asked == Asked::between_passes) passes.emplace([&watch] { watch.look(); });
    return work(watch);
  };
  try {
    if constexpr (std::is_void_v<decltype(work(watch))>) {
      run();
      watch.raise_if_stopped();
    } else {
      auto result = run();
      watch.raise_if_stopped();
      return result;
    }
  } catch (...) {
    watch.raise_if_stopped();
    throw;
  }
}

}  // namespace sparsecast::python
