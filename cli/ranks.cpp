#include "cli/ranks.hpp"

#include <cstdio>
#include <iostream>
#include <memory>
#include <streambuf>
#include <utility>
#include <vector>

#include "cli/build_details.hpp"
#include "core/base/error.hpp"
#include "core/base/host_name.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/engine/ranks/rank_lists.hpp"

namespace sparsecast::cli {
namespace {

ProcessRanks* of_this_process = nullptr;

/// Where the output of ranks other than 0 goes.
class Nowhere : public std::streambuf {
 protected:
  int_type overflow(int_type character) override { return traits_type::not_eof(character); }
  std::streamsize xsputn(const char*, std::streamsize count) override { return count; }
};

/// While it lives, the standard streams of this process go nowhere.
class Muted {
 public:
  Muted() : output_(std::cout.rdbuf(&nowhere_)), errors_(std::cerr.rdbuf(&nowhere_)) {}
  ~Muted() {
    std::cout.rdbuf(output_);
    std::cerr.rdbuf(errors_);
  }
  Muted(const Muted&) = delete;
  Muted& operator=(const Muted&) = delete;

 private:
  Nowhere nowhere_;
  std::streambuf* output_;
  std::streambuf* errors_;
};

/// What a rank says that differs from rank 0, and which; -1: none does.
std::pair<int, std::string> different(Communicator& all, const std::string& mine) {
  const std::vector<std::string> said = gather_texts(all, mine);
  for (int rank = 1; rank < all.size(); ++rank) {
    const std::string& theirs = said[static_cast<std::size_t>(rank)];
    if (theirs != said[0]) return {rank, theirs};
  }
  return {-1, {}};
}

/// Whether all ranks were started alike.
RankEnd compare_starts(Communicator& all, std::span<const std::string> arguments) {
  if (const auto [rank, version] = different(all, version_line()); rank > 0) {
    return {1, "rank " + std::to_string(rank) + " is another program than rank 0: " + version +
                   "; every host needs the same one"};
  }
  std::string command;
  for (const std::string& argument : arguments) {
    command += (command.empty() ? "" : " ") + argument;
  }
  if (const auto [rank, other] = different(all, command); rank > 0) {
    return {2, "rank " + std::to_string(rank) + " was started with other arguments than rank 0: '" +
                   other + "'; give all of them the same"};
  }
  return {};
}

}  // namespace

Communicator* ranks() {
  return of_this_process;
}

std::string mpi_library() {
  return of_this_process != nullptr ? of_this_process->library() : "";
}

GraphCut graph_cut_of_ranks() {
  return of_this_process->graph_cut();
}

std::vector<std::string> hosts_of_ranks(Communicator& all) {
  return gather_texts(all, host_name());
}

RankEnd run_among_ranks(const LaunchedProcess& process, std::span<const std::string> arguments,
                        const std::string& speaker, const std::function<RankEnd()>& run) {
  std::unique_ptr<Muted> muted;
  if (process.rank != 0) muted = std::make_unique<Muted>();
  std::unique_ptr<ProcessRanks> started;
  try {
    started = open_mpi_ranks([&speaker](const std::string& line) {
      std::fputs((speaker + ": " + line + '\n').c_str(), stderr);
      std::fflush(stderr);
    });
  } catch (const Error& error) {
    return {2, process.rank == 0 ? error.what() : ""};
  }
  RankEnd end = compare_starts(*started, arguments);
  if (end.status == 0) {
    share_threads(started->sharing_cores());
    of_this_process = started.get();
    end = run();
    of_this_process = nullptr;
  }
  std::cout.flush();  // a launcher may end this process as soon as another one has failed
  return started->conclude(end);
}

}  // namespace sparsecast::cli
