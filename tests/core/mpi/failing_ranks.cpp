// What mpi_ranks_test.cpp runs under mpirun: ranks that sum again and again until rank 1 does what
// the argument says, "hang-before" MPI starts. A rank waits two seconds for another one. Of
// "tell-gpu-memory" rank 0 prints whether messages may lie there.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/engine/ranks/rank_lists.hpp"
#include "core/mpi/launched_process.hpp"
#include "core/mpi/mpi_ranks.hpp"

namespace {

void misbehave(const std::string& how, int rank) {
  const bool mine = how.starts_with("all-") || rank == (how.ends_with("-0") ? 0 : 1);
  if (!mine) return;
  if (how.find("hang") != std::string::npos) pause();
  if (how.find("throw") != std::string::npos) throw sparsecast::Error("nothing works");
  if (how.find("die") != std::string::npos) raise(SIGKILL);
}

}  // namespace

int main(int, char** argv) {
  const std::string how = argv[1];
  if (how == "hang-before" && sparsecast::launched_process().rank == 1) pause();
  const auto ranks = sparsecast::open_mpi_ranks(
      [](const std::string& line) { std::fprintf(stderr, "failing_ranks: %s\n", line.c_str()); },
      2);
  sparsecast::RankEnd end;
  try {
    const bool carries_gpu_memory = ranks->carries_gpu_memory();
    if (how == "tell-gpu-memory" && ranks->rank() == 0) {
      std::printf("%s", carries_gpu_memory ? "true" : "false");
    }
    for (int round = 0; round < 200; ++round) {
      if (ranks->sum(1) != ranks->size()) end = {3, "a wrong sum"};
      // More than fits into a message that is on its way by itself.
      const std::vector<sparsecast::Buffer<int>> lists(
          static_cast<std::size_t>(ranks->size()), sparsecast::Buffer<int>(100'000, ranks->rank()));
      if (round % 50 == 0 && exchange_lists(*ranks, lists).back().back() != ranks->size() - 1) {
        end = {3, "a wrong list"};
      }
      if (round == 100) misbehave(how, ranks->rank());
    }
  } catch (const sparsecast::Error& error) {
    end = {1, error.what()};
  }
  end = ranks->conclude(end);
  if (!end.line.empty()) std::fprintf(stderr, "failing_ranks: %s\n", end.line.c_str());
  return end.status;
}
