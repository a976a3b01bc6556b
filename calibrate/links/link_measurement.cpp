#include "calibrate/links/link_measurement.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/statistics.hpp"
#include "core/base/text/short_number.hpp"
#include "core/engine/ranks/chosen_ranks.hpp"

namespace sparsecast {
namespace {

constexpr std::int64_t smallest_bytes = 8;
constexpr std::int64_t most_of_a_message = 16 << 20;
constexpr std::int64_t most_of_an_exchange = 1 << 20;
constexpr int numbers_of_a_sum = 2;  ///< as many as most methods add up at once

/// Something that some of the ranks do. What is measured is filled in later.
struct Task {
  LinkSample sample;
  /// Of an exchange: the neighbours of each of them, by their places in the list of the group.
  std::vector<std::vector<int>> neighbours;
};

/// The tasks of the same ranks, who need to be joined once.
struct Group {
  std::vector<int> members;
  std::vector<Task> tasks;
};

/// The longest of the seconds that passed on the ranks between two calls; those that they need to
/// tell each other do not count.
class SlowestClock {
 public:
  SlowestClock(Communicator& ranks, const std::function<double()>& clock)
      : ranks_(ranks), clock_(clock), last_(clock()) {}

  double operator()() {
    total_ += ranks_.maximum(clock_() - last_);
    last_ = clock_();
    return total_;
  }

 private:
  Communicator& ranks_;
  const std::function<double()>& clock_;
  double last_;
  double total_ = 0;
};

/// The tasks, by ranks.
class LinkPlan {
 public:
  LinkPlan(Transport transport, std::span<const std::string> hosts)
      : transport_(transport), hosts_(hosts) {
    // That of all ranks first: where they cannot be joined, all of them find out together.
    std::vector<int> all(hosts.size());
    std::iota(all.begin(), all.end(), 0);
    groups_.push_back({all, {}});
    add_work(all);
    add_pairs_of_ranks();
    for (int count = 2; count < size(); count *= 2) {
      add_sum({all.begin(), all.begin() + count});
    }
    add_sum(all);
    add_exchanges(all);
    add_pairs_of_hosts();
  }

  const std::vector<Group>& groups() const { return groups_; }

 private:
  int size() const { return static_cast<int>(hosts_.size()); }
  const std::string& host_of(int rank) const { return hosts_[static_cast<std::size_t>(rank)]; }

  std::map<std::string, int> ranks_by_host(const std::vector<int>& members) const {
    std::map<std::string, int> counts;
    for (const int rank : members) ++counts[host_of(rank)];
    return counts;
  }

  LinkSample sample_of(LinkSample::Kind kind, const std::vector<int>& members) const {
    LinkSample sample;
    sample.kind = kind;
    sample.transport = transport_;
    const std::map<std::string, int> counts = ranks_by_host(members);
    sample.ranks = static_cast<int>(members.size());
    sample.hosts = static_cast<int>(counts.size());
    sample.of_class = sample.hosts > 1 ? LinkClass::other_host : LinkClass::same_host;
    sample.ranks_per_host = 0;
    for (const auto& [host, count] : counts) {
      sample.ranks_per_host = std::max(sample.ranks_per_host, count);
    }
    return sample;
  }

  void add(const std::vector<int>& members, Task task) {
    auto group = std::ranges::find(groups_, members, &Group::members);
    if (group == groups_.end()) group = groups_.insert(group, {members, {}});
    // Of two ranks an exchange of all is one of a pair.
    const auto same = [&](const Task& other) { return other.sample == task.sample; };
    if (std::ranges::none_of(group->tasks, same)) group->tasks.push_back(std::move(task));
  }

  void add_work(const std::vector<int>& all) {
    add(all, {sample_of(LinkSample::Kind::work, all), {}});
  }

  void add_sum(const std::vector<int>& members) {
    LinkSample sample = sample_of(LinkSample::Kind::sum, members);
    sample.bytes = numbers_of_a_sum * sizeof(double);
    add(members, {sample, {}});
  }

  /// `neighbours`: by places in `members`.
  void add_exchange(const std::vector<int>& members, std::int64_t bytes,
                    const std::vector<std::vector<int>>& neighbours,
                    LinkSample::Kind kind = LinkSample::Kind::exchange) {
    LinkSample sample = sample_of(kind, members);
    sample.bytes = static_cast<double>(bytes);
    std::map<std::string, int> leaving;
    for (std::size_t place = 0; place < members.size(); ++place) {
      const std::string& host = host_of(members[place]);
      const auto far = static_cast<int>(std::ranges::count_if(neighbours[place], [&](int other) {
        return host_of(members[static_cast<std::size_t>(other)]) != host;
      }));
      const auto all = static_cast<int>(neighbours[place].size());
      sample.neighbours = std::max(sample.neighbours, all);
      sample.far_neighbours = std::max(sample.far_neighbours, far);
      sample.near_neighbours = std::max(sample.near_neighbours, all - far);
      sample.leaving = std::max(sample.leaving, leaving[host] += far);
    }
    sample.of_class = sample.far_neighbours > 0 ? LinkClass::other_host : LinkClass::same_host;
    add(members, {sample, neighbours});
  }

  void add_pairs_of_ranks() {
    for (const bool far : {false, true}) {
      const std::optional<std::vector<int>> pair = first_pair(far);
      if (!pair) continue;
      for (std::int64_t bytes = smallest_bytes; bytes <= most_of_a_message; bytes *= 4) {
        add_exchange(*pair, bytes, {{1}, {0}}, LinkSample::Kind::message);
        add_exchange(*pair, bytes, {{1}, {0}});
      }
    }
  }

  std::optional<std::vector<int>> first_pair(bool far) const {
    for (int rank = 0; rank < size(); ++rank) {
      for (int other = rank + 1; other < size(); ++other) {
        if ((host_of(rank) != host_of(other)) == far) return std::vector{rank, other};
      }
    }
    return std::nullopt;
  }

  void add_exchanges(const std::vector<int>& all) {
    std::vector<int> counts;
    for (const int count : {1, 2, 4, 6}) counts.push_back(std::min(count, size() - 1));
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    for (const int count : counts) {
      const std::vector<std::vector<int>> neighbours = neighbours_of_all(count);
      for (std::int64_t bytes = smallest_bytes; bytes <= most_of_an_exchange; bytes *= 4) {
        add_exchange(all, bytes, neighbours);
      }
    }
  }

  /// So many of each rank: one, all others, or as many on either side in a ring.
  std::vector<std::vector<int>> neighbours_of_all(int count) const {
    std::vector<std::vector<int>> all(hosts_.size());
    for (int rank = 0; rank < size(); ++rank) {
      std::vector<int>& mine = all[static_cast<std::size_t>(rank)];
      if (count == 1) {
        const int other = rank % 2 == 0 ? rank + 1 : rank - 1;
        if (other < size()) mine.push_back(other);
        continue;
      }
      for (int other = 0; other < size(); ++other) {
        const int there = (other - rank + size()) % size();
        const bool near = 2 * std::min(there, size() - there) <= count || count == size() - 1;
        if (other != rank && near) mine.push_back(other);
      }
    }
    return all;
  }

  /// Two ranks, and as many as there are, of the host of rank 0 and of another one.
  void add_pairs_of_hosts() {
    std::vector<int> all(hosts_.size());
    std::iota(all.begin(), all.end(), 0);
    const std::map<std::string, int> counts = ranks_by_host(all);
    const std::string& here = host_of(0);
    const std::string* there = nullptr;
    for (const std::string& host : hosts_) {
      const bool more = there == nullptr || counts.at(host) > counts.at(*there);
      if (host != here && more) there = &host;
    }
    if (there == nullptr) return;
    const int most = std::min(counts.at(here), counts.at(*there));
    if (most < 2) return;
    add_pairs_of_hosts(here, *there, 2);
    if (most > 2) add_pairs_of_hosts(here, *there, most);
  }

  void add_pairs_of_hosts(const std::string& here, const std::string& there, int pairs) {
    std::vector<int> members;
    for (const std::string& host : {here, there}) {
      int taken = 0;
      for (int rank = 0; rank < size() && taken < pairs; ++rank) {
        if (host_of(rank) != host) continue;
        members.push_back(rank);
        ++taken;
      }
    }
    std::vector<std::vector<int>> neighbours;
    for (int place = 0; place < 2 * pairs; ++place) {
      neighbours.push_back({place < pairs ? place + pairs : place - pairs});
    }
    for (const std::int64_t bytes : {1 << 17, 1 << 19, 1 << 21, 1 << 23}) {
      add_exchange(members, bytes, neighbours);
    }
  }

  const Transport transport_;
  const std::span<const std::string> hosts_;
  std::vector<Group> groups_;
};

/// For people.
std::string text_of(const LinkSample& sample) {
  const std::string ranks = std::to_string(sample.ranks) + " ranks";
  switch (sample.kind) {
    case LinkSample::Kind::message:
      return "message of " + short_bytes(sample.bytes);
    case LinkSample::Kind::exchange:
      return "exchange of " + ranks + ", " + short_bytes(sample.bytes);
    case LinkSample::Kind::sum:
      return "sum over " + ranks;
    case LinkSample::Kind::work:
      return "work of each rank";
  }
  return {};
}

/// Runs the tasks of one group, of which this rank is a member.
class GroupRunner {
 public:
  GroupRunner(Communicator& members, const LinkMeasurement& measurement)
      : members_(members), measurement_(measurement), links_(measurement.open(members)) {}

  void run(Task& task) {
    if (task.sample.kind == LinkSample::Kind::work) return measure_work(task.sample);
    const LinkWork work = work_of(task);
    members_.barrier();
    SlowestClock clock(members_, measurement_.clock);
    // Two at a time: of ranks that begin one after the other, those that wait in one exchange are
    // waited for in the next.
    const Timing timing =
        measure_repeats_alone([&work](std::int64_t count) { work.run(2 * count); },
                              measurement_.stopwatch, [&clock] { return clock(); });
    const int ways = task.sample.kind == LinkSample::Kind::message ? 2 : 1;
    task.sample.seconds = timing.median_seconds / (2 * ways * work.times);
    task.sample.noise = timing.relative_error;
  }

 private:
  LinkWork work_of(const Task& task) {
    const auto bytes = static_cast<std::int64_t>(task.sample.bytes);
    if (task.sample.kind == LinkSample::Kind::message) return links_->there_and_back(bytes);
    if (task.sample.kind == LinkSample::Kind::sum) return links_->sum(numbers_of_a_sum);
    return links_->exchange(task.neighbours[static_cast<std::size_t>(members_.rank())], bytes);
  }

  /// Its median, and half of what two thirds of the times lie within over it: means over the ranks.
  void measure_work(LinkSample& sample) {
    constexpr int warm_up = 50;
    constexpr int times = 500;
    const LinkWork work = links_->own_work();
    members_.barrier();
    std::vector<double> seconds;
    for (int i = 0; i < warm_up + times; ++i) {
      const double start = measurement_.clock();
      work.run(1);
      if (i >= warm_up) seconds.push_back(measurement_.clock() - start);
    }
    const double median = quantile(seconds, 0.5);
    const double half = (quantile(seconds, 0.84) - quantile(seconds, 0.16)) / 2;
    std::vector<double> sums{median, median > 0 ? half / median : 0};
    members_.sum(sums);
    sample.seconds = sums[0] / members_.size();
    sample.noise = sums[1] / members_.size();
  }

  Communicator& members_;
  const LinkMeasurement& measurement_;
  std::unique_ptr<MeasuredLinks> links_;
};

/// Tells all ranks what the first member has measured.
void share(Communicator& ranks, Group& group) {
  std::vector<double> numbers;
  const bool tells = ranks.rank() == group.members.front();
  for (const Task& task : group.tasks) {
    numbers.push_back(tells ? task.sample.seconds : 0);
    numbers.push_back(tells ? task.sample.noise : 0);
  }
  ranks.sum(numbers);
  for (std::size_t i = 0; i < group.tasks.size(); ++i) {
    group.tasks[i].sample.seconds = numbers[2 * i];
    group.tasks[i].sample.noise = numbers[2 * i + 1];
  }
}

}  // namespace

LinkMeasurement LinkMeasurement::of(
    Transport transport, std::function<std::unique_ptr<MeasuredLinks>(Communicator&)> open) {
  LinkMeasurement measurement{transport, std::move(open), steady_seconds, {}};
  measurement.stopwatch.max_seconds = 0.12;
  return measurement;
}

std::vector<LinkSample> measure_rank_links(Communicator& ranks, std::span<const std::string> hosts,
                                           const LinkMeasurement& measurement,
                                           const LinkProgress& progress) {
  if (ranks.size() < 2) throw Error("links: of one rank; they need two at least (mpirun -n 2)");
  std::vector<Group> groups = LinkPlan(measurement.transport, hosts).groups();
  std::size_t total = 0;
  for (const Group& group : groups) total += group.tasks.size();
  std::size_t done = 0;
  std::vector<LinkSample> samples;
  for (Group& group : groups) {
    if (std::ranges::find(group.members, ranks.rank()) != group.members.end()) {
      ChosenRanks members(ranks, group.members);
      GroupRunner runner(members, measurement);
      for (std::size_t i = 0; i < group.tasks.size(); ++i) {
        progress(static_cast<double>(done + i) / static_cast<double>(total),
                 text_of(group.tasks[i].sample));
        runner.run(group.tasks[i]);
      }
    }
    share(ranks, group);
    done += group.tasks.size();
    // Where no time could be told, nothing was measured.
    for (const Task& task : group.tasks) {
      if (task.sample.seconds > 0) samples.push_back(task.sample);
    }
  }
  return samples;
}

}  // namespace sparsecast
