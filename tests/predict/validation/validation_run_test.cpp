#include "predict/validation/validation_run.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/formats/registry.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/open_backend.hpp"
#include "core/random_spd.hpp"

namespace sparsecast {
namespace {

ValidationSource source_of(const char* name, const CsrMatrix<double>& matrix) {
  ValidationSource source;
  source.name = name;
  source.nonzeros = static_cast<double>(matrix.nonzeros());
  source.load = [name, shared = std::make_shared<CsrMatrix<double>>(matrix)](int) {
    return ValidationMatrix{name, *shared, false};
  };
  return source;
}

ValidationInput laplacian_input() {
  return std::move(prepare_inputs(source_of("laplacian", laplacian(5, 20, 20)), 1).front());
}

/// A monitor that collects; the back ends live in it.
struct Collector {
  std::map<int, std::unique_ptr<Backend>> backends;
  std::vector<ValidationRow> rows;
  std::vector<std::string> skipped;
  std::vector<double> shares;  ///< done, before each case
  std::size_t stop_after = 1000;

  ValidationMonitor monitor() {
    return {[this](int devices, LaunchMode) -> Backend& {
              auto& backend = backends[devices];
              if (!backend) backend = open_backend(devices == 1 ? "cpu" : "cpu:0,cpu:1", 2);
              return *backend;
            },
            [this](const std::string&, double done) {
              shares.push_back(done);
              return rows.size() < stop_after;
            },
            [this](ValidationRow row) { rows.push_back(std::move(row)); },
            [this](const std::string& what) { skipped.push_back(what); }};
  }
};

ValidationRequest brief(std::vector<std::string> schedules) {
  ValidationRequest request;
  request.solvers = validated_solvers(schedules, {}, false);
  request.seconds_per_case = 0.01;
  return request;
}

TEST(ThreadedValidationRun, MeasuresEveryCase) {
  Collector collector;
  ValidationRequest request = brief({"fused", "algorithm1"});
  request.layouts = {block_layout(1), block_layout(2)};
  request.devices = {1, 2};
  request.precisions = {Precision::f32, Precision::f64};

  const bool complete = validate_matrix(laplacian_input(), request, collector.monitor());

  EXPECT_TRUE(complete);
  ASSERT_EQ(collector.rows.size(), 16u);
  for (const ValidationRow& row : collector.rows) {
    EXPECT_EQ(row.unknowns, 400);
    EXPECT_FALSE(row.surrogate_values);
    EXPECT_GT(row.measured_seconds, 0);
    EXPECT_GE(row.rounds, 1);
    EXPECT_EQ(row.segments.size(), static_cast<std::size_t>(row.devices));
    EXPECT_EQ(row.launch, "");
    ASSERT_TRUE(row.access.has_value());
    EXPECT_EQ(row.access->longest_row, 5);
  }
}

TEST(ThreadedValidationRun, MeasuresAnOrderOnTheDevicesThatItIsFor) {
  ValidationSource source = source_of("laplacian", laplacian(5, 20, 20));
  source.renumberings = {Renumbering::none, Renumbering::metis};
  source.metis_devices = {2};
  Collector collector;
  ValidationRequest request = brief({"fused"});
  request.layouts = {Layout{}};
  request.devices = {1, 2};

  for (const ValidationInput& input : prepare_inputs(source, 1)) {
    EXPECT_TRUE(validate_matrix(input, request, collector.monitor()));
  }

  std::vector<std::pair<std::string, int>> cases;
  for (const ValidationRow& row : collector.rows) cases.emplace_back(row.renumbering, row.devices);
  EXPECT_EQ(cases,
            (std::vector<std::pair<std::string, int>>{{"none", 1}, {"none", 2}, {"metis", 2}}));
}

TEST(ThreadedValidationRun, MeasuresTheProductAlone) {
  Collector collector;
  ValidationRequest request = brief({"spmv"});
  request.layouts = {Layout{}};

  validate_matrix(laplacian_input(), request, collector.monitor());

  ASSERT_EQ(collector.rows.size(), 1u);
  EXPECT_EQ(collector.rows[0].schedule, product_alone);
  EXPECT_GT(collector.rows[0].measured_seconds, 0);
}

TEST(ThreadedValidationRun, StopsWhenItIsTold) {
  Collector collector;
  collector.stop_after = 1;
  ValidationRequest request = brief({"fused"});
  request.layouts = {block_layout(1), block_layout(2), block_layout(4)};

  EXPECT_FALSE(validate_matrix(laplacian_input(), request, collector.monitor()));
  EXPECT_EQ(collector.rows.size(), 1u);
}

TEST(ThreadedValidationRun, SaysWhichShareOfTheCasesThatAreWantedIsDone) {
  Collector collector;
  ValidationRequest request = brief({"spmv"});
  for (const int n : {1, 2, 3, 4, 6}) request.layouts.push_back(block_layout(n));
  ValidationMonitor monitor = collector.monitor();
  monitor.wanted = [](const ValidationRow& row) { return row.layout.block_size != 6; };

  validate_matrix(laplacian_input(), request, monitor);

  EXPECT_EQ(collector.shares, (std::vector<double>{0, 0.25, 0.5, 0.75}));
}

TEST(ThreadedValidationRun, LeavesOutWhatTheBackEndRefuses) {
  Collector collector;
  ValidationRequest request = brief({"fused"});
  request.solvers.push_back({"vendor", LaunchMode::automatic});
  request.layouts = {Layout{}};

  EXPECT_TRUE(validate_matrix(laplacian_input(), request, collector.monitor()));

  EXPECT_EQ(collector.rows.size(), 1u);
  ASSERT_EQ(collector.skipped.size(), 1u);
  EXPECT_TRUE(collector.skipped[0].starts_with("laplacian, vendor, csr, f64: "))
      << collector.skipped[0];
}

TEST(ThreadedValidationRun, ThinksOfFewLayoutsOnAGpu) {
  // Only what is asked for matters here: the CPU stands for the GPU.
  Collector collector;
  ValidationRequest request = brief({});
  request.gpu = GpuShape{132, 60 << 20, 232448};
  request.solvers = validated_solvers({"fused", "algorithm1", "spmv"}, {LaunchMode::graph}, true);

  validate_matrix(std::move(prepare_inputs(source_of("fem", fem_elasticity(1, 4, 3)), 1).front()),
                  request, collector.monitor());

  std::set<std::string> layouts;
  for (const ValidationRow& row : collector.rows) {
    layouts.insert(to_string(row.layout));
    EXPECT_EQ(row.launch, "graph");
    EXPECT_LE(row.block_elements, 2 * row.nonzeros);
  }
  EXPECT_TRUE(layouts.contains("csr"));
  EXPECT_TRUE(layouts.contains("bcsr3"));
  EXPECT_FALSE(layouts.contains("dia"));
  EXPECT_LE(layouts.size(), 4u);
}

/// The layouts that are run of a matrix where nobody asked for any.
std::set<std::string> layouts_unasked(const ValidationInput& input,
                                      const ValidationRequest& request) {
  Collector collector;
  validate_matrix(input, request, collector.monitor());
  std::set<std::string> layouts;
  for (const ValidationRow& row : collector.rows) layouts.insert(to_string(row.layout));
  return layouts;
}

TEST(ThreadedValidationRun, MeasuresEveryFormatThatMayPay) {
  const ValidationInput input = laplacian_input();
  ValidationRequest cpu = brief({"spmv"});
  ValidationRequest gpu = cpu;
  gpu.gpu = GpuShape{132, 60 << 20, 232448};
  gpu.solvers = validated_solvers({"spmv"}, {LaunchMode::graph}, true);
  for (const ValidationRequest& request : {cpu, gpu}) {
    const std::set<std::string> measured = layouts_unasked(input, request);
    EXPECT_TRUE(measured.contains("dia"));
    for (const Format* format : formats()) {
      bool may_pay = false;
      bool runs = false;
      for (const Layout& layout : format->layouts()) {
        may_pay = may_pay || sparsecast::may_pay(input.features.numbers(format->name), layout);
        runs = runs || measured.contains(to_string(layout));
      }
      EXPECT_TRUE(runs || !may_pay) << format->name;
    }
  }
}

TEST(ThreadedValidationRun, MeasuresAllBlockSizesOnACpuAndNoDiagonalsThatAreFarFromFull) {
  EXPECT_EQ(layouts_unasked(
                std::move(prepare_inputs(source_of("fem", fem_elasticity(1, 4, 3)), 1).front()),
                brief({"spmv"})),
            (std::set<std::string>{"csr", "bcsr2", "bcsr3", "bcsr4", "bcsr6", "bcsr8",
                                   "sell32-sorted512"}));
}

/// What would be measured of a matrix on a GPU, whose key of the pattern is `turn`.
std::vector<ValidationRow> gpu_cases(ValidationInput input, int turn) {
  input.pattern = std::to_string(turn);  // one hexadecimal digit
  ValidationRequest request;
  request.gpu = GpuShape{132, 60 << 20, 232448};
  request.precisions = {Precision::f32, Precision::f64};
  request.solvers = validated_solvers({"fused", "algorithm1", "spmv"},
                                      {LaunchMode::graph, LaunchMode::persistent}, true);
  std::vector<ValidationRow> cases;
  Collector collector;
  ValidationMonitor monitor = collector.monitor();
  monitor.wanted = [&](const ValidationRow& row) {
    cases.push_back(row);
    return false;
  };
  validate_matrix(input, request, monitor);
  return cases;
}

TEST(ValidationRun, MeasuresOneLayoutThatStoresMuchMoreOfEveryFourthPattern) {
  int with_fill = 0;
  std::set<std::string> layouts;
  for (int turn = 0; turn < 10; ++turn) {
    std::set<std::string> filled;
    for (const ValidationRow& row : gpu_cases(laplacian_input(), turn)) {
      if (row.block_elements <= 2 * row.nonzeros) continue;
      EXPECT_LE(row.block_elements, 6 * row.nonzeros);
      EXPECT_EQ(row.launch, "graph");
      EXPECT_NE(row.schedule, "algorithm1");
      filled.insert(to_string(row.layout));
    }
    EXPECT_EQ(filled.size(), turn % 4 == 0 ? 1u : 0u) << turn;
    with_fill += filled.empty() ? 0 : 1;
    layouts.insert(filled.begin(), filled.end());
  }
  EXPECT_EQ(with_fill, 3);
  EXPECT_GE(layouts.size(), 2u);
}

TEST(ValidationRun, MeasuresOneLargePersistentKernelOfEveryThirdPattern) {
  const auto persistent = [](std::int64_t nonzeros, int turn) {
    ValidationInput input = laplacian_input();
    input.features.nonzeros = nonzeros;
    std::vector<std::string> found;
    for (const ValidationRow& row : gpu_cases(std::move(input), turn)) {
      if (row.launch != "persistent" || row.layout != Layout{}) continue;
      found.emplace_back(to_string(row.precision));
    }
    return found;
  };
  using Precisions = std::vector<std::string>;
  EXPECT_EQ(persistent(10'000'000, 1), (Precisions{"f32", "f64"}));
  EXPECT_EQ(persistent(30'000'000, 1), Precisions{"f32"});
  EXPECT_EQ(persistent(30'000'000, 3), (Precisions{"f32", "f64"}));
  EXPECT_EQ(persistent(60'000'000, 2), Precisions{});
  EXPECT_EQ(persistent(60'000'000, 6), Precisions{"f32"});
  EXPECT_EQ(persistent(300'000'000, 6), Precisions{});
}

TEST(ThreadedValidationRun, MeasuresDiagonalsOnAGpuOnlyWhereTheyAreStored) {
  // Of other formats than blocks a persistent kernel would run CSR again.
  Collector collector;
  ValidationRequest request = brief({});
  request.gpu = GpuShape{132, 60 << 20, 232448};
  request.solvers = validated_solvers({"fused"}, {LaunchMode::graph, LaunchMode::persistent}, true);
  validate_matrix(laplacian_input(), request, collector.monitor());
  std::set<std::string> launches;
  for (const ValidationRow& row : collector.rows) {
    if (to_string(row.layout) == "dia") launches.insert(row.launch);
  }
  EXPECT_EQ(launches, (std::set<std::string>{"graph"}));
}

TEST(ThreadedValidationRun, CountsWhatDiagonalsStore) {
  Collector collector;
  ValidationRequest request = brief({"fused"});
  request.layouts = {Layout{"dia", 1, RowOrder::natural}};
  request.devices = {1, 2};

  validate_matrix(laplacian_input(), request, collector.monitor());

  ASSERT_EQ(collector.rows.size(), 2u);
  const ValidationRow& row = collector.rows.front();
  EXPECT_EQ(row.block_elements, 5 * 448);  // diagonals of 400 rows, in whole groups of 64
  ASSERT_EQ(row.segments.size(), 1u);
  EXPECT_EQ(row.segments[0].elements, 5 * 448);
  EXPECT_EQ(row.segments[0].index_bytes, 0);
  EXPECT_EQ(row.segments[0].offset_bytes, 0);
  EXPECT_EQ(row.access->longest_row, 5);
  EXPECT_EQ(row.access->row_deviation, 0);
  EXPECT_EQ(collector.rows.back().segments.size(), 2u);
}

TEST(ThreadedValidationRun, SaysWhyAMatrixIsNotStoredInDiagonals) {
  Collector collector;
  ValidationRequest request = brief({"fused"});
  request.layouts = {Layout{"dia", 1, RowOrder::natural}};

  EXPECT_TRUE(validate_matrix(
      std::move(prepare_inputs(source_of("scattered", random_spd(8000, 4, 0, 5)), 1).front()),
      request, collector.monitor()));

  EXPECT_TRUE(collector.rows.empty());
  ASSERT_EQ(collector.skipped.size(), 1u);
  EXPECT_TRUE(collector.skipped[0].starts_with(
      "scattered, fused, dia, f64: layout dia: the nonzeros lie on "))
      << collector.skipped[0];
}

TEST(ValidatedSolvers, AreTheCombinationsThatThereAre) {
  const auto solvers = validated_solvers({"fused", "algorithm1", "vendor", "spmv"},
                                         {LaunchMode::graph, LaunchMode::persistent}, true);

  EXPECT_EQ(solvers, (std::vector<ValidatedSolver>{{"fused", LaunchMode::graph},
                                                   {"fused", LaunchMode::persistent},
                                                   {"algorithm1", LaunchMode::graph},
                                                   {"vendor", LaunchMode::graph},
                                                   {"spmv", LaunchMode::graph}}));
}

TEST(ValidatedSolvers, HaveNoLaunchModesAndNoVendorOnACpu) {
  const auto solvers = validated_solvers({"fused", "vendor", "spmv"}, {LaunchMode::graph}, false);

  EXPECT_EQ(solvers, (std::vector<ValidatedSolver>{{"fused", LaunchMode::automatic},
                                                   {"spmv", LaunchMode::automatic}}));
}

}  // namespace
}  // namespace sparsecast
