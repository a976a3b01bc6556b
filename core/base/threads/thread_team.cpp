#include "core/base/threads/thread_team.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <exception>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sched.h>
#endif

#include "core/base/error.hpp"
#include "core/base/threads/work_watch.hpp"

namespace sparsecast {
namespace {

#ifdef __linux__

/// CPUs in the affinity mask, 0 if the system does not tell.
int affinity_threads() {
  for (int cpus = 1024; cpus <= 1024 * 1024; cpus *= 4) {
    cpu_set_t* set = CPU_ALLOC(cpus);
    if (set == nullptr) return 0;
    const std::size_t bytes = CPU_ALLOC_SIZE(cpus);
    const bool ok = sched_getaffinity(0, bytes, set) == 0;
    const int count = ok ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (ok) return count;
  }
  return 0;
}

/// CPUs that a control group's "QUOTA PERIOD" allows, rounded up; 0 for no limit.
int quota_threads(const std::string& quota, const std::string& period) {
  long long allowed = 0;
  long long of = 0;
  const auto parse = [](const std::string& text, long long& number) {
    return std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc{};
  };
  if (!parse(quota, allowed) || !parse(period, of) || allowed <= 0 || of <= 0) return 0;
  return static_cast<int>(std::min<long long>((allowed + of - 1) / of, 1 << 20));
}

/// The tightest limit of the process's control group and its parents (version 2), or of the root
/// of version 1's cpu controller, which is what a container sees; 0 for no limit.
int control_group_threads() {
  int limit = 0;
  const auto apply = [&limit](int threads) {
    if (threads > 0) limit = limit == 0 ? threads : std::min(limit, threads);
  };
  std::ifstream groups("/proc/self/cgroup");
  std::string line;
  while (std::getline(groups, line)) {
    if (!line.starts_with("0::")) continue;
    std::string group = line.substr(3);
    while (true) {
      std::string quota;
      std::string period;
      if (std::ifstream("/sys/fs/cgroup" + group + "/cpu.max") >> quota >> period) {
        apply(quota_threads(quota, period));
      }
      if (group.empty() || group == "/") break;
      group.erase(group.rfind('/'));
    }
  }
  std::string quota;
  std::string period;
  if (std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") >> quota &&
      std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_period_us") >> period) {
    apply(quota_threads(quota, period));
  }
  return limit;
}

#endif

/// Processes that allowed threads are for.
std::atomic<int> sharing_processes{1};

void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Waits until `value` is no longer `old`: spins for some microseconds if every thread can have a
/// core, then yields, then sleeps in the kernel.
void wait_for_change(const std::atomic<int>& value, int old, bool spin) {
  constexpr int spins = 4000;
  constexpr int yields = 50;
  if (spin) {
    for (int i = 0; i < spins; ++i) {
      if (value.load(std::memory_order_acquire) != old) return;
      pause_briefly();
    }
  }
  for (int i = 0; i < yields; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    std::this_thread::yield();
  }
  while (value.load(std::memory_order_acquire) == old) {
    value.wait(old, std::memory_order_acquire);
  }
}

constexpr std::size_t cache_line = 64;

/// The CPUs that this process may use, when there is one for each of so many threads and no more;
/// else none. The scheduler tends to keep threads that wake each other on one CPU, where each wait
/// costs a whole spin: a thousand times what a barrier costs on two.
std::vector<int> cpus_for_pinning(int threads) {
  std::vector<int> cpus;
#ifdef __linux__
  cpu_set_t set;
  if (threads < 2 || threads != available_threads() ||
      sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) != threads) {
    return cpus;
  }
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
#endif
  return cpus;
}

/// Keeps the calling thread on this CPU.
void pin_to(int cpu) {
#ifdef __linux__
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);  // only speed depends on it
#endif
}

/// Moves the calling thread to the first of these CPUs if it is on another one, without keeping it
/// there: the others belong to the workers.
void leave_workers_cpus(const std::vector<int>& cpus) {
#ifdef __linux__
  if (cpus.empty() || sched_getcpu() == cpus[0]) return;
  cpu_set_t before;
  if (sched_getaffinity(0, sizeof before, &before) != 0) return;
  pin_to(cpus[0]);
  sched_setaffinity(0, sizeof before, &before);
#endif
}

/// Starts threads 1 to `threads` - 1, each of which runs `serve(thread)`; thread 0 is the caller's.
/// Throws `Error` unless the system lets so many start: those that did are among the workers.
template <class Serve>
void start_workers(int threads, std::vector<std::thread>& workers, const Serve& serve) {
  workers.reserve(static_cast<std::size_t>(threads - 1));
  try {
    for (int thread = 1; thread < threads; ++thread) {
      workers.emplace_back([serve, thread] { serve(thread); });
    }
  } catch (const std::system_error& error) {
    throw Error("cannot start " + std::to_string(threads) + " threads (" + error.what() +
                "); ask for fewer");
  }
}

/// Keeps the first exception of several threads for the one that waits for them.
class FirstException {
 public:
  /// From inside a handler.
  void keep() {
    const std::lock_guard lock(mutex_);
    if (!exception_) exception_ = std::current_exception();
  }
  /// Once nobody keeps any more.
  void rethrow() {
    if (exception_) std::rethrow_exception(std::exchange(exception_, nullptr));
  }

 private:
  std::mutex mutex_;
  std::exception_ptr exception_;
};

}  // namespace

int allowed_threads() {
#ifdef __linux__
  static const int quota = control_group_threads();
  int threads = affinity_threads();
  if (threads <= 0) threads = static_cast<int>(std::thread::hardware_concurrency());
  if (quota > 0) threads = std::min(threads, quota);
#else
  const int threads = static_cast<int>(std::thread::hardware_concurrency());
#endif
  return std::max(threads, 1);
}

int available_threads() {
  return std::max(allowed_threads() / sharing_processes.load(), 1);
}

void share_threads(int processes) {
  sharing_processes = std::max(processes, 1);
}

struct Barrier::State {
  explicit State(int count) : threads(count), spin(count <= available_threads()) {}

  const int threads;
  const bool spin;
  alignas(cache_line) std::atomic<int> arrived{0};
  alignas(cache_line) std::atomic<int> generation{0};
  std::atomic<bool> stopped{false};  // beside the generation: who waits has its line
};

Barrier::Barrier(int threads) {
  if (threads < 1) throw Error("a barrier for no thread; expected at least one");
  state_ = std::make_unique<State>(threads);
}

Barrier::~Barrier() = default;

bool Barrier::wait() {
  State& state = *state_;
  // Nobody but `stop` can change the generation before this thread has arrived; who sees what it
  // changed sees that it was called.
  const int generation = state.generation.load(std::memory_order_acquire);
  if (state.stopped.load(std::memory_order_relaxed)) return false;
  if (state.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == state.threads) {
    state.arrived.store(0, std::memory_order_relaxed);
    // Wraps around after 2^32 uses, which is harmless: only inequality matters. Sequentially
    // consistent, as notify_all looks for sleepers after this.
    state.generation.store(static_cast<int>(static_cast<unsigned>(generation) + 1u));
    state.generation.notify_all();
  } else {
    wait_for_change(state.generation, generation, state.spin);
  }
  return !state.stopped.load(std::memory_order_relaxed);
}

void Barrier::stop() {
  state_->stopped.store(true);
  state_->generation.fetch_add(1);
  state_->generation.notify_all();
}

struct ThreadTeam::State {
  explicit State(int threads)
      : size(threads),
        spin(threads <= available_threads()),
        cpus(cpus_for_pinning(threads)),
        done(threads),
        inner(threads) {}

  ~State() {
    body = nullptr;
    release();
    for (std::thread& worker : workers) worker.join();
  }

  void release() {
    start.fetch_add(1);
    start.notify_all();
  }

  void work(int thread) {
    try {
      (*body)(thread);
    } catch (...) {
      exception.keep();
    }
  }

  void serve(int thread) {
    if (!cpus.empty()) pin_to(cpus[static_cast<std::size_t>(thread)]);
    for (int round = 0;; ++round) {
      wait_for_change(start, round, spin);
      if (body == nullptr) return;
      work(thread);
      done.wait();
    }
  }

  const int size;
  const bool spin;
  const std::vector<int> cpus;  ///< one for each thread, or empty: wherever the system puts them
  alignas(cache_line) std::atomic<int> start{0};  ///< counts the runs
  Barrier done;
  Barrier inner;
  const std::function<void(int)>* body = nullptr;  ///< set before `start`; null: end
  FirstException exception;
  std::vector<std::thread> workers;
};

ThreadTeam::ThreadTeam(int threads) {
  if (threads < 1) throw Error("a team of no thread; expected at least one");
  state_ = std::make_unique<State>(threads);
  State* state = state_.get();
  start_workers(threads, state->workers, [state](int thread) { state->serve(thread); });
}

ThreadTeam::~ThreadTeam() = default;

int ThreadTeam::size() const {
  return state_->size;
}

void ThreadTeam::run(const std::function<void(int thread)>& body) {
  State& state = *state_;
  leave_workers_cpus(state.cpus);
  state.body = &body;
  if (state.size > 1) state.release();
  state.work(0);
  state.done.wait();
  state.exception.rethrow();
}

void ThreadTeam::barrier() {
  state_->inner.wait();
}

namespace {

/// Threads that take parts of work as they come, the caller among them. One that comes when all
/// are taken is not waited for: on a busy host a thread may sleep for milliseconds.
class PartTakers {
 public:
  /// Throws like `ThreadTeam`.
  explicit PartTakers(int threads)
      : PartTakers(threads <= available_threads(), cpus_for_pinning(threads)) {
    // The destructor ends those that did start.
    start_workers(threads, workers_, [this](int thread) { serve(thread); });
  }
  ~PartTakers() {
    post(nullptr);
    for (std::thread& worker : workers_) worker.join();
  }
  PartTakers(const PartTakers&) = delete;
  PartTakers& operator=(const PartTakers&) = delete;

  /// Runs `body(part)` for parts 0 to parts - 1; returns when all are done. The first exception is
  /// thrown again here. One run at a time.
  void run(int parts, const std::function<void(std::int64_t part)>& body) {
    leave_workers_cpus(cpus_);
    const auto work = std::make_shared<Work>(body, parts);
    post(work);
    take_parts(*work);
    for (int left = work->left.load(std::memory_order_acquire); left > 0;
         left = work->left.load(std::memory_order_acquire)) {
      wait_for_change(work->left, left, spin_);
    }
    work->exception.rethrow();
  }

 private:
  PartTakers(bool spin, std::vector<int> cpus) : spin_(spin), cpus_(std::move(cpus)) {}

  struct Work {
    Work(const std::function<void(std::int64_t)>& to_do, int count)
        : body(to_do), parts(count), left(count) {}

    const std::function<void(std::int64_t)>& body;  ///< the caller's, while parts are left
    const int parts;
    alignas(cache_line) std::atomic<int> taken{0};
    alignas(cache_line) std::atomic<int> left;  ///< parts that are not done
    FirstException exception;
  };

  /// Null: workers end.
  void post(std::shared_ptr<Work> work) {
    {
      const std::lock_guard lock(mutex_);
      work_ = std::move(work);
      posted_.fetch_add(1);
    }
    posted_.notify_all();
  }

  void serve(int thread) {
    if (!cpus_.empty()) pin_to(cpus_[static_cast<std::size_t>(thread)]);
    for (int seen = 0;;) {
      wait_for_change(posted_, seen, spin_);
      std::shared_ptr<Work> work;
      {
        const std::lock_guard lock(mutex_);
        seen = posted_.load();
        work = work_;
      }
      if (work == nullptr) return;
      take_parts(*work);
    }
  }

  static void take_parts(Work& work) {
    for (int part = work.taken.fetch_add(1); part < work.parts; part = work.taken.fetch_add(1)) {
      try {
        work.body(part);
      } catch (...) {
        work.exception.keep();
      }
      // What was done is visible to who sees that no part is left.
      if (work.left.fetch_sub(1, std::memory_order_acq_rel) == 1) work.left.notify_all();
    }
  }

  const bool spin_;
  const std::vector<int> cpus_;  ///< one for each thread, or empty
  std::mutex mutex_;             ///< of `work_`, which changes with `posted_`
  std::shared_ptr<Work> work_;
  alignas(cache_line) std::atomic<int> posted_{0};
  std::vector<std::thread> workers_;
};

}  // namespace

void parallel_for(std::int64_t count, std::int64_t grain,
                  const std::function<void(std::int64_t begin, std::int64_t end)>& body,
                  int threads) {
  static thread_local bool inside = false;
  static std::mutex in_use;
  if (count <= 0) return;
  if (!inside) WorkWatch::ask_here();
  const std::int64_t wanted = threads > 0 ? threads : available_threads();
  const std::int64_t parts =
      std::min(wanted, std::max<std::int64_t>(count / std::max<std::int64_t>(grain, 1), 1));
  // Another caller has the team: its threads are busy, so this one works alone.
  std::unique_lock<std::mutex> lock(in_use, std::defer_lock);
  if (parts == 1 || inside || !lock.try_lock()) {
    body(0, count);
    return;
  }
  static PartTakers team(available_threads());
  team.run(static_cast<int>(parts), [&](std::int64_t part) {
    struct Inside {
      Inside() { inside = true; }
      ~Inside() { inside = false; }
    } const guard;
    const auto boundary = [&](std::int64_t k) {
      return count / parts * k + std::min(count % parts, k);
    };
    body(boundary(part), boundary(part + 1));
  });
}

}  // namespace sparsecast
