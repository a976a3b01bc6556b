#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/random_pass.hpp"
#include "core/schedule/split_pass.hpp"
#include "cuda/cg_system.hpp"
#include "cuda/gpu_test.hpp"
#include "cuda/multi_gpu_test.hpp"

namespace sparsecast {
namespace {

constexpr std::array launch_modes{LaunchMode::host, LaunchMode::plain, LaunchMode::graph};

template <class T>
std::unique_ptr<PreparedSchedule<T>> prepare(const std::vector<GpuPart>& devices,
                                             const CudaPolicy& policy, const Schedule& schedule,
                                             std::int64_t size) {
  CudaBackend backend(devices, policy);
  if constexpr (std::is_same_v<T, float>) {
    return backend.prepare_vectors_f32(schedule, size);
  } else {
    return backend.prepare_vectors_f64(schedule, size);
  }
}

/// Runs a pass once and compares vectors, sums and counters.
template <class T>
void try_out(const std::vector<GpuPart>& devices, const CudaPolicy& policy, const VectorPass& pass,
             int operands, std::int64_t size, std::mt19937& random) {
  SCOPED_TRACE(std::to_string(operands) + " operands, " + std::to_string(dot_count(pass)) +
               " dots, " + std::to_string(size) + " rows, " +
               std::string(to_string(policy.launch_mode)) +
               (policy.compile_passes ? ", compiled" : ", interpreted"));
  const Schedule schedule = pass_schedule(pass, operands, scalar_count);
  const Step& step = schedule.iteration[0];
  const auto before = pass_vectors<T>(step, size, random);
  const auto end = static_cast<std::size_t>(size);
  const PassReference reference = pass_reference(pass, before, scalar_values, 0, end);
  const auto prepared = prepare<T>(devices, policy, schedule, size);
  expect_pass_run(*prepared, schedule, before, reference,
                  policy.compile_passes ? 1 : std::ssize(without_blocks(step)));
}

/// By a kernel that is compiled for the pass, and by one that reads what it is to do.
template <class T>
void try_out_both(const std::vector<GpuPart>& devices, CudaPolicy policy, const VectorPass& pass,
                  int operands, std::int64_t size, std::mt19937& random) {
  for (const bool compiled : {true, false}) {
    policy.compile_passes = compiled;
    try_out<T>(devices, policy, pass, operands, size, random);
  }
}

template <class T>
class CudaPassTest : public GpuTest {
 protected:
  std::mt19937 random_{2012};
};
using ValueTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaPassTest, ValueTypes);

TYPED_TEST(CudaPassTest, CarriesOutRandomStatementsOfAllOperandsAndDots) {
  CudaPolicy policy = policy_for(LaunchMode::plain);
  for (int operands = 1; operands <= most_pass_operands; ++operands) {
    for (int dots = 0; dots <= most_pass_dots; ++dots) {
      const int assignments = 1 + static_cast<int>(this->random_() % 4);
      const VectorPass pass = random_pass(this->random_, operands, assignments, dots, scalar_count);
      const auto size = static_cast<std::int64_t>(1 + this->random_() % 3000);
      // To compile takes a tenth of a second.
      policy.compile_passes = (operands + dots) % 4 == 0;
      try_out<TypeParam>({0}, policy, pass, operands, size, this->random_);
      policy.compile_passes = false;
      try_out<TypeParam>({0}, policy, pass, operands, size, this->random_);
    }
  }
}

TYPED_TEST(CudaPassTest, CarriesOutBlocksOfManyVectors) {
  for (const LaunchMode mode : launch_modes) {
    CudaPolicy policy = policy_for(mode);
    for (const int vectors : {9, 31, 64}) {
      for (const VectorPass& pass : block_passes(this->random_, vectors, scalar_count)) {
        for (const std::int64_t size : {1, 1025, 4099}) {
          try_out_both<TypeParam>({0}, policy, pass, 2 + vectors, size, this->random_);
        }
      }
    }
    if (full_or_brief(1, 0) == 0) continue;
    policy.finishing_blocks_per_multiprocessor = 1;
    for (const VectorPass& pass : block_passes(this->random_, 31, scalar_count)) {
      try_out_both<TypeParam>({0}, policy, pass, 33, 150'003, this->random_);
    }
  }
}

TYPED_TEST(CudaPassTest, CarriesOutAnyNumberOfRowsInEveryLaunchMode) {
  std::vector<std::int64_t> sizes{1, 2, 3, 4, 5, 257, 2047, 2048, 2049, 4099};
  if (full_or_brief(1, 0) == 1) sizes.push_back(400'003);
  for (const int dots : {0, 2, 3}) {
    const VectorPass pass = random_pass(this->random_, 4, 3, dots, scalar_count);
    for (const LaunchMode mode : launch_modes) {
      CudaPolicy policy = policy_for(mode);
      policy.finishing_blocks_per_multiprocessor = 1;  // several rounds of every block
      for (const std::int64_t size : sizes) {
        try_out_both<TypeParam>({0}, policy, pass, 4, size, this->random_);
      }
    }
  }
}

TYPED_TEST(CudaPassTest, CarriesOutVectorsThatAreLargerThanTheCache) {
  const std::int64_t size = full_or_brief(20'000'001, 5'001);
  for (const int dots : {0, 1}) {
    const VectorPass pass = random_pass(this->random_, 3, 2, dots, scalar_count);
    CudaPolicy policy = policy_for(LaunchMode::graph);
    policy.compile_passes = dots == 0;
    try_out<TypeParam>({0}, policy, pass, 3, size, this->random_);
  }
}

TYPED_TEST(CudaPassTest, CarriesOutDotProductsAloneAndAssignmentsOfNothing) {
  const CudaPolicy policy = policy_for(LaunchMode::graph);
  for (const std::int64_t size : {5, 5000}) {
    try_out_both<TypeParam>({0}, policy, random_pass(this->random_, 8, 0, 4, 0), 8, size,
                            this->random_);
    try_out_both<TypeParam>({0}, policy, {{{0, {}, -1, -1}}}, 1, size, this->random_);
  }
}

TYPED_TEST(CudaPassTest, AddsInfinityOfTheRowsThatAreThereOnly) {
  using T = TypeParam;
  // v = huge * u overflows; no row behind the last makes a NaN of the sum.
  const VectorPass pass{{{1, {{1e300, 0, 0}}, -1, -1}, {-1, {}, 1, 0}}};
  for (const std::int64_t size : {1, 1025}) {
    const auto prepared =
        prepare<T>({0}, policy_for(LaunchMode::plain), pass_schedule(pass, 2, 1), size);
    prepared->set_vector("v0", std::vector<T>(static_cast<std::size_t>(size), 1));
    prepared->set_scalar("s0", 1e300);
    prepared->run(1);
    EXPECT_EQ(prepared->scalar("sum0"), std::numeric_limits<double>::infinity());
  }
}

TYPED_TEST(CudaPassTest, GivesTheSameBitsInEveryRun) {
  using T = TypeParam;
  const VectorPass pass{{{-1, {}, 0, 1}, {-1, {}, 1, 1}, {-1, {}, 0, 0}}};
  const Schedule schedule = pass_schedule(pass, 2, 0);
  const std::int64_t size = full_or_brief(300'001, 5'001);
  const auto prepared = prepare<T>({0}, policy_for(LaunchMode::graph), schedule, size);
  const auto vectors = pass_vectors<T>(schedule.iteration[0], size, this->random_);
  prepared->set_vector("v0", vectors[0]);
  prepared->set_vector("v1", vectors[1]);
  prepared->run(1);
  const double first = prepared->scalar("sum0");
  for (int repeat = 0; repeat < full_or_brief(5, 1); ++repeat) {
    prepared->set_scalar("sum0", 12345);
    prepared->run(1);
    EXPECT_EQ(prepared->scalar("sum0"), first);
  }
}

/// Four iterations of `many_scalars_schedule`.
template <class T>
void run_many_scalars(const std::vector<GpuPart>& devices, const CudaPolicy& policy) {
  constexpr std::int64_t size = 3000;
  const auto prepared = prepare<T>(devices, policy, many_scalars_schedule(), size);
  prepared->set_vector("u", std::vector<T>(size, 1));
  prepared->set_vector("v", poison<T>(size));
  prepared->set_scalar("most_rounds", 4);
  const RunReport report = prepared->run(100);
  EXPECT_EQ(report.outcome, Outcome::converged);
  EXPECT_EQ(report.iterations, 4);
  EXPECT_EQ(prepared->scalar("rounds"), 4);
  EXPECT_EQ(prepared->scalar("chained"), 4 * 150 * size);
  EXPECT_EQ(prepared->scalar("mean"), 4 * 150 * size);
  std::vector<T> v(size);
  prepared->get_vector("v", v);
  EXPECT_EQ(v, std::vector<T>(size, 4 * 150 * size));
}

TYPED_TEST(CudaPassTest, TakesThousandsOfScalarsAndLongListsOfOperations) {
  for (const LaunchMode mode : launch_modes) {
    for (const bool compiled : {true, false}) {
      SCOPED_TRACE(std::string(to_string(mode)) + (compiled ? ", compiled" : ", interpreted"));
      CudaPolicy policy = policy_for(mode);
      policy.compile_passes = compiled;
      run_many_scalars<TypeParam>({0}, policy);
    }
  }
}

class CudaScalarsTest : public GpuTest {};

/// s0 and so many more scalars, each of which one operation makes of the one before.
Schedule chain_schedule(int scalars) {
  Schedule schedule;
  schedule.name = "chain";
  schedule.vectors = {{"u"}};
  Step chain;
  chain.kind = StepKind::host_scalar;
  chain.name = "Chain";
  for (int k = 0; k <= scalars; ++k) {
    schedule.scalars.push_back({"s" + std::to_string(k), 1});
    if (k > 0) chain.assignments.push_back({k, ScalarOperation::add, k - 1, 0});
  }
  schedule.scalars.push_back({"u_u", 0});
  schedule.iteration = {pass_step({{{-1, {}, 0, 0}}}, {0}, {scalars + 1}), chain};
  return schedule;
}

/// Lists around what a kernel holds of scalars and operations.
TEST_F(CudaScalarsTest, CarriesOutListsOfAnyLengthBehindASum) {
  for (const int scalars : {1, 39, 40, 41, 62, 63, 64, 65, 128, 129, 300}) {
    SCOPED_TRACE(scalars);
    const auto prepared =
        prepare<double>({0}, policy_for(LaunchMode::graph), chain_schedule(scalars), 10);
    prepared->set_vector("u", std::vector<double>(10, 2));
    prepared->run(3);
    EXPECT_EQ(prepared->scalar("u_u"), 40);
    for (int k = 1; k <= scalars; ++k) {
      ASSERT_EQ(prepared->scalar("s" + std::to_string(k)), 1 + k) << k;
    }
  }
}

TEST_F(CudaScalarsTest, AreRefusedWhereTheyAreTooMany) {
  Schedule schedule = chain_schedule(1);
  schedule.scalars.resize(4097, {"more", 0});
  try {
    prepare<double>({0}, {}, schedule, 10);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "schedule 'chain' has 4097 scalars; CUDA takes at most 4096");
  }
}

/// A schedule that adds ones up (2 rows) and carries a list of assignments out.
Schedule list_schedule(const std::vector<double>& initial,
                       const std::vector<ScalarAssignment>& assignments,
                       const std::vector<std::optional<ScalarTest>>& guards) {
  Schedule schedule;
  schedule.name = "list";
  schedule.vectors = {{"u"}};
  for (std::size_t k = 0; k < initial.size(); ++k) {
    schedule.scalars.push_back({"s" + std::to_string(k), initial[k]});
  }
  schedule.iteration = {pass_step({{{-1, {}, 0, 0}}}, {0}, {0})};
  for (std::size_t k = 0; k < assignments.size(); ++k) {
    Step step;
    step.kind = StepKind::host_scalar;
    step.name = "Assign";
    step.assignments = {assignments[k]};
    step.guard = guards[k];
    schedule.iteration.push_back(step);
  }
  return schedule;
}

/// Runs a list on the GPU, compiled and not, and on the host.
void expect_as_on_the_host(const std::vector<double>& initial,
                           const std::vector<ScalarAssignment>& assignments,
                           const std::vector<std::optional<ScalarTest>>& guards) {
  std::vector<double> expected = initial;
  expected[0] = 2;  // the sum
  for (std::size_t k = 0; k < assignments.size(); ++k) {
    if (!guards[k] || holds(*guards[k], expected)) sparsecast::apply(assignments[k], expected);
  }
  const Schedule schedule = list_schedule(initial, assignments, guards);
  for (const bool compiled : {true, false}) {
    SCOPED_TRACE(compiled ? "compiled" : "interpreted");
    CudaPolicy policy = policy_for(LaunchMode::graph);
    policy.compile_passes = compiled;
    const auto prepared = prepare<double>({0}, policy, schedule, 2);
    prepared->set_vector("u", std::vector<double>(2, 1));
    prepared->run(1);
    for (std::size_t k = 0; k < expected.size(); ++k) {
      const double actual = prepared->scalar("s" + std::to_string(k));
      if (std::isnan(expected[k])) {
        ASSERT_TRUE(std::isnan(actual)) << k;
      } else {
        ASSERT_EQ(actual, expected[k]) << k;
      }
    }
  }
}

/// Lists that go along arrays, with and without guards, forth and back, and such as nearly do.
TEST_F(CudaScalarsTest, GoAlongArraysAsOnTheHost) {
  std::mt19937 random(5);
  const auto below = [&](int end) {
    return static_cast<int>(random() % static_cast<unsigned>(end));
  };
  constexpr int slots = 120;
  for (int repeat = 0; repeat < full_or_brief(12, 2); ++repeat) {
    SCOPED_TRACE(repeat);
    std::vector<double> initial;
    for (int k = 0; k < slots; ++k) initial.push_back(random_value(random));
    std::vector<ScalarAssignment> assignments;
    std::vector<std::optional<ScalarTest>> guards;
    for (int part = 0; part < 6; ++part) {
      const int rounds = 1 + below(9);
      const int period = 1 + below(5);
      const bool one_guard = below(3) == 0;
      const ScalarTest guard{below(slots), Comparison::less, below(slots)};
      struct Place {
        int first, stride;
        int at(int round) const { return (first + stride * round + 40 * slots) % slots; }
      };
      const auto place = [&] {
        return Place{1 + below(slots - 1), below(3) == 0 ? 0 : below(7) - 3};
      };
      std::vector<std::array<Place, 6>> places;
      std::vector<ScalarOperation> operations;
      std::vector<int> guarded;
      for (int q = 0; q < period; ++q) {
        places.push_back({place(), place(), place(), place(), place(), place()});
        // As rotations do: what one makes another reads, in this round or the next.
        if (q > 0 && below(2) == 0) places[q][1] = places[q - 1][0];
        if (below(2) == 0) {
          places[q][2] = places[below(q + 1)][0];
          places[q][2].first -= places[q][2].stride;
        }
        // Not hypot, of which the GPU may round the last bit otherwise.
        auto operation =
            static_cast<ScalarOperation>(below(static_cast<int>(ScalarOperation::select) + 1));
        if (operation == ScalarOperation::hypot) operation = ScalarOperation::subtract;
        operations.push_back(operation);
        guarded.push_back(below(3));
      }
      for (int round = 0; round < rounds; ++round) {
        for (int q = 0; q < period; ++q) {
          const auto at = [&](int which) { return std::max(1, places[q][which].at(round)); };
          assignments.push_back({at(0), operations[q], at(1), at(2), at(3)});
          guards.emplace_back();
          if (one_guard) {
            guards.back() = guard;
          } else if (guarded[q] == 0) {
            guards.back() = ScalarTest{at(4), Comparison::less_equal, at(5)};
          }
        }
      }
    }
    expect_as_on_the_host(initial, assignments, guards);
  }
}

/// Every operation with every pair of these, as the CPU does it.
TEST_F(CudaScalarsTest, HaveTheArithmeticOfTheHost) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> values{
      0, -0.0, 1.5, -2.25, 3, 1e300, infinity, -infinity, std::numeric_limits<double>::quiet_NaN()};
  for (int operation = 0; operation <= static_cast<int>(ScalarOperation::select); ++operation) {
    Schedule schedule;
    schedule.name = "arithmetic";
    schedule.vectors = {{"u"}};
    for (const double value : values) schedule.scalars.push_back({"value", value});
    Step all;
    all.kind = StepKind::host_scalar;
    all.name = "All";
    const auto count = static_cast<int>(values.size());
    for (int a = 0; a < count; ++a) {
      for (int b = 0; b < count; ++b) {
        const auto target = static_cast<ScalarSlot>(schedule.scalars.size());
        schedule.scalars.push_back({"r" + std::to_string(a) + "_" + std::to_string(b), 7});
        all.assignments.push_back(
            {target, static_cast<ScalarOperation>(operation), a, b, (a + b) % count});
      }
    }
    schedule.iteration = {all};
    const auto prepared = prepare<double>({0}, policy_for(LaunchMode::graph), schedule, 1);
    prepared->run(1);
    std::vector<double> expected;
    for (const auto& scalar : schedule.scalars) expected.push_back(scalar.initial);
    for (const ScalarAssignment& assignment : all.assignments) {
      sparsecast::apply(assignment, expected);
      const auto target = static_cast<std::size_t>(assignment.target);
      const double actual = prepared->scalar(schedule.scalars[target].name);
      if (std::isnan(expected[target])) {
        EXPECT_TRUE(std::isnan(actual)) << operation << ", " << schedule.scalars[target].name;
      } else {
        EXPECT_DOUBLE_EQ(actual, expected[target])
            << operation << ", " << schedule.scalars[target].name;
      }
    }
  }
}

template <class T>
class CudaPassOnSeveralGpusTest : public MultiGpuTest {};
TYPED_TEST_SUITE(CudaPassOnSeveralGpusTest, ValueTypes);

TYPED_TEST(CudaPassOnSeveralGpusTest, AddsUpOverAllAndExchangesWhatItAssigns) {
  std::mt19937 random(7);
  for (const std::vector<GpuPart>& devices : gpu_groups()) {
    for (const LaunchMode mode : launch_modes) {
      for (const std::int64_t size : {700, 20'003}) {
        for (int dots = 0; dots <= most_pass_dots; ++dots) {
          try_out_both<TypeParam>(devices, policy_for(mode),
                                  random_pass(random, 6, 3, dots, scalar_count), 6, size, random);
        }
        for (const VectorPass& pass : block_passes(random, 9, scalar_count)) {
          try_out_both<TypeParam>(devices, policy_for(mode), pass, 11, size, random);
        }
      }
      run_many_scalars<TypeParam>(devices, policy_for(mode));
    }
  }
}

}  // namespace
}  // namespace sparsecast
