#include "core/cpu/cpu_pass.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "core/cpu/cpu_backend.hpp"
#include "core/cpu/instruction_sets.hpp"
#include "core/random_pass.hpp"

namespace sparsecast {
namespace {

using ValueTypes = testing::Types<float, double>;

template <class T>
class CpuPassTest : public testing::Test {
 protected:
  /// Carries the pass out on a part of the rows in every instruction set.
  void try_out(const VectorPass& pass, int operands, std::int64_t size) {
    const Step step = pass_schedule(pass, operands, scalar_count).iteration[0];
    const auto before = pass_vectors<T>(step, size, random_);
    const auto begin = static_cast<std::size_t>(size / 3);
    const auto end = static_cast<std::size_t>(size);
    const PassReference reference = pass_reference(pass, before, scalar_values, begin, end);
    for (std::size_t set = 0; set < instruction_sets().size(); ++set) {
      if (cpu_kernels<T>(set) == nullptr) continue;
      SCOPED_TRACE(std::string(instruction_sets()[set]) + ", " + std::to_string(operands) +
                   " operands, " + std::to_string(size) + " rows");
      auto vectors = before;
      CpuCall<T> call;
      call.kernels = cpu_kernels<T>(set);
      call.pass = &pass;
      for (auto& vector : vectors) {
        vector.resize(end + 32, static_cast<T>(777));
        call.vectors.push_back(vector.data());
      }
      const PartialSums sums = carry_out_pass(call, scalar_values, size / 3, size);
      for (std::size_t k = 0; k < vectors.size(); ++k) {
        expect_pass_vector(vectors[k], reference, k, begin, end);
        for (std::size_t i = 0; i < begin; ++i) ASSERT_EQ(vectors[k][i], before[k][i]);
        for (std::size_t i = end; i < vectors[k].size(); ++i) ASSERT_EQ(vectors[k][i], T{777});
      }
      for (std::size_t k = 0; k < reference.sums.size(); ++k) {
        expect_pass_sum<T>(sums.of(k), reference, k);
      }
    }
  }

  std::mt19937 random_{2012};
};
TYPED_TEST_SUITE(CpuPassTest, ValueTypes);

TYPED_TEST(CpuPassTest, CarriesOutRandomStatementsOnItsRowsInEveryInstructionSet) {
  for (const std::int64_t size : {1, 2, 7, 8, 31, 33, 64, 95, 97, 129, 511, 512, 513, 1700}) {
    for (int operands = 1; operands <= most_pass_operands; ++operands) {
      for (int dots = 0; dots <= most_pass_dots; ++dots) {
        const int assignments = 1 + static_cast<int>(this->random_() % 4);
        this->try_out(random_pass(this->random_, operands, assignments, dots, scalar_count),
                      operands, size);
      }
    }
  }
}

TYPED_TEST(CpuPassTest, CarriesOutDotProductsAloneAndAssignmentsOfNothing) {
  for (const std::int64_t size : {5, 100, 1025}) {
    this->try_out(random_pass(this->random_, 8, 0, 4, 0), 8, size);
    this->try_out({{{0, {}, -1, -1}}}, 1, size);
    this->try_out({{{0, {}, -1, -1}, {-1, {}, 0, 1}}}, 2, size);
  }
}

TYPED_TEST(CpuPassTest, ReadsATargetBeforeAndAfterItIsAssigned) {
  for (const std::int64_t size : {3, 40, 600}) {
    // v = z + s*v, x += v, v = v*x - z, x.v
    this->try_out({{{1, {{1, -1, 0}, {1, 0, 1}}, -1, -1},
                    {2, {{1, -1, 2}, {1, -1, 1}}, -1, -1},
                    {1, {{1, -1, 1, 2}, {-1, -1, 0}}, -1, -1},
                    {-1, {}, 2, 1}}},
                  3, size);
  }
}

TYPED_TEST(CpuPassTest, CarriesOutBlocks) {
  for (const std::int64_t size : {1, 40, 600}) {
    for (const int vectors : {9, 31, 64}) {
      for (const VectorPass& pass : block_passes(this->random_, vectors, scalar_count)) {
        this->try_out(pass, 2 + vectors, size);
      }
    }
  }
}

template <class T>
class ThreadedCpuPass : public testing::Test {
 protected:
  static std::unique_ptr<PreparedSchedule<T>> prepare(const Schedule& schedule, std::int64_t size,
                                                      int devices, int threads) {
    CpuPolicy eager;
    eager.values_per_thread = 1;
    CpuBackend backend(devices, threads, eager);
    if constexpr (std::is_same_v<T, float>) {
      return backend.prepare_vectors_f32(schedule, size);
    } else {
      return backend.prepare_vectors_f64(schedule, size);
    }
  }
};
TYPED_TEST_SUITE(ThreadedCpuPass, ValueTypes);

TYPED_TEST(ThreadedCpuPass, IsTheSameOnSeveralThreadsAndDevicesAndMovesWhatItSays) {
  using T = TypeParam;
  std::mt19937 random(7);
  for (const std::int64_t size : {1, 50, 1999}) {
    for (const int operands : {1, 3, 8}) {
      const VectorPass pass = random_pass(random, operands, 3, operands % 5, scalar_count);
      const Schedule schedule = pass_schedule(pass, operands, scalar_count);
      const Step& step = schedule.iteration[0];
      const auto before = pass_vectors<T>(step, size, random);
      const auto end = static_cast<std::size_t>(size);
      const PassReference reference = pass_reference(pass, before, scalar_values, 0, end);
      for (const int devices : {1, 2, 3}) {
        for (const int threads : {1, 2}) {
          SCOPED_TRACE(std::to_string(size) + " rows, " + std::to_string(devices) + " devices of " +
                       std::to_string(threads));
          const auto prepared = this->prepare(schedule, size, devices, threads);
          expect_pass_run(*prepared, schedule, before, reference);
          const std::int64_t exchanges = std::ssize(schedule.iteration) - 1;
          EXPECT_EQ(prepared->counters().barriers, exchanges + (reference.sums.empty() ? 0 : 1));
        }
      }
    }
  }
}

TYPED_TEST(ThreadedCpuPass, AddsUpTheManySumsOfBlocks) {
  using T = TypeParam;
  std::mt19937 random(7);
  for (const int vectors : {9, 64}) {
    for (const VectorPass& pass : block_passes(random, vectors, scalar_count)) {
      const Schedule schedule = pass_schedule(pass, 2 + vectors, scalar_count);
      const auto before = pass_vectors<T>(schedule.iteration[0], 1999, random);
      const PassReference reference = pass_reference(pass, before, scalar_values, 0, 1999);
      for (const int devices : {1, 2}) {
        for (const int threads : {1, 2}) {
          const auto prepared = this->prepare(schedule, 1999, devices, threads);
          expect_pass_run(*prepared, schedule, before, reference);
        }
      }
    }
  }
}

TYPED_TEST(ThreadedCpuPass, TakesThousandsOfScalarsAndLongListsOfOperations) {
  using T = TypeParam;
  for (const int devices : {1, 2}) {
    const auto prepared = this->prepare(many_scalars_schedule(), 100, devices, 2);
    prepared->set_vector("u", std::vector<T>(100, 1));
    prepared->set_vector("v", std::vector<T>(100, 12345));
    prepared->set_scalar("most_rounds", 4);
    const RunReport report = prepared->run(10);
    EXPECT_EQ(report.outcome, Outcome::converged);
    EXPECT_EQ(report.iterations, 4);
    EXPECT_EQ(prepared->scalar("chained"), 4 * 150 * 100);
    EXPECT_EQ(prepared->scalar("mean"), 4 * 150 * 100);
    std::vector<T> v(100);
    prepared->get_vector("v", v);
    EXPECT_EQ(v, std::vector<T>(100, 4 * 150 * 100));
  }
}

}  // namespace
}  // namespace sparsecast
