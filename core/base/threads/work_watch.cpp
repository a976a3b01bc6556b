#include "core/base/threads/work_watch.hpp"

#include <utility>

namespace sparsecast {
namespace {

thread_local WorkWatch* watch_here = nullptr;

}  // namespace

WorkWatch::WorkWatch(std::function<void()> ask) : ask_(std::move(ask)), before_(watch_here) {
  watch_here = this;
}

WorkWatch::~WorkWatch() {
  watch_here = before_;
}

void WorkWatch::ask_here() {
  if (watch_here != nullptr) watch_here->ask_();
}

}  // namespace sparsecast
