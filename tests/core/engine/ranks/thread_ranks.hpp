#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "core/engine/ranks/communicator.hpp"

namespace sparsecast {

/// Ranks that are threads of this process, and what they have sent each other.
class ThreadRanks {
 public:
  using Copy = std::function<void(std::byte* to, const std::byte* from, std::size_t bytes)>;

  /// Runs `body` on so many ranks; throws again what one of them threw, of several the first one's.
  /// All of them must throw, or none: who waits for a rank that is gone waits for ever. `copy`
  /// copies messages that may lie in the memory of GPUs, too; without it none does.
  static void run(int size, const std::function<void(Communicator&)>& body, const Copy& copy = {}) {
    ThreadRanks all(size, copy);
    std::vector<std::exception_ptr> thrown(static_cast<std::size_t>(size));
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size; ++rank) {
      threads.emplace_back([&, rank] {
        Rank mine(all, rank);
        try {
          body(mine);
        } catch (...) {
          thrown[static_cast<std::size_t>(rank)] = std::current_exception();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& each : thrown) {
      if (each) std::rethrow_exception(each);
    }
  }

 private:
  using Message = std::vector<std::byte>;

  class Rank : public Communicator {
   public:
    Rank(ThreadRanks& all, int rank) : all_(all), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return all_.size_; }
    bool knows_gpu_memory() const override { return all_.copy_ != nullptr; }
    void exchange(std::span<const OutgoingBytes> out, std::span<const IncomingBytes> in) override {
      for (const OutgoingBytes& each : out) {
        Message message(each.bytes.size());
        all_.copy(message.data(), each.bytes.data(), message.size());
        {
          const std::lock_guard lock(all_.mutex_);
          all_.between(rank_, each.to).push_back(std::move(message));
        }
        all_.sent_.notify_all();
      }
      for (const IncomingBytes& each : in) {
        std::unique_lock lock(all_.mutex_);
        std::deque<Message>& queue = all_.between(each.from, rank_);
        all_.sent_.wait(lock, [&] { return !queue.empty(); });
        const Message message = std::move(queue.front());
        queue.pop_front();
        if (message.size() != each.bytes.size()) std::terminate();
        all_.copy(each.bytes.data(), message.data(), message.size());
      }
    }

   private:
    ThreadRanks& all_;
    const int rank_;
  };

  ThreadRanks(int size, const Copy& copy)
      : size_(size),
        copy_(copy),
        queues_(static_cast<std::size_t>(size) * static_cast<std::size_t>(size)) {}

  void copy(std::byte* to, const std::byte* from, std::size_t bytes) const {
    if (bytes == 0) return;
    if (copy_) {
      copy_(to, from, bytes);
    } else {
      std::memcpy(to, from, bytes);
    }
  }

  std::deque<Message>& between(int from, int to) {
    return queues_[static_cast<std::size_t>(from * size_ + to)];
  }

  const int size_;
  const Copy copy_;
  std::mutex mutex_;
  std::condition_variable sent_;
  std::vector<std::deque<Message>> queues_;
};

}  // namespace sparsecast
