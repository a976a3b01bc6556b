#include "calibrate/measure/microbenchmarks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/analysis/cuda_execution.hpp"
#include "core/analysis/features.hpp"
#include "core/analysis/matrix_access.hpp"
#include "core/analysis/persistent_execution.hpp"
#include "core/base/error.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/matrix/generate/generators.hpp"

namespace sparsecast {
namespace {

/// A plan of well under a second: every kind of measurement, tiny.
MeasurementPlan tiny_plan() {
  MeasurementPlan plan;
  plan.name = "tiny";
  plan.stopwatch.min_round_seconds = 1e-5;
  plan.stopwatch.min_rounds = 3;
  plan.stopwatch.max_seconds = 1e-3;
  plan.matrices = {{"laplacian5 8x8", 320, [](int) { return laplacian(5, 8, 8); }},
                   {"laplacian7 4x4x4", 448, [](int) { return laplacian(7, 4, 4, 4); }}};
  const auto vectors = [&plan](const std::string& kernel, std::int64_t unknowns, int devices) {
    Measurement measurement;
    measurement.kernel = kernel;
    measurement.unknowns = unknowns;
    measurement.devices = devices;
    plan.measurements.push_back(measurement);
  };
  for (const char* kernel : {"CG1", "CG2", "CG3", "CG4", "CG5", "Red", "Load/2/fixed",
                             "Load/1/variable", "Mixed/1r2w"}) {
    for (const std::int64_t unknowns : {64, 1000}) vectors(kernel, unknowns, 1);
  }
  vectors("Barrier", 64, 2);
  vectors("Exchange", 256, 2);
  for (int matrix = 0; matrix < 2; ++matrix) {
    for (const Precision precision : {Precision::f32, Precision::f64}) {
      for (const int block_size : {1, 4}) {
        Measurement measurement;
        measurement.precision = precision;
        measurement.kernel = matrix == 0 ? "SpMV" : "Iteration";
        if (matrix == 1) {
          measurement.schedule = "algorithm1";
          measurement.held_out = true;
        }
        measurement.matrix = matrix;
        measurement.layout = block_layout(block_size);
        plan.measurements.push_back(measurement);
      }
    }
  }
  return plan;
}

const Sample& find(const SampleFile& file, const std::string& kernel, const std::string& layout,
                   Precision precision = Precision::f64) {
  const auto found = std::ranges::find_if(file.samples, [&](const Sample& sample) {
    return sample.kernel == kernel && sample.layout == layout && sample.precision == precision;
  });
  if (found == file.samples.end()) throw std::runtime_error("no sample of " + kernel);
  return *found;
}

TEST(ThreadedMicrobenchmarks, MeasureEverythingThatThePlanLists) {
  const MeasurementPlan plan = tiny_plan();
  SampleFile file;
  std::vector<int> done;
  run_plan(plan, measured_cpu(2), file, [&done](const PlanProgress& progress) {
    done.push_back(progress.done);
    return true;
  });

  EXPECT_FALSE(file.partial);
  EXPECT_EQ(file.plan, "tiny");
  EXPECT_EQ(done.size(), plan.measurements.size());
  EXPECT_TRUE(std::ranges::is_sorted(done));
  const auto measured = std::ranges::count_if(
      file.samples, [](const Sample& sample) { return sample.kernel != "Convert"; });
  EXPECT_EQ(static_cast<std::size_t>(measured), plan.measurements.size());
  for (const Sample& sample : file.samples) {
    EXPECT_GT(sample.seconds, 0) << sample.kernel;
    EXPECT_GE(sample.rounds, 1) << sample.kernel;
  }
}

TEST(ThreadedMicrobenchmarks, RecordTheElementsOfTables2And3) {
  SampleFile file;
  run_plan(tiny_plan(), measured_cpu(2), file, [](const PlanProgress&) { return true; });

  // Table 2: CG4 moves 9 values per unknown, the reduction 1; Table 3: SpMV 2 per element.
  EXPECT_EQ(find(file, "CG4", "").elements, 9 * 64);
  EXPECT_EQ(find(file, "Red", "").elements, 64);
  EXPECT_EQ(find(file, "Load/2/fixed", "").elements, 2 * 64);
  EXPECT_EQ(find(file, "Mixed/1r2w", "").elements, 3 * 64);
  EXPECT_EQ(find(file, "Mixed/1r2w", "").bytes.vector_writes, 2 * 64 * 8);
  const Sample& csr = find(file, "SpMV", "csr");
  EXPECT_EQ(csr.nonzeros, 5 * 64 - 4 * 8);
  EXPECT_EQ(csr.shape.elements, csr.nonzeros);
  EXPECT_EQ(csr.elements, 2 * csr.nonzeros);
  EXPECT_EQ(csr.bytes.values, 8 * csr.nonzeros);
  EXPECT_EQ(find(file, "SpMV", "csr", Precision::f32).bytes.values, 4 * csr.nonzeros);
  const Sample& blocks = find(file, "SpMV", "bcsr4");
  EXPECT_EQ(blocks.shape.elements, 16 * blocks.shape.blocks);
  EXPECT_GT(blocks.shape.elements, blocks.nonzeros);
  // Staged exchange: every device's part of the whole vector passes through host memory.
  EXPECT_EQ(find(file, "Exchange", "").elements, 2 * 256);
}

TEST(ThreadedMicrobenchmarks, KeepSamplesWhenStoppedAndGoOnFromThem) {
  const MeasurementPlan plan = tiny_plan();
  SampleFile file;
  run_plan(plan, measured_cpu(2), file,
           [](const PlanProgress& progress) { return progress.done < 7; });
  EXPECT_TRUE(file.partial);
  ASSERT_EQ(file.samples.size(), 7u);
  const SampleFile stopped = parse_samples(samples_to_csv(file), "stopped");

  SampleFile resumed = stopped;
  int first_done = -1;
  run_plan(plan, measured_cpu(2), resumed, [&first_done](const PlanProgress& progress) {
    if (first_done < 0) first_done = progress.done;
    return true;
  });

  EXPECT_EQ(first_done, 7);
  EXPECT_FALSE(resumed.partial);
  for (std::size_t i = 0; i < stopped.samples.size(); ++i) {
    EXPECT_EQ(resumed.samples[i].seconds, stopped.samples[i].seconds);
  }
  SampleFile whole;
  run_plan(plan, measured_cpu(2), whole, [](const PlanProgress&) { return true; });
  EXPECT_EQ(resumed.samples.size(), whole.samples.size());
}

TEST(ThreadedMicrobenchmarks, SayWhatAGpuDoesWithEachMatrix) {
  const GpuShape gpu{132, 60 << 20, 227 << 10};
  MeasuredDevice device = measured_cpu(1);
  device.gpu = gpu;
  device.supply.generators_ahead = 2;
  const MeasurementPlan plan = tiny_plan();
  SampleFile file;
  run_plan(plan, device, file, [](const PlanProgress&) { return true; });
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    for (const int block_size : {1, 4}) {
      const CsrMatrix<double> matrix = plan.matrices[0].generate(1);
      const Layout layout = block_layout(block_size);
      const MatrixAccess access = compute_access<double>(matrix);
      const GpuExecution expected = gpu_execution(
          matrix.view(), access,
          cuda_shape(matrix.view(), compute_features<double>(matrix), access, layout, {}), layout,
          precision, gpu, {}, std::nullopt);
      const Sample& sample = find(file, "SpMV", to_string(layout), precision);
      ASSERT_TRUE(sample.execution) << to_string(layout);
      EXPECT_EQ(to_text(*sample.execution), to_text(expected)) << to_string(layout);
    }
  }
  for (const Sample& sample : file.samples) {
    EXPECT_EQ(sample.execution.has_value(), sample.kernel == "SpMV" || sample.kernel == "Iteration")
        << sample.kernel;
  }
}

TEST(ThreadedMicrobenchmarks, LeaveOutLayoutsThatTakeTooMuchMemory) {
  SampleFile file;
  MeasuredDevice cpu = measured_cpu(1);
  cpu.most_matrix_bytes = 4000;
  run_plan(tiny_plan(), cpu, file, [](const PlanProgress&) { return true; });
  EXPECT_NO_THROW(find(file, "SpMV", "csr"));
  EXPECT_THROW(find(file, "SpMV", "bcsr4"), std::runtime_error);
  EXPECT_FALSE(file.partial);
}

TEST(ThreadedMicrobenchmarks, LeaveOutLayoutsThatHoldMostlyZeros) {
  MeasurementPlan plan = tiny_plan();
  for (Measurement& each : plan.measurements) each.most_fill = 1.5;
  SampleFile file;
  const PlanFailures failures =
      run_plan(plan, measured_cpu(1), file, [](const PlanProgress&) { return true; });
  EXPECT_NO_THROW(find(file, "SpMV", "csr"));
  EXPECT_THROW(find(file, "SpMV", "bcsr4"), std::runtime_error);
  EXPECT_EQ(failures.count, 0) << failures.first;
}

TEST(ThreadedMicrobenchmarks, RecordHowEachMatrixIsLookedUpAndWhatIsHeldOut) {
  SampleFile file;
  run_plan(tiny_plan(), measured_cpu(2), file, [](const PlanProgress&) { return true; });
  const Sample& product = find(file, "SpMV", "csr");
  const Sample& iteration = find(file, "Iteration", "csr");
  ASSERT_TRUE(product.access);
  EXPECT_EQ(product.access->longest_row, 5);
  EXPECT_FALSE(product.held_out);
  EXPECT_EQ(iteration.schedule, "algorithm1");
  EXPECT_TRUE(iteration.held_out);
  EXPECT_EQ(find(file, "CG4", "").access, std::nullopt);
}

TEST(ThreadedMicrobenchmarks, PassOverWhatTheDeviceRefusesAndCountIt) {
  MeasurementPlan plan = tiny_plan();
  Measurement vendor = plan.measurements.back();
  vendor.schedule = "vendor";  // CUDA's alone
  plan.measurements.push_back(vendor);
  SampleFile file;
  const PlanFailures failures =
      run_plan(plan, measured_cpu(2), file, [](const PlanProgress&) { return true; });
  EXPECT_EQ(failures.count, 1);
  EXPECT_NE(failures.first.find("vendor"), std::string::npos) << failures.first;
  EXPECT_FALSE(file.partial);
}

TEST(ThreadedMicrobenchmarks, VisitAgainOnlyWhatTheDeviceCanMeasure) {
  MeasurementPlan plan = tiny_plan();
  std::erase_if(plan.measurements, [](const Measurement& each) { return each.kernel != "SpMV"; });
  Measurement vendor = plan.measurements.front();
  vendor.schedule = "vendor";  // CUDA's alone
  vendor.kernel = "Iteration";
  plan.measurements.push_back(vendor);
  for (Measurement& each : plan.measurements) each.most_fill = 1.5;  // leaves 4 x 4 blocks out
  plan.passes = 2;
  plan.most_passes = 4;
  std::map<std::string, int> tried;
  SampleFile file;
  const PlanFailures failures = run_plan(plan, measured_cpu(1), file, [&](const PlanProgress& at) {
    ++tried[at.what];
    return true;
  });
  EXPECT_EQ(failures.count, 2);
  ASSERT_EQ(tried.size(), plan.measurements.size());
  for (const auto& [what, times] : tried) {
    const bool possible = what.find("vendor") == what.npos && what.find("bcsr4") == what.npos;
    EXPECT_GE(times, 2) << what;
    EXPECT_LE(times, possible ? 4 : 2) << what;
  }
}

TEST(ThreadedMicrobenchmarks, EndWhenEverythingFails) {
  MeasurementPlan plan;
  Measurement nonsense;
  nonsense.kernel = "CG9";
  plan.measurements.assign(100, nonsense);
  SampleFile file;
  EXPECT_THROW(run_plan(plan, measured_cpu(1), file, [](const PlanProgress&) { return true; }),
               Error);
}

TEST(ThreadedMicrobenchmarks, GenerateTheSameMatricesAheadOfTheNeed) {
  const MeasurementPlan plan = tiny_plan();
  MeasuredDevice ahead = measured_cpu(1);
  ahead.supply.generators_ahead = 2;
  ahead.supply.most_bytes_ahead = 1e9;
  SampleFile file;
  SampleFile other;
  run_plan(plan, ahead, file, [](const PlanProgress&) { return true; });
  run_plan(plan, measured_cpu(1), other, [](const PlanProgress&) { return true; });
  ASSERT_EQ(file.samples.size(), other.samples.size());
  for (std::size_t i = 0; i < file.samples.size(); ++i) {
    EXPECT_EQ(file.samples[i].matrix, other.samples[i].matrix);
    EXPECT_EQ(file.samples[i].nonzeros, other.samples[i].nonzeros);
    EXPECT_EQ(file.samples[i].access, other.samples[i].access);
  }
}

TEST(ThreadedMicrobenchmarks, IterateOnAMatrixWhoseRowsSumToOne) {
  // There b = A x for all ones: no direction to search in.
  MeasurementPlan plan = tiny_plan();
  plan.matrices[1] = {"power law", 800, [](int) { return power_law(99, 8, 2.6, 3); }};
  std::erase_if(plan.measurements,
                [](const Measurement& each) { return each.kernel != "Iteration"; });
  SampleFile file;
  run_plan(plan, measured_cpu(2), file, [](const PlanProgress&) { return true; });
  EXPECT_EQ(file.samples.size(), plan.measurements.size());
}

}  // namespace
}  // namespace sparsecast
