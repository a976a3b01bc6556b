#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/engine/ranks/communicator.hpp"
#include "core/engine/ranks/rank_graph.hpp"

namespace sparsecast {

/// How long a rank waits for another one before it ends all of them. Ranks read equal shares of a
/// file and multiply equal shares of a matrix, so that one waits for another much less.
inline constexpr double rank_patience_seconds = 120;

/// How a process ends, or all of them: exit status, and for one that is not 0 a line that says why.
struct RankEnd {
  int status = 0;
  std::string line;
};

/// The processes that a launcher of MPI programs has started.
class ProcessRanks : public Communicator {
 public:
  /// Every rank calls it last, also one that failed; nothing is sent after it. Where all ranks come
  /// here, it returns on all of them how they end; rank 0 has said why, and the line is empty.
  /// Where one has failed that others wait for, rank 0 says why, and all processes end at once.
  virtual RankEnd conclude(const RankEnd& mine) = 0;

  /// Processes that may run on the same cores as this one, itself counted.
  virtual int sharing_cores() = 0;

  /// Cuts graphs by PT-Scotch, into the same parts for as many ranks every time. It has as long as
  /// a rank waits for another one and 10 us for each neighbour of the largest stretch; then all
  /// processes end. Throws `Error` where the program was built without PT-Scotch.
  virtual GraphCut graph_cut() = 0;

  /// The MPI that is there: "Open MPI v4.1.4".
  virtual std::string library() const = 0;
};

/// Whether this program was built with MPI.
bool has_mpi();

/// Starts MPI, once in a process. Messages come from this thread only, or from another one that
/// runs in its place. `say` prints a line when a rank ends all: when one is gone or has failed, and
/// when one has not answered for `patience_seconds`, which MPI has to start, and to end, too.
/// Throws `Error` without MPI, and where MPI does not start.
std::unique_ptr<ProcessRanks> open_mpi_ranks(std::function<void(const std::string& line)> say,
                                             double patience_seconds = rank_patience_seconds);

}  // namespace sparsecast
