#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/cuda/cuda_backend.hpp"
#include "core/cuda/device/current_gpu.cuh"
#include "core/cuda/ranks/rank_schedule.cuh"
#include "core/engine/ranks/thread_ranks.hpp"
#include "core/engine/shipped_schedules.hpp"
#include "core/formats/registry.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/schedule/method/lower.hpp"
#include "cuda/gpu_test.hpp"
#include "cuda/nccl_test.hpp"

/// @file
/// NCCL on one GPU: a rank that is its own neighbour. Some of its rows look values up in a halo
/// that holds copies of its own values, so that it solves what one GPU solves without a halo.

namespace sparsecast {
namespace {

/// The part of a rank that has all rows. Of every second value there is a copy in the halo, for
/// every third row; or, where `on_diagonals`, of all, for entries far below the diagonal.
struct OwnNeighbour {
  RankPart part;
  CsrMatrix<double> matrix;

  OwnNeighbour(const CsrMatrix<double>& whole, bool on_diagonals, Communicator& ranks) {
    const int step = on_diagonals ? 1 : 2;
    // Where blocks of all sizes may begin.
    constexpr std::int64_t alignment = 3 * gpu_row_alignment;
    const std::int64_t count = (whole.rows + step - 1) / step;
    const std::int64_t before = (count + alignment - 1) / alignment * alignment;
    const std::int64_t first = before - count;
    std::vector<std::int32_t> copied;
    for (std::int64_t row = 0; row < whole.rows; row += step) {
      copied.push_back(static_cast<std::int32_t>(before + row));
    }
    part.ranks = &ranks;
    part.rows.begins = {0, whole.rows};
    part.own = {before, before + whole.rows};
    part.halo.sends.push_back({0, copied});
    part.halo.receives.push_back({0, first, count});
    matrix.rows = matrix.columns = before + whole.rows;
    matrix.row_offsets.assign(static_cast<std::size_t>(before) + 1, 0);
    std::vector<std::pair<std::int32_t, double>> entries;
    for (std::int64_t row = 0; row < whole.rows; ++row) {
      entries.clear();
      for (auto k = static_cast<std::size_t>(whole.row_offsets[static_cast<std::size_t>(row)]);
           k < static_cast<std::size_t>(whole.row_offsets[static_cast<std::size_t>(row) + 1]);
           ++k) {
        const std::int32_t column = whole.column_indices[k];
        const bool in_halo =
            on_diagonals ? column < row - 1 : row % 3 == 0 && column % 2 == 0 && column != row;
        const std::int64_t number = in_halo ? first + column / step : before + column;
        entries.emplace_back(static_cast<std::int32_t>(number), whole.values[k]);
      }
      std::ranges::sort(entries);
      for (const auto& [column, value] : entries) {
        matrix.column_indices.push_back(column);
        matrix.values.push_back(value);
      }
      matrix.row_offsets.push_back(matrix.nonzeros());
    }
  }
};

class NcclScheduleTest : public NcclTest<GpuTest> {
 protected:
  struct Case {
    std::string name;  ///< of the solver
    Layout layout;
    CudaPolicy policy;
    bool on_diagonals = false;
  };

  /// To join ranks takes NCCL a second.
  static void check(const std::vector<Case>& cases) {
    ThreadRanks::run(1, [&](Communicator& ranks) {
      cuda::use_gpu(GpuPart(0));
      cuda::NcclGroup group(ranks);
      for (const Case& each : cases) check(each, ranks, group);
    });
  }

  /// Iterations of a solver, by the rank and by one GPU without NCCL.
  static void check(const Case& what, Communicator& ranks, cuda::NcclGroup& group) {
    const auto& [name, layout, policy, on_diagonals] = what;
    SCOPED_TRACE(name + ' ' + to_string(layout));
    constexpr std::int64_t iterations = 8;
    const CsrMatrix<double> whole = shipped_method(name).needs == MatrixKind::square
                                        ? dominant_matrix(3000)
                                        : laplacian(5, 60, 50);
    const Solver solver = lower(shipped_method(name), {}, Execution::fused);
    std::mt19937 random(5);
    const std::vector<double> b = random_vector<double>(whole.rows, random);

    const auto run = [&](PreparedSchedule<double>& prepared, std::int64_t before) {
      const std::int64_t numbers = before + whole.rows;
      std::vector<double> values(static_cast<std::size_t>(numbers), 0);
      prepared.set_vector(solver.slots.solution, values);
      std::ranges::copy(b, values.begin() + before);
      prepared.set_vector(solver.slots.right_hand_side, values);
      for (const SolverSlots::Diagonal& each : solver.slots.diagonals) {
        prepared.set_vector(each.vector, std::vector<double>(values.size(), 0.25));
      }
      for (const ScalarDeclaration& each : solver.schedule.scalars) {
        if (each.name == "patience") prepared.set_scalar("patience", 1000);
      }
      prepared.run_setup();
      prepared.run(iterations);
      prepared.run(iterations);  // from where it stands
      prepared.run_finish();
      prepared.get_vector(solver.slots.solution, values);
      return std::vector<double>(values.begin() + before, values.end());
    };

    CudaPolicy alone;
    alone.launch_mode = LaunchMode::graph;
    CudaBackend one(GpuPart(0), alone);
    const std::vector<double> expected =
        run(*one.prepare(solver.schedule, whole.view(), Layout{}), 0);
    double scale = 0;
    for (const double x : expected) scale = std::max(scale, std::abs(x));
    ASSERT_GT(scale, 0);
    const OwnNeighbour mine(whole, on_diagonals, ranks);
    cuda::RankSchedule<double> schedule(mine.part, GpuPart(0), policy, &group, solver.schedule,
                                        mine.matrix.view(), layout);
    const std::vector<double> x = run(schedule, mine.part.own.begin_row);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], expected[i], 1e-8 * scale) << i;
    EXPECT_GT(schedule.counters().exchanges, iterations);
  }

  static CudaPolicy by_nccl(LaunchMode mode, bool overlaps) {
    CudaPolicy policy;
    policy.launch_mode = mode;
    policy.exchange = ExchangeMode::nccl;
    if (overlaps) policy.fewest_overlapped_bytes = 1;
    return policy;
  }
};

constexpr std::array solvers{"bicgstab", "cg", "chronopoulos-gear", "cnc"};

TEST_F(NcclScheduleTest, SolvesAsWithoutAHalo) {
  std::vector<Case> cases;
  for (const char* name : solvers) {
    cases.push_back({name, Layout{}, by_nccl(LaunchMode::graph, false)});
  }
  check(cases);
}

TEST_F(NcclScheduleTest, SolvesWhileItsHaloIsOnItsWay) {
  std::vector<Case> cases{{"cg", Layout{}, by_nccl(LaunchMode::plain, true)}};
  for (const char* name : solvers) {
    cases.push_back({name, Layout{}, by_nccl(LaunchMode::graph, true)});
  }
  check(cases);
}

TEST_F(NcclScheduleTest, SolvesInEveryLayoutWhileItsHaloIsOnItsWay) {
  std::vector<Case> cases;
  for (const Layout& layout : all_layouts()) {
    const bool on_diagonals = format_of(layout).name == "dia";
    cases.push_back({"cg", layout, by_nccl(LaunchMode::graph, true), on_diagonals});
  }
  check(cases);
}

}  // namespace
}  // namespace sparsecast
