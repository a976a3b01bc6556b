#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <queue>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "core/engine/ranks/communicator.hpp"

namespace sparsecast {

/// Ranks that are threads, each with a clock that moves by the rank's own work and by what messages
/// cost, which are simulated one by one: the same numbers on every run. One thread runs at a time;
/// when it waits, what happens next by the clocks happens.
///
/// A rank sends the messages of an exchange one after the other, `message` apart. A message takes
/// its sender's link to the class of ranks that the receiver is of, and the receiver's link from
/// it; between hosts also one adapter of either, whichever is free first. All of these carry one
/// message at a time, first come first served, in its bytes over their rate, but pass its first
/// bytes on at once; a latency lies between the sender's side and the receiver's. Who sends and
/// receives at once begins by `fixed`.
class VirtualRanks {
 public:
  struct Link {
    double latency = 0;           ///< seconds
    double bytes_per_second = 1;  ///< each way, of all messages of the class together
  };
  struct Costs {
    double fixed = 0;
    double message = 0;
    Link near;  ///< between ranks of one host
    Link far;
    int adapters = 0;  ///< of a host; 0: as many as it can use
    double adapter_bytes_per_second = 1;
  };

 private:
  class Rank;

 public:
  /// Of one rank, in seconds.
  class Clock {
   public:
    explicit Clock(Rank& rank) : rank_(&rank) {}
    double operator()() const { return rank_->seconds_; }
    /// What the rank's own work takes.
    void advance(double seconds) const { rank_->seconds_ += seconds; }

   private:
    Rank* rank_;
  };

  /// Runs `body` on a rank for each of the hosts. None may throw.
  static void run(const std::vector<std::string>& hosts, const Costs& costs,
                  const std::function<void(Communicator&, const Clock&)>& body) {
    VirtualRanks all(hosts, costs);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < all.size(); ++rank) {
      all.add(0, [&all, rank] { all.next_ = rank; });
      threads.emplace_back([&all, &body, rank] {
        Rank& mine = all.ranks_[static_cast<std::size_t>(rank)];
        all.wait_to_go_on(mine);
        body(mine, Clock(mine));
        all.go_on();
      });
    }
    all.go_on();
    for (std::thread& thread : threads) thread.join();
  }

 private:
  /// What carries one message at a time, since when it is free.
  using Server = double;

  struct Message {
    int from = 0;
    int to = 0;
    std::vector<std::byte> bytes;
    double last_byte = 0;  ///< when it is where the first one has come to
    bool arrived = false;
  };

  /// At the same time what was known first happens first.
  struct Event {
    double seconds = 0;
    std::size_t number = 0;
    std::function<void()> happen;

    bool operator<(const Event& other) const {
      return std::tie(other.seconds, other.number) < std::tie(seconds, number);
    }
  };

  class Rank : public Communicator {
   public:
    Rank(VirtualRanks& all, int rank) : all_(all), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return all_.size(); }

    void exchange(std::span<const OutgoingBytes> out, std::span<const IncomingBytes> in) override {
      if (!out.empty() && !in.empty()) seconds_ += all_.costs_.fixed;
      for (std::size_t i = 0; i < out.size(); ++i) {
        if (i > 0) seconds_ += all_.costs_.message;
        all_.send(seconds_, {rank_, out[i].to, {out[i].bytes.begin(), out[i].bytes.end()}});
      }
      awaited_.clear();
      for (const IncomingBytes& each : in) awaited_.push_back(each.from);
      if (!all_.has_arrived(*this)) {
        waits_ = true;
        all_.go_on();
        all_.wait_to_go_on(*this);
      }
      for (const IncomingBytes& each : in) {
        const Message message = all_.take(each.from, rank_);
        if (message.bytes.size() != each.bytes.size()) std::terminate();
        if (!message.bytes.empty()) {
          std::memcpy(each.bytes.data(), message.bytes.data(), message.bytes.size());
        }
        seconds_ = std::max(seconds_, message.last_byte);
      }
    }

   private:
    friend VirtualRanks;
    VirtualRanks& all_;
    const int rank_;
    double seconds_ = 0;
    std::vector<int> awaited_;  ///< ranks of which it needs a message to go on
    bool waits_ = false;
    std::condition_variable goes_on_;
    Server near_out_ = 0;
    Server near_in_ = 0;
    Server far_out_ = 0;
    Server far_in_ = 0;
  };

  struct Host {
    std::vector<Server> out;
    std::vector<Server> in;
  };

  VirtualRanks(const std::vector<std::string>& hosts, const Costs& costs)
      : hosts_(hosts), costs_(costs), queues_(hosts.size() * hosts.size()) {
    for (int rank = 0; rank < size(); ++rank) ranks_.emplace_back(*this, rank);
    const std::vector<Server> free(static_cast<std::size_t>(costs.adapters));
    for (const std::string& host : hosts) adapters_[host] = {free, free};
  }

  int size() const { return static_cast<int>(hosts_.size()); }
  const std::string& host_of(int rank) const { return hosts_[static_cast<std::size_t>(rank)]; }
  Rank& of(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  std::deque<Message>& between(int from, int to) {
    return queues_[static_cast<std::size_t>(from * size() + to)];
  }

  void add(double seconds, std::function<void()> happen) {
    events_.push({seconds, ++events_so_far_, std::move(happen)});
  }

  /// Until some rank can, or all are through.
  void go_on() {
    next_ = -1;
    while (next_ < 0 && !events_.empty()) {
      const Event next = events_.top();
      events_.pop();
      next.happen();
    }
    if (next_ < 0) return;
    const std::lock_guard lock(mutex_);
    runs_ = next_;
    of(runs_).goes_on_.notify_one();
  }

  void wait_to_go_on(Rank& rank) {
    std::unique_lock lock(mutex_);
    rank.goes_on_.wait(lock, [&] { return runs_ == rank.rank_; });
    runs_ = -1;
  }

  /// Takes a message from the moment that its first byte is there; returns when that goes on.
  static double carry(double seconds, Server& server, double bytes_per_second, Message& message) {
    const double start = std::max(seconds, server);
    server = start + static_cast<double>(message.bytes.size()) / bytes_per_second;
    message.last_byte = std::max(message.last_byte, server);
    return start;
  }

  double carry_by_first(double seconds, std::vector<Server>& adapters, Message& message) const {
    if (adapters.empty()) return seconds;
    Server& first = *std::ranges::min_element(adapters);
    return carry(seconds, first, costs_.adapter_bytes_per_second, message);
  }

  void send(double seconds, Message sent) {
    std::deque<Message>& queue = between(sent.from, sent.to);
    queue.push_back(std::move(sent));
    Message& message = queue.back();
    const bool far = host_of(message.from) != host_of(message.to);
    add(seconds, [this, seconds, far, &message] {
      far ? leave_far(seconds, message) : leave_near(seconds, message);
    });
  }

  void leave_near(double seconds, Message& message) {
    const Link& link = costs_.near;
    const double reached =
        carry(seconds, of(message.from).near_out_, link.bytes_per_second, message) + link.latency;
    message.last_byte += link.latency;
    add(reached, [this, reached, &message] {
      carry(reached, of(message.to).near_in_, costs_.near.bytes_per_second, message);
      arrive(message);
    });
  }

  void leave_far(double seconds, Message& message) {
    const double left =
        carry(seconds, of(message.from).far_out_, costs_.far.bytes_per_second, message);
    add(left, [this, left, &message] { leave_host(left, message); });
  }

  void leave_host(double seconds, Message& message) {
    const double reached =
        carry_by_first(seconds, adapters_[host_of(message.from)].out, message) + costs_.far.latency;
    message.last_byte += costs_.far.latency;
    add(reached, [this, reached, &message] { reach_host(reached, message); });
  }

  void reach_host(double seconds, Message& message) {
    const double reached = carry_by_first(seconds, adapters_[host_of(message.to)].in, message);
    add(reached, [this, reached, &message] {
      carry(reached, of(message.to).far_in_, costs_.far.bytes_per_second, message);
      arrive(message);
    });
  }

  void arrive(Message& message) {
    message.arrived = true;
    Rank& rank = of(message.to);
    if (!rank.waits_ || !has_arrived(rank)) return;
    rank.waits_ = false;
    double seconds = rank.seconds_;
    for (const int from : rank.awaited_) {
      seconds = std::max(seconds, between(from, rank.rank_).front().last_byte);
    }
    add(seconds, [this, &rank] { next_ = rank.rank_; });
  }

  /// All that it waits for.
  bool has_arrived(const Rank& rank) {
    return std::ranges::all_of(rank.awaited_, [&](int from) {
      const std::deque<Message>& queue = between(from, rank.rank_);
      return !queue.empty() && queue.front().arrived;
    });
  }

  Message take(int from, int to) {
    std::deque<Message>& queue = between(from, to);
    Message message = std::move(queue.front());
    queue.pop_front();
    return message;
  }

  const std::vector<std::string> hosts_;
  const Costs costs_;
  std::deque<Rank> ranks_;
  std::map<std::string, Host> adapters_;  ///< by host
  std::vector<std::deque<Message>> queues_;
  std::priority_queue<Event> events_;
  std::size_t events_so_far_ = 0;
  int next_ = -1;  ///< the rank that goes on next, where one does
  std::mutex mutex_;
  int runs_ = -1;  ///< the rank that may go on
};

}  // namespace sparsecast
