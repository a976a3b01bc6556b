#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace sparsecast {

/// Threads that this process may run at once (affinity and control-group limits respected).
int allowed_threads();

/// Of them those that are for this process: all, or its share of them (`share_threads`), at least
/// one.
int available_threads();

/// From now on the threads that are allowed are for so many processes, this one among them, each of
/// which takes as many: ranks on the same cores. Teams that are there keep theirs: call it first.
void share_threads(int processes);

/// A barrier for a fixed number of threads: spins briefly, then yields, then sleeps, so that it is
/// fast when every thread has a core and harmless when not.
class Barrier {
 public:
  /// Throws `Error` unless `threads` is positive.
  explicit Barrier(int threads);
  ~Barrier();
  Barrier(const Barrier&) = delete;
  Barrier& operator=(const Barrier&) = delete;
  /// Returns true when all threads have called it; what they wrote before is then visible to all.
  /// False, at once, when `stop` has been called.
  bool wait();
  /// Ends every wait, now and later: for a thread that will not come.
  void stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A fixed set of threads that run a function together; thread 0 is the caller. A team with a
/// thread for every CPU of the process, which are for no other, keeps each of its own threads on
/// one CPU.
class ThreadTeam {
 public:
  /// Throws `Error` unless `threads` is positive and the system lets so many start.
  explicit ThreadTeam(int threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int size() const;
  /// Runs `body(thread)` on every thread; returns when all are done. The first exception thrown by
  /// one of them is thrown again here; a body that calls `barrier` must not throw before its last
  /// one, or the others wait for ever. One run at a time, none from inside another.
  void run(const std::function<void(int thread)>& body);
  /// All threads of a `run` wait for each other.
  void barrier();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Splits [0, count) into at most `threads` parts of at least `grain` items and runs
/// `body(begin, end)` on each, on a team of `available_threads()` threads shared by the process
/// (`threads` = 0: that many parts), which take them as they come: it waits for no thread that has
/// none. May be called from any thread: nested calls, and calls while another thread has the team,
/// run serially as one part. The first exception is thrown again here.
void parallel_for(std::int64_t count, std::int64_t grain,
                  const std::function<void(std::int64_t begin, std::int64_t end)>& body,
                  int threads = 0);

}  // namespace sparsecast
