#include "core/mpi/mpi_ranks.hpp"

#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/host_name.hpp"
#include "core/base/stopwatch.hpp"
#include "core/base/text/hash.hpp"
#include "core/base/text/short_number.hpp"
#include "core/engine/ranks/rank_errors.hpp"
#include "core/engine/ranks/rank_lists.hpp"
#include "core/mpi/launched_process.hpp"
#include "core/mpi/ptscotch.hpp"

/// @file
/// MPI: the module that is loaded where a launcher has started the program.

/// Whether messages may lie in the memory of GPUs of CUDA. Open MPI and MPICH define it, others
/// need not.
extern "C" int MPIX_Query_cuda_support() __attribute__((weak));

namespace sparsecast {
namespace {

/// MPI counts in 32 bits.
constexpr std::size_t largest_message = std::size_t{1} << 30;

// All in MPI_COMM_WORLD: to make another communicator, ranks wait for each other without an end.
constexpr int data_tag = 0;
constexpr int note_tag = 1;
constexpr int reply_tag = 2;

/// When a rank has failed: how long the others may take to come to the end by themselves.
constexpr double gathering_seconds = 1;
/// How long a rank that has failed waits for rank 0 to say so, before it does; at most its
/// patience.
constexpr double silence_of_rank_0_seconds = 10;
/// What a launcher may take to end all ranks when one has ended.
constexpr double seconds_of_launcher = 3;
/// What PT-Scotch may take for each neighbour of a rank's stretch of a graph, beside the patience:
/// many times what it does.
constexpr double seconds_to_cut_a_neighbour = 10e-6;

void check(int code) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw Error("MPI: " + std::string(text.data(), static_cast<std::size_t>(length)));
}

/// For what MPI does without giving up: calls `late` from another thread where this object lives
/// for so long. `late` takes the seconds that have passed since: many where this process was
/// stopped.
class TimeLimit {
 public:
  TimeLimit(double seconds, std::function<void(double)> late)
      : thread_([seconds, late = std::move(late)](const std::stop_token& over) {
          const double end = steady_seconds() + seconds;
          std::mutex mutex;
          std::unique_lock lock(mutex);
          std::condition_variable_any never;
          never.wait_for(lock, over, std::chrono::duration<double>(seconds), [] { return false; });
          if (!over.stop_requested()) late(steady_seconds() - end);
        }) {}

 private:
  std::jthread thread_;
};

/// What a rank tells rank 0 at its end.
struct Note {
  int status = 0;
  int awaited = -1;  ///< the rank that did not answer; -1: it failed by itself, or not at all
  std::string line;
};

class MpiRanks final : public ProcessRanks {
 public:
  MpiRanks(std::function<void(const std::string&)> say, double patience_seconds)
      : say_(std::move(say)), patience_seconds_(patience_seconds), rank_(launched_process().rank) {
    const TimeLimit limit = limit_to("MPI did not start", patience_seconds_);
    int provided = 0;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided));
    check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_));
    check(MPI_Comm_size(MPI_COMM_WORLD, &size_));
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  bool knows_gpu_memory() const override {
    return MPIX_Query_cuda_support != nullptr && MPIX_Query_cuda_support() == 1;
  }

  void exchange(std::span<const OutgoingBytes> out, std::span<const IncomingBytes> in) override {
    requests_.clear();
    partners_.clear();
    const auto in_pieces = [&](auto bytes, int partner, const auto& start) {
      for (std::size_t first = 0; first < bytes.size(); first += largest_message) {
        const auto piece = bytes.subspan(first, std::min(largest_message, bytes.size() - first));
        requests_.push_back(MPI_REQUEST_NULL);
        partners_.push_back(partner);
        start(piece.data(), static_cast<int>(piece.size()), partner, &requests_.back());
      }
    };
    try {
      for (const IncomingBytes& each : in) {
        in_pieces(each.bytes, each.from, [&](void* to, int count, int from, MPI_Request* request) {
          check(MPI_Irecv(to, count, MPI_BYTE, from, data_tag, MPI_COMM_WORLD, request));
        });
      }
      for (const OutgoingBytes& each : out) {
        in_pieces(each.bytes, each.to,
                  [&](const void* from, int count, int to, MPI_Request* request) {
                    check(MPI_Isend(from, count, MPI_BYTE, to, data_tag, MPI_COMM_WORLD, request));
                  });
      }
      wait();
    } catch (const Error& error) {
      end_all({1, -1, error.what()});
    }
  }

  RankEnd conclude(const RankEnd& mine) override {
    return rank_ == 0 ? conclude_all({mine.status, -1, mine.line})
                      : conclude_one({mine.status, -1, mine.line});
  }

  int sharing_cores() override {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    sched_getaffinity(0, sizeof cores, &cores);
    const std::uint64_t mine =
        hash_of(std::string_view(reinterpret_cast<const char*>(&cores), sizeof cores),
                hash_of(host_name(), 1));
    const std::vector<std::uint64_t> all = gather(*this, mine);
    return static_cast<int>(std::ranges::count(all, mine));
  }

  GraphCut graph_cut() override {
    do_together(*this, [] { require_ptscotch(); });
    return [this](const RankGraph& graph) {
      // All are here when it begins, and have one limit.
      const double most = maximum(static_cast<double>(graph.neighbours.size()));
      const TimeLimit limit = limit_to("PT-Scotch did not cut the matrix",
                                       patience_seconds_ + seconds_to_cut_a_neighbour * most);
      std::vector<int> parts;
      // Where one fails the others wait for it in there.
      const std::string failure = failure_of([&] { parts = cut_by_ptscotch(graph, size_); });
      if (!failure.empty()) end_all({1, -1, failure});
      return parts;
    };
  }

  std::string library() const override {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    check(MPI_Get_library_version(text.data(), &length));
    const std::string whole(text.data(), static_cast<std::size_t>(length));
    return whole.substr(0, whole.find_first_of(",\n"));
  }

 private:
  /// While it lives, what waits for all ranks has so many seconds. `failure` says what it did not.
  TimeLimit limit_to(const char* failure, double seconds) {
    // Not all at once: the first one that says something ends the others, by its launcher, which
    // wakes one that was stopped.
    return {seconds + seconds_of_launcher * rank_, [this, failure, seconds](double late) {
              if (late < seconds_of_launcher / 2) {
                say_(std::string(failure) + " on all ranks within " + short_number(seconds) +
                     " s; one of them hangs, or its host has too much to do");
              }
              _exit(1);
            }};
  }

  void finalize() {
    const TimeLimit limit = limit_to("MPI did not end", patience_seconds_);
    MPI_Finalize();
  }

  /// Waits for what was begun.
  void wait() {
    if (requests_.empty()) return;
    constexpr int tries_before_yielding = 200;
    constexpr int tries_between_looks = 256;
    constexpr double seconds_before_sleeping = 0.01;
    double start = 0;
    double failed_since = 0;
    bool sleeps = false;
    for (int tries = 0;; ++tries) {
      int done = 0;
      check(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done,
                        MPI_STATUSES_IGNORE));
      if (done != 0) return;
      if (tries < tries_before_yielding) continue;
      std::this_thread::yield();
      if (tries % tries_between_looks != 0 && !sleeps) continue;
      const double now = steady_seconds();
      if (start == 0) start = now;
      sleeps = now - start > seconds_before_sleeping;
      if (!sleeps) continue;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      // Who has failed where all do is not waited for: then the others come to their end, too.
      if (failed_since == 0 && someone_failed()) failed_since = now;
      const bool given_up = failed_since > 0 && now - failed_since > gathering_seconds / 2;
      if (given_up || now - start > patience_seconds_) end_all({1, first_missing(), {}});
    }
  }

  int first_missing() {
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      int done = 0;
      MPI_Request_get_status(requests_[i], &done, MPI_STATUS_IGNORE);
      if (done == 0) return partners_[i];
    }
    return partners_.back();
  }

  /// Rank 0: takes the notes that have come; whether one of them is of a failure.
  bool someone_failed() {
    if (rank_ != 0) return false;
    while (true) {
      int there = 0;
      MPI_Status status;
      check(MPI_Iprobe(MPI_ANY_SOURCE, note_tag, MPI_COMM_WORLD, &there, &status));
      if (there == 0) break;
      int length = 0;
      check(MPI_Get_count(&status, MPI_BYTE, &length));
      std::string bytes(static_cast<std::size_t>(length), '\0');
      check(MPI_Recv(bytes.data(), length, MPI_BYTE, status.MPI_SOURCE, note_tag, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE));
      Note note;
      std::memcpy(&note.status, bytes.data(), sizeof note.status);
      std::memcpy(&note.awaited, bytes.data() + sizeof note.status, sizeof note.awaited);
      note.line = bytes.substr(sizeof note.status + sizeof note.awaited);
      others_[status.MPI_SOURCE] = std::move(note);
    }
    return std::ranges::any_of(others_, [](const auto& each) { return each.second.status != 0; });
  }

  /// What rank 0 says when it, or one of the others, has failed.
  RankEnd reason(const Note& mine) const {
    std::map<int, Note> all = others_;
    all[0] = mine;
    // Who waits in vain may wait for one who does the same.
    const auto fails_by_itself = [](const auto& each) {
      return each.second.status != 0 && each.second.awaited < 0;
    };
    if (const auto found = std::ranges::find_if(all, fails_by_itself); found != all.end()) {
      const auto& [rank, note] = *found;
      const bool of_all =
          std::ssize(all) == size_ &&
          std::ranges::all_of(all, [&](const auto& each) { return each.second.line == note.line; });
      return {note.status, (of_all ? "" : "rank " + std::to_string(rank) + ": ") + note.line};
    }
    RankEnd silence;
    for (const auto& [rank, note] : all) {
      if (note.awaited < 0) continue;
      silence = {1, silence_text(note.awaited)};
      if (!all.contains(note.awaited) || all.at(note.awaited).awaited < 0) break;
    }
    return silence;
  }

  std::string silence_text(int awaited) const {
    return "rank " + std::to_string(awaited) + " has not answered for " +
           short_number(patience_seconds_) + " s; it hangs, or its host has too much to do";
  }

  RankEnd conclude_all(const Note& mine) {
    const double start = steady_seconds();
    double failed_since = mine.status != 0 ? start : 0;
    while (std::ssize(others_) + 1 < size_) {
      const bool failed = someone_failed();
      const double now = steady_seconds();
      if (failed && failed_since == 0) failed_since = now;
      if (failed_since > 0 && now - failed_since > gathering_seconds) abort_all(reason(mine));
      if (now - start > patience_seconds_) {
        int missing = 1;
        while (others_.contains(missing)) ++missing;
        abort_all({1, silence_text(missing)});
      }
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    RankEnd end = reason(mine);
    // Before the others end: a launcher that sees one of them fail ends this one, too.
    if (!end.line.empty()) say_(std::exchange(end.line, {}));
    for (int rank = 1; rank < size_; ++rank) {
      check(MPI_Send(&end.status, 1, MPI_INT, rank, reply_tag, MPI_COMM_WORLD));
    }
    finalize();
    return end;
  }

  RankEnd conclude_one(const Note& mine) {
    std::string bytes(sizeof mine.status + sizeof mine.awaited, '\0');
    std::memcpy(bytes.data(), &mine.status, sizeof mine.status);
    std::memcpy(bytes.data() + sizeof mine.status, &mine.awaited, sizeof mine.awaited);
    bytes += mine.line;
    MPI_Request note = MPI_REQUEST_NULL;
    check(MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, 0, note_tag,
                    MPI_COMM_WORLD, &note));
    RankEnd end;
    MPI_Request reply = MPI_REQUEST_NULL;
    check(MPI_Irecv(&end.status, 1, MPI_INT, 0, reply_tag, MPI_COMM_WORLD, &reply));
    const double start = steady_seconds();
    // Not all at once: the first one that says something ends the others.
    const double longest =
        mine.status != 0 ? std::min(silence_of_rank_0_seconds, patience_seconds_) + 0.2 * rank_
                         : patience_seconds_;
    for (int done = 0; done == 0;) {
      check(MPI_Test(&reply, &done, MPI_STATUS_IGNORE));
      if (done == 0 && steady_seconds() - start > longest) {
        const bool own_failure = mine.status != 0 && mine.awaited < 0;
        abort_all({1, own_failure ? "rank " + std::to_string(rank_) + ": " + mine.line
                                  : silence_text(0)});
      }
      if (done == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    check(MPI_Wait(&note, MPI_STATUS_IGNORE));
    finalize();
    return end;
  }

  /// Ends all processes, for what this one has noticed or, on rank 0, for what others have told.
  [[noreturn]] void end_all(const Note& mine) {
    try {
      if (rank_ != 0) _exit(std::max(1, conclude_one(mine).status));
      const double start = steady_seconds();
      while (steady_seconds() - start < gathering_seconds && std::ssize(others_) + 1 < size_) {
        someone_failed();
        std::this_thread::sleep_for(std::chrono::microseconds(100));
      }
      abort_all(reason(mine));
    } catch (const Error& error) {
      abort_all({1, "rank " + std::to_string(rank_) + ": " + error.what()});
    }
  }

  [[noreturn]] void abort_all(const RankEnd& end) {
    say_(end.line);
    MPI_Abort(MPI_COMM_WORLD, end.status);
    _exit(end.status);
  }

  const std::function<void(const std::string&)> say_;
  const double patience_seconds_;
  int rank_ = 0;
  int size_ = 1;
  std::vector<MPI_Request> requests_;  ///< of the exchange that is going on
  std::vector<int> partners_;          ///< whom each of them is with
  std::map<int, Note> others_;         ///< rank 0: what the others have told at their end
};

}  // namespace

}  // namespace sparsecast

/// What load_ranks.cpp finds. The caller owns the result.
extern "C" sparsecast::ProcessRanks* sparsecast_start_mpi(
    const std::function<void(const std::string& line)>& say, double patience_seconds) {
  return new sparsecast::MpiRanks(say, patience_seconds);
}
