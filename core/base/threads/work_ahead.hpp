#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace sparsecast {

/// Makes large items, in their order, on threads of its own while others are used, as long as the
/// memory of all that are made or in use allows it. They are handed out either all, as they become
/// ready (`next`), or by number (`take`).
template <class Item>
class WorkAhead {
 public:
  /// `bytes[i]`: memory of item i, about. `workers` threads call `make(i)`, as long as items made
  /// or in use take less than `most_bytes` together, or there are none; 0 workers: `make` is called
  /// when an item is asked for.
  WorkAhead(std::vector<double> bytes, std::function<Item(std::size_t)> make, int workers,
            double most_bytes)
      : bytes_(std::move(bytes)), make_(std::move(make)), most_bytes_(most_bytes) {
    for (int i = 0; i < workers; ++i) workers_.emplace_back([this] { work(); });
  }
  /// Waits for what is being made.
  ~WorkAhead() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }
  WorkAhead(const WorkAhead&) = delete;
  WorkAhead& operator=(const WorkAhead&) = delete;

  /// Any item that is ready and its number, the first of several; waits for one. Nothing after the
  /// last. The one handed out before counts as no longer in use. Throws what `make` threw.
  std::optional<std::pair<std::size_t, Item>> next() {
    std::unique_lock lock(mutex_);
    if (handed_out_ == bytes_.size()) return std::nullopt;
    const std::size_t count = handed_out_++;
    if (workers_.empty()) return std::pair(count, make_(count));
    release();
    changed_.wait(lock, [&] { return !ready_.empty(); });
    const std::size_t index = ready_.begin()->first;
    return std::pair(index, hand_out(index));
  }

  /// This item, which must be behind those taken before; waits for it. The one taken before counts
  /// as no longer in use, those between are never handed out. Throws what `make` threw.
  Item take(std::size_t index) {
    std::unique_lock lock(mutex_);
    if (workers_.empty()) return make_(index);
    first_wanted_ = index;
    begun_ = std::max(begun_, index);
    while (!ready_.empty() && ready_.begin()->first < index) {
      held_bytes_ -= bytes_[ready_.begin()->first];
      ready_.erase(ready_.begin());
    }
    release();
    changed_.wait(lock, [&] { return ready_.contains(index); });
    return hand_out(index);
  }

  /// Waits until nothing is being made, and nothing will be until an item is asked for.
  void wait_until_idle() {
    std::unique_lock lock(mutex_);
    if (workers_.empty()) return;
    changed_.wait(lock, [&] { return making_ == 0 && (begun_ == bytes_.size() || !may_begin()); });
  }

 private:
  struct Made {
    std::optional<Item> item;
    std::exception_ptr failure;
  };

  Made made(std::size_t index) const {
    Made result;
    try {
      result.item.emplace(make_(index));
    } catch (...) {
      result.failure = std::current_exception();
    }
    return result;
  }

  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return stop_ || begun_ == bytes_.size() || may_begin(); });
      if (stop_ || begun_ == bytes_.size()) return;
      const std::size_t index = begun_++;
      held_bytes_ += bytes_[index];
      ++making_;
      lock.unlock();
      Made result = made(index);
      lock.lock();
      --making_;
      if (index < first_wanted_) {
        held_bytes_ -= bytes_[index];
      } else {
        ready_.emplace(index, std::move(result));
      }
      changed_.notify_all();
    }
  }

  bool may_begin() const { return held_bytes_ <= 0 || held_bytes_ + bytes_[begun_] <= most_bytes_; }

  /// The item in use is no longer.
  void release() {
    held_bytes_ -= std::exchange(bytes_in_use_, 0);
    changed_.notify_all();
  }

  Item hand_out(std::size_t index) {
    Made result = std::move(ready_.extract(index).mapped());
    bytes_in_use_ = bytes_[index];
    if (result.failure) std::rethrow_exception(result.failure);
    return *std::move(result.item);
  }

  std::vector<double> bytes_;
  std::function<Item(std::size_t)> make_;
  double most_bytes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t begun_ = 0;
  int making_ = 0;
  std::size_t handed_out_ = 0;    ///< by `next`
  std::size_t first_wanted_ = 0;  ///< by `take`
  double held_bytes_ = 0;         ///< of items begun and not yet done with
  double bytes_in_use_ = 0;
  bool stop_ = false;
  std::map<std::size_t, Made> ready_;
  std::vector<std::thread> workers_;
};

}  // namespace sparsecast
