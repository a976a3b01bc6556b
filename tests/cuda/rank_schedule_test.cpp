#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include "core/analysis/partition.hpp"
#include "core/base/error.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/cuda/device/check.cuh"
#include "core/engine/ranks/rank_solve.hpp"
#include "core/engine/shipped_schedules.hpp"
#include "core/formats/registry.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/refusal.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "core/schedule/method/preconditioner.hpp"
#include "cuda/gpu_test.hpp"
#include "cuda/multi_gpu_test.hpp"
#include "cuda/nccl_test.hpp"

/// @file
/// Ranks with a GPU each. They are threads here: that processes reach each other's memory, too, is
/// tested by the program (cli/ranks_test.cpp).

namespace sparsecast {
namespace {

BackendOfRank on_gpus(const CudaPolicy& policy, int gpus) {
  return [=](const RankPart& part) {
    return std::make_unique<CudaBackend>(part, GpuPart(part.ranks->rank() % gpus), policy);
  };
}

CudaPolicy launched(LaunchMode mode, ExchangeMode exchange = ExchangeMode::automatic) {
  CudaPolicy policy;
  policy.launch_mode = mode;
  policy.exchange = exchange;
  return policy;
}

/// From and to the memory of hosts and of any GPU, as GPU-aware MPI does.
void copy_anywhere(std::byte* to, const std::byte* from, std::size_t bytes) {
  SPARSECAST_CUDA_CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
  SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(nullptr));
}

template <class T>
Solved solve_on_gpus(const RankSolve& what, int ranks, const CudaPolicy& policy) {
  const auto gpus = static_cast<int>(list_gpus().devices.size());
  const bool aware = policy.exchange == ExchangeMode::gpu_aware;
  return solve_by_ranks<T>(what, ranks, on_gpus(policy, gpus), gpu_row_alignment,
                           aware ? ThreadRanks::Copy(copy_anywhere) : ThreadRanks::Copy());
}

/// Through the hosts: any number of ranks may share a GPU.
class RankHostTest : public GpuTest {};

/// From GPU to GPU, by ranks that carry such messages; any number of them may share a GPU, too.
class RankGpuAwareTest : public GpuTest {
 protected:
  const CudaPolicy policy = launched(LaunchMode::automatic, ExchangeMode::gpu_aware);
};

/// Kernels that reach each other.
class RankLinkTest : public MultiGpuTest {};

/// NCCL between kernels; it takes one rank a GPU.
class RankNcclTest : public NcclTest<MultiGpuTest> {};

void solves_by_every_solver(const CudaPolicy& policy) {
  for (const std::string& name : shipped_names()) {
    SCOPED_TRACE(name);
    const RankSolve what{.matrix = matrix_for_schedule(name), .method = &shipped_method(name)};
    const Solved together = solve_on_gpus<double>(what, 2, policy);
    expect_alike(together, solve_alone<double>(what), 1e-7);
    EXPECT_EQ(solve_on_gpus<double>(what, 2, policy).x, together.x);
    if (full_or_brief(0, 1) == 1) continue;
    RankSolve single = what;
    single.stop.tolerance = 1e-4;
    const Solved in_f32 = solve_on_gpus<float>(single, 2, policy);
    EXPECT_EQ(in_f32.result.outcome, Outcome::converged);
    EXPECT_LE(in_f32.result.residual_norm, 2e-4 * in_f32.result.right_hand_side_norm);
  }
}

void solves_in_layouts(const std::vector<Layout>& layouts, const CudaPolicy& policy,
                       const std::string& general = "bicg") {
  // Not symmetric, with far columns, and a transpose among the products; and blocks of 3.
  for (const std::string& solver : {general, std::string("cg")}) {
    RankSolve what{.matrix = solver == general ? dominant_matrix(700) : fem_elasticity(1, 6, 3),
                   .method = &shipped_method(solver)};
    const Solved alone = solve_alone<double>(what);
    for (const Layout& layout : layouts) {
      what.layout = layout;
      SCOPED_TRACE(solver + ' ' + to_string(layout));
      expect_alike(solve_on_gpus<double>(what, 2, policy), alone, 1e-6);
    }
  }
}

void solves_by_all_rules(const CudaPolicy& policy) {
  RankSolve what{.matrix = laplacian(5, 41, 33)};
  for (const StopRule::Kind kind : {StopRule::Kind::relative, StopRule::Kind::preconditioned,
                                    StopRule::Kind::absolute, StopRule::Kind::fixed_iterations}) {
    SCOPED_TRACE(static_cast<int>(kind));
    what.stop.kind = kind;
    what.stop.max_iterations = kind == StopRule::Kind::fixed_iterations ? 30 : 1000;
    expect_alike(solve_on_gpus<double>(what, 2, policy), solve_alone<double>(what), 1e-6);
  }
}

void solves_by_block_jacobi(const CudaPolicy& policy) {
  for (const int size : {3, 7}) {
    SCOPED_TRACE(size);
    const Method method =
        with_preconditioner(shipped_method("cg"), Preconditioner::block_jacobi(size));
    const RankSolve what{.matrix = fem_elasticity(1, 6, 3), .method = &method};
    expect_alike(solve_on_gpus<double>(what, 2, policy), solve_alone<double>(what), 1e-7);
  }
}

TEST_F(RankHostTest, SolvesByBlockJacobi) {
  solves_by_block_jacobi(launched(LaunchMode::host));
}
TEST_F(RankLinkTest, SolvesByBlockJacobi) {
  solves_by_block_jacobi(launched(LaunchMode::graph));
}
TEST_F(RankNcclTest, SolvesByBlockJacobi) {
  solves_by_block_jacobi(launched(LaunchMode::graph, ExchangeMode::nccl));
}
TEST_F(RankNcclTest, SolvesByLongCycles) {
  RankSolve what{.matrix = laplacian(5, 60, 60), .method = &shipped_method("gmres")};
  what.settings = {{"m", 50}};
  expect_alike(solve_on_gpus<double>(what, 2, launched(LaunchMode::graph, ExchangeMode::nccl)),
               solve_alone<double>(what), 1e-6);
}
TEST_F(RankHostTest, SolvesByEverySolver) {
  solves_by_every_solver(launched(LaunchMode::host));
}
TEST_F(RankLinkTest, SolvesByEverySolver) {
  solves_by_every_solver(launched(LaunchMode::graph));
}
TEST_F(RankLinkTest, SolvesByPlainLaunches) {
  solves_by_all_rules(launched(LaunchMode::plain));
}
TEST_F(RankHostTest, SolvesInEveryLayout) {
  solves_in_layouts(all_layouts(), launched(LaunchMode::host));
}
TEST_F(RankLinkTest, SolvesInEveryLayout) {
  solves_in_layouts(all_layouts(), launched(LaunchMode::graph));
}
TEST_F(RankHostTest, SolvesByAllRules) {
  solves_by_all_rules(launched(LaunchMode::host));
}
TEST_F(RankLinkTest, SolvesByAllRules) {
  solves_by_all_rules(launched(LaunchMode::automatic));
}

TEST_F(RankGpuAwareTest, SolvesByBlockJacobi) {
  solves_by_block_jacobi(policy);
}
TEST_F(RankGpuAwareTest, SolvesByEverySolver) {
  solves_by_every_solver(policy);
}
TEST_F(RankGpuAwareTest, SolvesInLayouts) {
  solves_in_layouts({Layout{}, parse_layout("bcsr3"), parse_layout("sell32-sorted")}, policy);
}
TEST_F(RankGpuAwareTest, SolvesByAllRules) {
  solves_by_all_rules(policy);
}
TEST_F(RankGpuAwareTest, SolvesOnThreeAndFiveRanksOfFewRows) {
  RankSolve what{.matrix = laplacian(5, 3, 1)};
  const Solved alone = solve_alone<double>(what);
  for (const int ranks : {3, 5}) {
    expect_alike(solve_on_gpus<double>(what, ranks, policy), alone, 1e-9);
  }
}

TEST_F(RankNcclTest, SolvesByEverySolver) {
  solves_by_every_solver(launched(LaunchMode::graph, ExchangeMode::nccl));
}
// To join the ranks takes NCCL a second each time.
TEST_F(RankNcclTest, SolvesInLayouts) {
  solves_in_layouts({Layout{}, parse_layout("bcsr3"), parse_layout("sell32-sorted")},
                    launched(LaunchMode::graph, ExchangeMode::nccl));
}
// Of an arrow the last rank alone has a long row, which HYB keeps apart and launches twice more
// for.
TEST_F(RankNcclTest, SolvesWhereRanksHaveDifferentLaunches) {
  RankSolve what{.matrix = arrow(900, 1), .layout = parse_layout("hyb")};
  expect_alike(solve_on_gpus<double>(what, 2, launched(LaunchMode::graph, ExchangeMode::nccl)),
               solve_alone<double>(what), 1e-6);
}
TEST_F(RankNcclTest, SolvesByAllRulesByPlainLaunches) {
  solves_by_all_rules(launched(LaunchMode::plain, ExchangeMode::nccl));
}
TEST_F(RankNcclTest, SolvesOnRanksOfFewRows) {
  RankSolve what{.matrix = laplacian(5, 37, 1)};
  expect_alike(solve_on_gpus<double>(what, 2, launched(LaunchMode::graph, ExchangeMode::nccl)),
               solve_alone<double>(what), 1e-9);
}

/// Products by the matrix in two, whatever a halo has.
CudaPolicy overlapping(LaunchMode mode) {
  CudaPolicy policy = launched(mode, ExchangeMode::nccl);
  policy.fewest_overlapped_bytes = 1;
  return policy;
}

TEST_F(RankNcclTest, SolvesByEverySolverWhileHalosAreOnTheirWay) {
  solves_by_every_solver(overlapping(LaunchMode::graph));
}
TEST_F(RankNcclTest, SolvesByAllRulesWhileHalosAreOnTheirWayByPlainLaunches) {
  solves_by_all_rules(overlapping(LaunchMode::plain));
}
// Of the layouts some sum with the product, some behind it, and some store nothing for a row
// without entries.
TEST_F(RankNcclTest, SolvesInLayoutsWhileHalosAreOnTheirWay) {
  std::vector<Layout> layouts;
  for (const char* name : {"csr", "bcsr3", "sell32-sorted", "coo", "hyb"}) {
    layouts.push_back(parse_layout(name));
  }
  solves_in_layouts(layouts, overlapping(LaunchMode::graph), "bicgstab");
  RankSolve what{.matrix = laplacian(5, 60, 60), .layout = parse_layout("dia")};
  expect_alike(solve_on_gpus<double>(what, 2, overlapping(LaunchMode::graph)),
               solve_alone<double>(what), 1e-6);
}

TEST_F(RankNcclTest, SolvesOnRanksOfFewRowsWhileHalosAreOnTheirWay) {
  RankSolve what{.matrix = laplacian(5, 37, 1)};
  expect_alike(solve_on_gpus<double>(what, 2, overlapping(LaunchMode::graph)),
               solve_alone<double>(what), 1e-9);
}

/// What is not in the matrix of own columns is beside it.
TEST_F(RankNcclTest, HoldsTheMatrixInTwoWhereHalosAreLarge) {
  const RankSolve what{.matrix = dominant_matrix(2000), .method = &shipped_method("bicgstab")};
  const auto bytes = [&](const CudaPolicy& policy) {
    return solve_on_gpus<double>(what, 2, policy).result.bytes_per_device;
  };
  const std::vector<std::int64_t> whole = bytes(launched(LaunchMode::graph, ExchangeMode::nccl));
  const std::vector<std::int64_t> in_two = bytes(overlapping(LaunchMode::graph));
  ASSERT_EQ(whole.size(), in_two.size());
  // 12 bytes a row in a halo, more than nine in ten.
  for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_GT(in_two[i], whole[i] + 10000);
  CudaPolicy more = overlapping(LaunchMode::graph);
  more.fewest_overlapped_bytes = 2000 * sizeof(double);  // more than there are
  EXPECT_EQ(bytes(more), whole);
}

TEST_F(RankHostTest, SolvesOnThreeAndFiveRanksOfFewRows) {
  RankSolve what{.matrix = laplacian(5, 3, 1)};
  const Solved alone = solve_alone<double>(what);
  for (const int ranks : {3, 5}) {
    expect_alike(solve_on_gpus<double>(what, ranks, launched(LaunchMode::host)), alone, 1e-9);
  }
}

TEST_F(RankLinkTest, SolvesOnRanksOfFewRows) {
  for (const int rows : {3, 37}) {
    RankSolve what{.matrix = laplacian(5, rows, 1)};
    expect_alike(solve_on_gpus<double>(what, 2, launched(LaunchMode::graph)),
                 solve_alone<double>(what), 1e-9);
  }
}

/// What stops one rank between runs ends all: the others' kernels wait for it, at most their
/// patience.
TEST_F(RankLinkTest, EndsAllWhereOneStops) {
  const CsrMatrix<double> matrix = laplacian(5, 40, 40);
  std::array<std::string, 2> errors;
  ThreadRanks::run(2, [&](Communicator& ranks) {
    const RankMatrix mine = distribute(ranks, matrix.rows, known_entries(matrix, ranks),
                                       {.row_alignment = gpu_row_alignment});
    CudaPolicy policy = launched(LaunchMode::graph);
    policy.device_patience_seconds = 0.2;
    CudaBackend backend(mine.part, GpuPart(ranks.rank()), policy);
    const auto prepared = backend.prepare(fused_cg_schedule(), mine.matrix.view(), Layout{});
    const auto count = static_cast<std::size_t>(mine.matrix.rows);
    for (const SolverSlots::Diagonal& each : cg_slots().diagonals) {
      prepared->set_vector(each.vector, std::vector<double>(count, 0.25));
    }
    prepared->set_vector(cg_slots().right_hand_side, std::vector<double>(count, 1));
    prepared->set_scalar("patience", 1000);
    // One runs less than the other.
    try {
      prepared->run_setup();
      prepared->run(ranks.rank() == 0 ? 20 : 10);
      prepared->run(1);
    } catch (const Error& error) {
      errors[static_cast<std::size_t>(ranks.rank())] = error.what();
    }
  });
  for (const std::string& error : errors) {
    EXPECT_NE(error.find("the GPU of rank 1 did not answer for 0.2 s"), std::string::npos) << error;
  }
}

TEST_F(RankHostTest, ToldTheirSize) {
  RankSolve what{.matrix = laplacian(5, 40, 40)};
  const Solved together = solve_on_gpus<double>(what, 3, launched(LaunchMode::host));
  EXPECT_EQ(together.result.bytes_per_device.size(), 3u);
  for (const std::int64_t bytes : together.result.bytes_per_device) EXPECT_GT(bytes, 0);
}

TEST_F(RankHostTest, RefusesWhatRanksDoNotDo) {
  RankSolve what{.matrix = laplacian(5, 8, 8)};
  const auto refusal = [&](const CudaPolicy& policy) -> std::string {
    try {
      solve_on_gpus<double>(what, 2, policy);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal(launched(LaunchMode::persistent)),
            "launch mode persistent runs on one GPU; use graph on several ranks");
  CudaPolicy policy = launched(LaunchMode::host);
  policy.exchange = ExchangeMode::peer;
  EXPECT_EQ(refusal(policy),
            "no rank has a whole vector to exchange; use exchange halo, nccl, gpu-aware or staged");
  policy.exchange = ExchangeMode::halo;
  EXPECT_EQ(refusal(policy),
            "in launch mode host the hosts of ranks exchange, not 'halo'; use exchange gpu-aware "
            "or staged, or graph");
  for (const ExchangeMode mode : {ExchangeMode::gpu_aware, ExchangeMode::staged}) {
    EXPECT_EQ(refusal(launched(LaunchMode::graph, mode)),
              "ranks exchange '" + std::string(to_string(mode)) +
                  "' in launch mode host; use it, or exchange halo or nccl");
  }
}

TEST_F(RankHostTest, RefusesGpuMemoryWhereMessagesMayNotLieThere) {
  const RankSolve what{.matrix = laplacian(5, 8, 8)};
  const BackendOfRank aware = on_gpus(launched(LaunchMode::automatic, ExchangeMode::gpu_aware), 1);
  EXPECT_EQ(refusal_of([&] { solve_by_ranks<double>(what, 2, aware, gpu_row_alignment); }),
            "this MPI does not take memory of GPUs (Open MPI built --with-cuda); use exchange nccl "
            "or staged");
}

TEST_F(RankHostTest, TakesGpuMemoryOnlyWhereItIsAskedFor) {
  const CsrMatrix<double> matrix = laplacian(5, 20, 20);
  const auto described = [&](const CudaPolicy& policy) {
    std::string description;
    const auto body = [&](Communicator& ranks) {
      const RankMatrix mine = distribute(ranks, matrix.rows, known_entries(matrix, ranks),
                                         {.row_alignment = gpu_row_alignment});
      const CudaBackend backend(mine.part, GpuPart(0), policy);
      if (ranks.rank() == 0) description = backend.description();
    };
    ThreadRanks::run(2, body, copy_anywhere);
    return description;
  };
  EXPECT_NE(described(launched(LaunchMode::host)).find("2 ranks, exchange staged"),
            std::string::npos);
  EXPECT_NE(described(launched(LaunchMode::host, ExchangeMode::gpu_aware))
                .find("2 ranks, exchange gpu-aware"),
            std::string::npos);
}

}  // namespace
}  // namespace sparsecast
