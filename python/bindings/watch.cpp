#include "python/bindings/watch.hpp"

#include "python/bindings/arguments.hpp"

namespace sparsecast::python {
namespace {

constexpr std::chrono::milliseconds between_looks{50};

}  // namespace

Watch::Watch(py::object progress) : progress_(std::move(progress)) {
  if (progress_.is_none() || PyCallable_Check(progress_.ptr()) != 0) return;
  refuse_argument("progress", "expected what can be called, found " + found_text(progress_));
}

void Watch::look_now(const double* done) {
  last_ = std::chrono::steady_clock::now();
  const py::gil_scoped_acquire lock;
  if (raised_ == nullptr) {
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (done != nullptr && !progress_.is_none()) progress_(*done);
    } catch (...) {
      raised_ = std::current_exception();
    }
  }
  if (raised_ != nullptr) throw Stopped();
}

void Watch::look() {
  if (std::chrono::steady_clock::now() - last_ > between_looks) look_now(nullptr);
}

void Watch::update(double done) {
  if (done >= 1 || std::chrono::steady_clock::now() - last_ > between_looks) look_now(&done);
}

bool Watch::goes_on(double done) {
  try {
    update(done);
  } catch (const Stopped&) {
    return false;
  }
  return true;
}

void Watch::raise_if_stopped() {
  if (raised_ != nullptr) std::rethrow_exception(std::exchange(raised_, nullptr));
}

}  // namespace sparsecast::python
