#include "core/cpu/cpu_backend.hpp"
#include "core/open_backend.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/error.hpp"
#include "core/cpu_layouts.hpp"
#include "core/random_csr.hpp"
#include "core/random_spd.hpp"
#include "core/reference_product.hpp"
#include "core/refusal.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"
#include "core/schedule/steps.hpp"

namespace sparsecast {
namespace {

/// Threads even for the smallest systems.
const CpuPolicy eager{.values_per_thread = 1, .rows_per_part = 48};

std::string name_of(const Layout& layout) {
  std::string name = to_string(layout);
  std::ranges::replace(name, '-', '_');
  return name;
}

/// Jacobi-preconditioned CG as in the textbooks, D^-1 applied as such: the iterates x_1, x_2, ...
std::vector<std::vector<double>> reference_iterates(const CsrMatrix<double>& a,
                                                    const std::vector<double>& b,
                                                    std::vector<double> x, int iterations) {
  const auto n = static_cast<std::size_t>(a.rows);
  const auto times = [&](const std::vector<double>& p) {
    std::vector<double> product(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
      for (auto k = a.row_offsets[i]; k < a.row_offsets[i + 1]; ++k) {
        product[i] += a.values[k] * p[a.column_indices[k]];
      }
    }
    return product;
  };
  std::vector<double> d(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (auto k = a.row_offsets[i]; k < a.row_offsets[i + 1]; ++k) {
      if (a.column_indices[k] == static_cast<std::int32_t>(i)) d[i] = a.values[k];
    }
  }
  const auto dot = [](const auto& p, const auto& q) {
    return std::inner_product(p.begin(), p.end(), q.begin(), 0.0);
  };
  std::vector<double> r = times(x);
  for (std::size_t i = 0; i < n; ++i) r[i] = b[i] - r[i];
  std::vector<double> z(n);
  const auto precondition = [&] {
    for (std::size_t i = 0; i < n; ++i) z[i] = r[i] / d[i];
  };
  precondition();
  std::vector<double> p = z;
  double rho = dot(r, z);
  std::vector<std::vector<double>> iterates;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    const std::vector<double> q = times(p);
    const double step = rho / dot(p, q);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] += step * p[i];
      r[i] -= step * q[i];
    }
    iterates.push_back(x);
    precondition();
    const double next = dot(r, z);
    for (std::size_t i = 0; i < n; ++i) p[i] = z[i] + next / rho * p[i];
    rho = next;
  }
  return iterates;
}

/// Largest difference, relative to the largest value.
template <class T>
double difference(const std::vector<T>& values, const std::vector<double>& expected) {
  double largest = 0;
  double error = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, std::abs(expected[i]));
    error = std::max(error, std::abs(values[i] - expected[i]));
  }
  return error / largest;
}

struct System {
  CsrMatrix<double> matrix;
  std::vector<double> b;
  std::vector<double> c;
  std::vector<double> x;
};

System random_system(std::int64_t rows, unsigned seed) {
  System system{random_spd(rows, 8, 4, seed), random_vector<double>(rows, seed + 1), {}, {}};
  system.x = random_vector<double>(rows, seed + 2);
  const auto& a = system.matrix;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (auto k = a.row_offsets[i]; k < a.row_offsets[i + 1]; ++k) {
      if (a.column_indices[k] == i) system.c.push_back(1 / std::sqrt(a.values[k]));
    }
  }
  return system;
}

template <class T>
std::unique_ptr<PreparedSchedule<T>> prepare_cg(Backend& backend, const System& system,
                                                const Layout& layout) {
  const CsrMatrix<T> matrix = convert_values<T>(system.matrix.view());
  auto prepared = backend.prepare(algorithm1_schedule(), matrix.view(), layout);
  const auto set = [&](const char* name, const std::vector<double>& values) {
    prepared->set_vector(name, std::vector<T>(values.begin(), values.end()));
  };
  set("b", system.b);
  set("c", system.c);
  set("x", system.x);
  return prepared;
}

/// Largest difference of the first 20 iterates from the reference's.
template <class T>
double iterate_difference(const Layout& layout, int devices, int threads, unsigned seed) {
  const System system = random_system(211, seed);
  CpuBackend backend(devices, threads, eager);
  const auto prepared = prepare_cg<T>(backend, system, layout);
  EXPECT_EQ(prepared->run_setup().outcome, Outcome::iteration_limit);
  std::vector<T> x(system.x.size());
  double largest = 0;
  for (const auto& expected : reference_iterates(system.matrix, system.b, system.x, 20)) {
    EXPECT_EQ(prepared->run(1).iterations, 1);
    prepared->get_vector("x", x);
    largest = std::max(largest, difference(x, expected));
  }
  return largest;
}

class ThreadedCgIterates : public testing::TestWithParam<std::tuple<Layout, int, int>> {};

TEST_P(ThreadedCgIterates, AgreeWithTheTextbookInDouble) {
  const auto& [layout, devices, threads] = GetParam();
  constexpr unsigned seed = 20;
  RecordProperty("seed", seed);
  EXPECT_LT(iterate_difference<double>(layout, devices, threads, seed), 1e-11);
}

TEST_P(ThreadedCgIterates, AgreeWithTheTextbookInFloat) {
  const auto& [layout, devices, threads] = GetParam();
  constexpr unsigned seed = 21;
  RecordProperty("seed", seed);
  EXPECT_LT(iterate_difference<float>(layout, devices, threads, seed), 2e-4);
}

INSTANTIATE_TEST_SUITE_P(AllLayouts, ThreadedCgIterates,
                         testing::Combine(testing::ValuesIn(cpu_layouts()),
                                          testing::Values(1, 2, 3), testing::Values(1, 2)),
                         [](const auto& instance) {
                           return name_of(std::get<0>(instance.param)) + "_devices" +
                                  std::to_string(std::get<1>(instance.param)) + "_threads" +
                                  std::to_string(std::get<2>(instance.param));
                         });
INSTANTIATE_TEST_SUITE_P(ManyThreads, ThreadedCgIterates,
                         testing::Combine(testing::Values(Layout{},
                                                          Layout{"bcsr", 4, RowOrder::sorted}),
                                          testing::Values(1), testing::Values(3, 4)),
                         [](const auto& instance) {
                           return name_of(std::get<0>(instance.param)) + "_threads" +
                                  std::to_string(std::get<2>(instance.param));
                         });

TEST(ThreadedCpuBackend, GivesTheSameBitsEveryTime) {
  const System system = random_system(500, 30);
  CpuBackend backend(2, 2, eager);
  std::vector<std::vector<double>> solutions;
  for (int run = 0; run < 3; ++run) {
    const auto prepared = prepare_cg<double>(backend, system, Layout{});
    prepared->run_setup();
    prepared->run(15);
    solutions.emplace_back(system.x.size());
    prepared->get_vector("x", solutions.back());
  }
  EXPECT_EQ(solutions[0], solutions[1]);
  EXPECT_EQ(solutions[0], solutions[2]);
}

TEST(ThreadedCpuBackend, GoesOnWhereTheLastRunStopped) {
  const System system = random_system(300, 31);
  CpuBackend backend(1, 2, eager);
  std::vector<double> at_once(system.x.size());
  std::vector<double> in_parts(system.x.size());
  for (auto* x : {&at_once, &in_parts}) {
    const auto prepared = prepare_cg<double>(backend, system, Layout{});
    prepared->run_setup();
    if (x == &at_once) {
      prepared->run(10);
    } else {
      prepared->run(3);
      prepared->run(7);
    }
    prepared->get_vector("x", *x);
  }
  EXPECT_EQ(at_once, in_parts);
}

TEST(ThreadedCpuBackend, WorksWithMoreDevicesThanBlockRows) {
  const System system = random_system(13, 32);  // two block rows of 8
  const auto expected = reference_iterates(system.matrix, system.b, system.x, 3);
  CpuBackend backend(5, 1, eager);
  const auto prepared = prepare_cg<double>(backend, system, block_layout(8));
  prepared->run_setup();
  prepared->run(3);
  std::vector<double> x(system.x.size());
  prepared->get_vector("x", x);
  EXPECT_LT(difference(x, expected.back()), 1e-12);
  EXPECT_EQ(prepared->segments().size(), 5u);
}

/// What a run of Algorithm 1 counted, held against the schedule.
class ThreadedCounters : public testing::TestWithParam<std::tuple<Layout, int>> {};

TEST_P(ThreadedCounters, AgreeWithTheSchedule) {
  const Layout& layout = std::get<0>(GetParam());
  const int devices = std::get<1>(GetParam());
  constexpr int iterations = 7;
  const System system = random_system(203, 40);
  CpuBackend backend(devices, 2, eager);
  const auto prepared = prepare_cg<float>(backend, system, layout);
  prepared->run_setup();
  prepared->run(iterations);

  const Schedule schedule = algorithm1_schedule();
  RunCounters expected;
  expected.iterations = iterations;
  const auto add = [&](const Step& step, int runs) {
    const bool reduces = step.kind == StepKind::reduce;
    const bool exchanges = step.kind == StepKind::exchange;
    expected.kernels += step.kind == StepKind::kernel || reduces ? runs : 0;
    expected.reductions += reduces ? runs : 0;
    expected.exchanges += exchanges ? runs : 0;
    expected.barriers += reduces || exchanges ? runs : 0;
    expected.launches += runs * step.launches;
    for (const SegmentShape& shape : prepared->segments()) {
      const BytesByKind bytes = bytes_moved(step, shape, Precision::f32);
      expected.bytes.values += runs * bytes.values;
      expected.bytes.indices += runs * bytes.indices;
      expected.bytes.row_pointers += runs * bytes.row_pointers;
      expected.bytes.vector_reads += runs * bytes.vector_reads;
      expected.bytes.vector_writes += runs * bytes.vector_writes;
      if (devices > 1) expected.bytes.exchanged += runs * bytes.exchanged;
    }
  };
  for (const Step& step : schedule.setup) add(step, 1);
  for (const Step& step : schedule.iteration) {
    if (!step.guard) add(step, iterations);  // the thresholds are such that no guard holds
  }
  const RunCounters counted = prepared->counters();
  EXPECT_EQ(counted.iterations, expected.iterations);
  EXPECT_EQ(counted.kernels, expected.kernels);
  EXPECT_EQ(counted.reductions, expected.reductions);
  EXPECT_EQ(counted.exchanges, expected.exchanges);
  EXPECT_EQ(counted.barriers, expected.barriers);
  EXPECT_EQ(counted.launches, expected.launches);
  EXPECT_EQ(static_cast<double>(counted.exchanged_values) * 4, expected.bytes.exchanged);
  EXPECT_EQ(counted.bytes.values, expected.bytes.values);
  EXPECT_EQ(counted.bytes.indices, expected.bytes.indices);
  EXPECT_EQ(counted.bytes.row_pointers, expected.bytes.row_pointers);
  EXPECT_EQ(counted.bytes.vector_reads, expected.bytes.vector_reads);
  EXPECT_EQ(counted.bytes.vector_writes, expected.bytes.vector_writes);
  EXPECT_EQ(counted.bytes.exchanged, expected.bytes.exchanged);
}

INSTANTIATE_TEST_SUITE_P(Cg, ThreadedCounters,
                         testing::Combine(testing::Values(Layout{}, block_layout(4),
                                                          Layout{"bcsr", 3, RowOrder::sorted}),
                                          testing::Values(1, 2, 3)),
                         [](const auto& instance) {
                           return name_of(std::get<0>(instance.param)) + "_devices" +
                                  std::to_string(std::get<1>(instance.param));
                         });

TEST(ThreadedCpuBackend, RepeatsAPatternThroughAVectorWhateverHoldsItsParts) {
  const std::vector<double> pattern{1, 2, 3, 5, 8, 13, 21};
  const std::vector<double> one{4};
  for (const int devices : {1, 3}) {
    for (const std::int64_t size : {1, 6, 1000}) {
      CpuBackend backend(devices, 1);
      const auto prepared = backend.prepare_vectors_f64(mixed_schedule(2, 1), size);
      prepared->repeat_in_vector("read1", pattern);
      prepared->repeat_in_vector("read2", one);
      std::vector<double> values(static_cast<std::size_t>(size), -1);
      prepared->get_vector("read1", values);
      for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(values[i], pattern[i % pattern.size()]) << i << " of " << size;
      }
      prepared->get_vector("read2", values);
      EXPECT_EQ(values, std::vector<double>(values.size(), 4));
    }
  }
}

TEST(CpuBackend, CountsGuardedStepsWhenTheyRun) {
  const System system = random_system(100, 41);
  CpuBackend backend(1, 1);
  const auto prepared = prepare_cg<double>(backend, system, Layout{});
  prepared->run_setup();
  const RunCounters before = prepared->counters();
  prepared->run(2);
  const RunCounters without = prepared->counters();
  prepared->set_scalar("beta_threshold", 1e300);
  prepared->run(2);
  const RunCounters with = prepared->counters();
  EXPECT_EQ(without.reductions - before.reductions, 2 * 3);
  EXPECT_EQ(with.reductions - without.reductions, 2 * 4);
  EXPECT_EQ(with.kernels - without.kernels, without.kernels - before.kernels + 2 * 2);
}

TEST(CpuBackend, CountsAnIterationThatACheckEndsAfterAKernel) {
  const System system = random_system(50, 42);
  CpuBackend backend(1, 1);
  auto prepared = prepare_cg<double>(backend, system, Layout{});
  prepared->run_setup();
  prepared->set_scalar("zero", 1e300);  // p.Ap is below it
  const RunReport after = prepared->run(5);
  EXPECT_EQ(after.outcome, Outcome::not_positive_definite);
  EXPECT_EQ(after.iterations, 1);
  prepared->set_scalar("v_norm_threshold", 1e300);
  const RunReport before = prepared->run(5);
  EXPECT_EQ(before.outcome, Outcome::converged);
  EXPECT_EQ(before.iterations, 0);
}

TEST(CpuBackend, EndsWithANonFiniteScalarThatACheckTests) {
  System system = random_system(50, 43);
  system.b[17] = std::numeric_limits<double>::infinity();
  CpuBackend backend(1, 1);
  EXPECT_EQ(prepare_cg<double>(backend, system, Layout{})->run_setup().outcome,
            Outcome::not_finite);
}

TEST(CpuBackend, StagnatesWhenBetaFindsNoNewMinimum) {
  const System system = random_system(200, 44);
  CpuBackend backend(1, 1);
  const auto prepared = prepare_cg<double>(backend, system, Layout{});
  prepared->run_setup();
  prepared->run(3);
  prepared->set_scalar("beta_minimum", 0);  // from here on there is no new one
  prepared->set_scalar("patience", 4);
  const RunReport report = prepared->run(100);
  EXPECT_EQ(report.outcome, Outcome::stagnated);
  EXPECT_EQ(report.iterations, 4);
}

TEST(ThreadedMicrobenchmarks, LoadsAddAllValues) {
  constexpr std::int64_t unknowns = 1000;
  for (const bool variable : {false, true}) {
    for (const int devices : {1, 2}) {
      CpuBackend backend(devices, 2, eager);
      const auto prepared = backend.prepare_vectors_f64(load_schedule(3, variable), unknowns);
      double expected = 0;
      for (unsigned i = 1; i <= 3; ++i) {
        const auto values = random_vector<double>(unknowns, 50 + i);
        prepared->set_vector("load" + std::to_string(i), values);
        expected += std::accumulate(values.begin(), values.end(), 0.0);
      }
      EXPECT_EQ(prepared->run(3).iterations, 3);
      EXPECT_NEAR(prepared->scalar("sum"), expected, 1e-9) << variable << " " << devices;
    }
  }
}

TEST(ThreadedMicrobenchmarks, MixedWritesTheSumOfItsReads) {
  constexpr std::int64_t unknowns = 333;
  CpuBackend backend(2, 2, eager);
  const auto prepared = backend.prepare_vectors_f32(mixed_schedule(2, 3), unknowns);
  const auto first = random_vector<float>(unknowns, 60);
  const auto second = random_vector<float>(unknowns, 61);
  prepared->set_vector("read1", first);
  prepared->set_vector("read2", second);
  prepared->run(2);
  std::vector<float> written(unknowns);
  for (const char* name : {"write1", "write2", "write3"}) {
    prepared->get_vector(name, written);
    for (std::size_t i = 0; i < written.size(); ++i) EXPECT_EQ(written[i], first[i] + second[i]);
  }
}

TEST(ThreadedMicrobenchmarks, SingleStepMultiplies) {
  const CsrMatrix<double> matrix = random_csr<double>(150, 90, 6, 62);
  const auto v = random_vector<double>(matrix.columns, 63);
  CpuBackend backend(2, 2, eager);
  const auto prepared =
      backend.prepare(single_step_schedule("SpMV"), matrix.view(), block_layout(2));
  prepared->set_vector("v", v);
  prepared->run(2);
  std::vector<double> u(static_cast<std::size_t>(matrix.rows));
  prepared->get_vector("u", u);
  for (std::size_t i = 0; i < u.size(); ++i) {
    double expected = 0;
    for (auto k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
      expected += matrix.values[k] * v[matrix.column_indices[k]];
    }
    EXPECT_NEAR(u[i], expected, 1e-12);
  }
}

TEST(ThreadedMicrobenchmarks, ExchangeCompletesTheFullVectorOnEveryDevice) {
  constexpr std::int64_t unknowns = 101;
  Schedule schedule = exchange_schedule();
  schedule.vectors.push_back({"product", VectorScope::segment});
  Step own;
  own.name = "Copy";
  own.vectors = {0, 1};
  own.accesses = {VectorAccess::read, VectorAccess::write};
  ASSERT_EQ(schedule.vectors[0].name, "v_part");
  ASSERT_EQ(schedule.vectors[1].name, "v");
  schedule.iteration.insert(schedule.iteration.begin(), own);
  schedule.iteration.push_back(product_step(1, 2));
  const auto matrix = random_csr<double>(unknowns, unknowns, 20, 5);
  CpuBackend backend(3, 2, eager);
  const auto prepared = backend.prepare(schedule, matrix.view(), Layout{});
  const std::vector<double> values = random_vector<double>(unknowns, 64);
  std::vector<double> product(unknowns, 12345);
  prepared->set_vector("v_part", values);
  prepared->set_vector("v", std::vector<double>(unknowns, 0.5));
  prepared->run(2);
  prepared->get_vector("product", product);
  const ReferenceProduct expected = reference_product(matrix, values);
  for (std::size_t i = 0; i < product.size(); ++i) {
    EXPECT_NEAR(product[i], expected.sums[i], 1e-14 * expected.magnitudes[i]) << i;
  }
  EXPECT_EQ(prepared->counters().exchanged_values, 2 * 3 * unknowns);
}

TEST(ThreadedMicrobenchmarks, BarriersAreCounted) {
  CpuBackend backend(2, 2, eager);
  const auto prepared = backend.prepare_vectors_f64(barrier_schedule(), 10);
  prepared->run(100);
  EXPECT_EQ(prepared->counters().barriers, 100);
  EXPECT_EQ(prepared->counters().kernels, 0);
}

/// All vectors of a schedule.
std::vector<std::vector<double>> vectors_of(const Schedule& schedule,
                                            PreparedSchedule<double>& prepared,
                                            std::size_t unknowns) {
  std::vector<std::vector<double>> all;
  for (const VectorDeclaration& each : schedule.vectors) {
    all.emplace_back(unknowns);
    prepared.get_vector(each.name, all.back());
  }
  return all;
}

TEST(ThreadedMicrobenchmarks, PassesStayWhereTheyAreHoweverOftenTheyRun) {
  constexpr std::int64_t unknowns = 1100;
  const auto matrix = random_csr<double>(unknowns, unknowns, 20, 7);
  CpuBackend backend(1, 2, eager);
  std::vector<Schedule> schedules{pass_pair_schedule(false),      pass_pair_schedule(true),
                                  wide_pass_pair_schedule(false), wide_pass_pair_schedule(true),
                                  block_pass_schedule(true, 30),  block_pass_schedule(false, 8)};
  for (const std::string_view name : pass_iteration_names()) {
    schedules.push_back(pass_iteration_schedule(name));
  }
  for (const Schedule& schedule : schedules) {
    SCOPED_TRACE(schedule.name);
    check_schedule(schedule);
    const bool multiplies = schedule.vectors[0].scope == VectorScope::full;
    const auto prepared = multiplies ? backend.prepare(schedule, matrix.view(), Layout{})
                                     : backend.prepare_vectors_f64(schedule, unknowns);
    for (std::size_t k = 0; k < schedule.vectors.size(); ++k) {
      prepared->set_vector(schedule.vectors[k].name,
                           random_vector<double>(unknowns, 70 + static_cast<unsigned>(k)));
    }
    prepared->run(2);
    const auto before = vectors_of(schedule, *prepared, unknowns);
    prepared->run(2000);
    EXPECT_EQ(vectors_of(schedule, *prepared, unknowns), before);
    for (const ScalarDeclaration& each : schedule.scalars) {
      const double value = std::abs(prepared->scalar(each.name));
      EXPECT_LT(value, 1e6) << each.name;
      if (each.name.starts_with("value") || each.name.starts_with("sum")) {
        EXPECT_GT(value, 1e-3) << each.name;
      }
    }
  }
}

TEST(Microbenchmarks, DeclareOnlyWhatTheirStepUses) {
  for (const char* name : {"CG1", "CG2", "CG3", "CG4", "CG5", "Red", "SpMV", "SpMVDot", "CGStart",
                           "CGResidual", "CGDirection"}) {
    const Schedule schedule = single_step_schedule(name);
    ASSERT_EQ(schedule.iteration.size(), 1u);
    EXPECT_EQ(schedule.vectors.size(), schedule.iteration[0].vectors.size()) << name;
    EXPECT_FALSE(schedule.iteration[0].guard);
    check_schedule(schedule);
  }
  check_schedule(load_schedule(8, true));
  check_schedule(mixed_schedule(1, 1));
  check_schedule(exchange_schedule());
  check_schedule(barrier_schedule());
}

TEST(Microbenchmarks, RefuseWhatThereIsNot) {
  EXPECT_EQ(
      refusal_of([] { single_step_schedule("CG9"); }),
      "no step 'CG9' in conjugate gradients; expected SpMV, CG1 to CG5, Red, SpMVDot, CGStart, "
      "CGResidual, CGDirection, cusparseSpMV, cublasDot, cublasAxpy, cublasScal, cublasCopy or "
      "VendorMultiply");
  EXPECT_THROW(load_schedule(0, false), Error);
  EXPECT_THROW(mixed_schedule(1, 0), Error);
  EXPECT_EQ(refusal_of([] { pass_iteration_schedule("PassIteration/minres"); }),
            "no iteration of passes 'PassIteration/minres'");
}

TEST(CpuBackend, NamesAnUnknownKernelAndThoseItHas) {
  Schedule schedule = load_schedule(1, false);
  schedule.iteration[0].name = "CG9";
  EXPECT_EQ(refusal_of([&] { CpuBackend(1, 1).prepare_vectors_f64(schedule, 10); }),
            "the CPU has no kernel 'CG9'; it has SpMV, SpMVDot, CG1, CG2, CG3, CG4, CG5, CGStart, "
            "CGResidual, CGDirection, Copy, LoadFixed, LoadVariable, Mixed, Pass, BlockDiagonal, "
            "BlockDiagonalDot");
}

TEST(CpuBackend, SaysWhichOperandsAKernelExpects) {
  Schedule schedule = single_step_schedule("CG4");
  schedule.iteration[0].vectors.pop_back();
  schedule.iteration[0].accesses.pop_back();
  EXPECT_EQ(refusal_of([&] { CpuBackend(1, 1).prepare_vectors_f32(schedule, 10); }),
            "kernel 'CG4' got 6 vectors; expected 7");
  schedule = single_step_schedule("CG4");
  schedule.iteration[0].scalars.clear();
  EXPECT_EQ(refusal_of([&] { CpuBackend(1, 1).prepare_vectors_f32(schedule, 10); }),
            "kernel 'CG4' got 0 scalars; expected 1");
}

TEST(CpuBackend, AsksForTheMatrixOfAScheduleThatMultiplies) {
  EXPECT_EQ(refusal_of([] { CpuBackend(1, 1).prepare_vectors_f64(algorithm1_schedule(), 10); }),
            "schedule 'algorithm1' multiplies ('SpMV'): prepare it with a matrix");
}

TEST(CpuBackend, RefusesARectangularMatrixWhereRowsAndColumnsMeet) {
  const CsrMatrix<double> matrix = random_csr<double>(10, 12, 3, 70);
  EXPECT_EQ(refusal_of([&] { CpuBackend(1, 1).prepare(algorithm1_schedule(), matrix.view(), {}); }),
            "schedule 'algorithm1' needs a square matrix; this one has 10 rows and 12 columns");
}

TEST(CpuBackend, SaysHowManyValuesAVectorHas) {
  const auto prepared = CpuBackend(1, 1).prepare_vectors_f64(load_schedule(1, false), 10);
  EXPECT_EQ(refusal_of([&] { prepared->set_vector("load1", std::vector<double>(9)); }),
            "vector 'load1' has 10 values; got 9");
}

TEST(CpuBackend, SaysHowMuchMemoryIsNeededAndFree) {
  const std::string message = refusal_of(
      [] { CpuBackend(1, 1).prepare_vectors_f64(load_schedule(8, false), std::int64_t{1} << 44); });
  EXPECT_TRUE(message.starts_with("schedule 'load8_fixed' in layout csr needs 1125900.0 GB"))
      << message;
  EXPECT_NE(message.find(" GB are free"), std::string::npos) << message;
}

TEST(CpuBackend, UsesFewerThreadsForSmallSegments) {
  const CpuPolicy policy{.values_per_thread = 1000};
  EXPECT_EQ(policy.threads({.unknowns = 10}, 4), 1);
  EXPECT_EQ(policy.threads({.unknowns = 100}, 4), 2);
  EXPECT_EQ(policy.threads({.unknowns = 100, .elements = 500}, 4), 3);
  EXPECT_EQ(policy.threads({.unknowns = 1e9}, 4), 4);
}

TEST(OpenBackend, ReadsDeviceLists) {
  EXPECT_EQ(open_backend("cpu")->device_count(), 1);
  EXPECT_EQ(open_backend("cpu:0")->device_count(), 1);
  EXPECT_EQ(open_backend("cpu:0,cpu:1,cpu:2", 1)->device_count(), 3);
  EXPECT_TRUE(open_backend("cpu:1,cpu:0", 4)->description().ends_with("2 devices of 2 threads"));
}

TEST(OpenBackend, ListsWhatThereIsForAnUnknownDevice) {
  EXPECT_EQ(refusal_of([] { open_backend("gpu:0", 2); }),
            "no device 'gpu:0'; there are 'cpu' (2 threads as one device), 'cpu:0,cpu:1,...' "
            "(these threads cut into groups) and GPUs ('cuda:0', 'cuda:0,cuda:1'; 32 "
            "multiprocessors of one: 'cuda:0/32')");
  for (const char* wrong : {"", "cuda:0,", "cuda:0/0", "cuda:0/x", "cuda:0/32,cuda:1",
                            "cuda:0,cpu:0", "cuda:0,cuda:0", "cpu:", "cpu:x", "cpu:-1", "cpu:0,",
                            "cpu:0,cpu:0", "cpu,cpu", "cpu:0x", "cpu:99999999999"}) {
    EXPECT_THROW(open_backend(wrong), Error) << wrong;
  }
  EXPECT_THROW(open_backend("cpu", -1), Error);
}

}  // namespace
}  // namespace sparsecast
