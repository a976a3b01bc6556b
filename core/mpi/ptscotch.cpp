#include "core/mpi/ptscotch.hpp"

#include <mpi.h>
#include <ptscotch.h>

#include <array>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <string>
#include <type_traits>

#include "core/base/error.hpp"

namespace {

/// What PT-Scotch has said first of what went wrong in a call.
std::string complaint;

}  // namespace

// PT-Scotch says what is wrong by these, of which its own write to standard error.
extern "C" void SCOTCH_errorPrint(const char* const format, ...) {
  std::array<char, 256> text{};
  std::va_list values;
  va_start(values, format);
  std::vsnprintf(text.data(), text.size(), format, values);
  va_end(values);
  if (complaint.empty()) complaint = text.data();
}

extern "C" void SCOTCH_errorPrintW(const char* const, ...) {}

namespace sparsecast {
namespace {

static_assert(std::is_same_v<SCOTCH_Num, std::int64_t>,
              "PT-Scotch with 64-bit numbers is expected");

/// Throws `Error` unless a call has returned 0.
void check(int status) {
  if (status == 0) return;
  throw Error("PT-Scotch: " + (complaint.empty() ? "an error without a text" : complaint) +
              "; use more hosts, or keep the order of the matrix");
}

/// An object of PT-Scotch, which `end` ends.
template <class Object, void (*end)(Object*)>
class Scoped {
 public:
  template <class Start>
  explicit Scoped(const Start& start) {
    check(start(&object_));
  }
  ~Scoped() { end(&object_); }
  Scoped(const Scoped&) = delete;
  Scoped& operator=(const Scoped&) = delete;
  Object* get() { return &object_; }

 private:
  Object object_{};
};

using Graph = Scoped<SCOTCH_Dgraph, SCOTCH_dgraphExit>;
using Strategy = Scoped<SCOTCH_Strat, SCOTCH_stratExit>;
using Context = Scoped<SCOTCH_Context, SCOTCH_contextExit>;

/// A communicator whose messages meet no others.
class OwnCommunicator {
 public:
  OwnCommunicator() {
    if (MPI_Comm_dup(MPI_COMM_WORLD, &communicator_) != MPI_SUCCESS) {
      throw Error("MPI made no communicator for PT-Scotch");
    }
  }
  ~OwnCommunicator() { MPI_Comm_free(&communicator_); }
  OwnCommunicator(const OwnCommunicator&) = delete;
  OwnCommunicator& operator=(const OwnCommunicator&) = delete;
  MPI_Comm get() const { return communicator_; }

 private:
  MPI_Comm communicator_ = MPI_COMM_NULL;
};

/// The array of numbers, which PT-Scotch does not change. One without any is not one that is left
/// out, which nullptr says.
std::int64_t* array_of(const Buffer<std::int64_t>& numbers) {
  static std::int64_t nothing = 0;
  return numbers.empty() ? &nothing : const_cast<std::int64_t*>(numbers.data());
}

void build(Graph& built, const RankGraph& graph) {
  const std::int64_t nodes = graph.own_nodes();
  const std::int64_t neighbours = std::ssize(graph.neighbours);
  check(SCOTCH_dgraphBuild(built.get(), 0, nodes, nodes, array_of(graph.offsets), nullptr,
                           array_of(graph.weights), nullptr, neighbours, neighbours,
                           array_of(graph.neighbours), nullptr, nullptr));
}

/// The same on every run: messages are taken in a fixed order, by one thread, and random numbers
/// are those of one seed.
void make_deterministic(Context& context) {
  check(SCOTCH_contextOptionSetNum(context.get(), SCOTCH_OPTIONNUMDETERMINISTIC, 1));
  check(SCOTCH_contextThreadSpawn(context.get(), 1, nullptr));
  check(SCOTCH_contextRandomClone(context.get()));
  SCOTCH_contextRandomSeed(context.get(), 1);
  SCOTCH_contextRandomReset(context.get());
}

}  // namespace

void require_ptscotch() {
  // One for other numbers has the same name.
  if (SCOTCH_numSizeof() == sizeof(SCOTCH_Num)) return;
  throw Error(
      "the PT-Scotch that was loaded is not the one with 64-bit numbers that this program was "
      "built with; look at LD_LIBRARY_PATH");
}

std::vector<int> cut_by_ptscotch(const RankGraph& graph, int parts) {
  constexpr double imbalance = 0.01;
  complaint.clear();
  const OwnCommunicator communicator;
  const auto start = [&](SCOTCH_Dgraph* made) {
    return SCOTCH_dgraphInit(made, communicator.get());
  };
  Graph built(start);
  build(built, graph);
  Context context(SCOTCH_contextInit);
  make_deterministic(context);
  Graph bound(start);
  check(SCOTCH_contextBindDgraph(context.get(), built.get(), bound.get()));
  Strategy strategy(SCOTCH_stratInit);
  check(SCOTCH_stratDgraphMapBuild(strategy.get(), SCOTCH_STRATQUALITY, parts, parts, imbalance));
  std::vector<SCOTCH_Num> part_of(graph.weights.size() + 1);  // not empty, like `array_of`
  check(SCOTCH_dgraphPart(bound.get(), parts, strategy.get(), part_of.data()));
  return {part_of.begin(), part_of.end() - 1};
}

}  // namespace sparsecast
