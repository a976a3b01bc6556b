#include <algorithm>
#include <cmath>
#include <string>

#include "calibrate/measure/microbenchmarks.hpp"
#include "core/base/error.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"
#include "cuda/gpu_test.hpp"

namespace sparsecast {
namespace {

/// A kernel of each kind and an iteration in each launch mode, tiny.
MeasurementPlan tiny_plan() {
  MeasurementPlan plan;
  plan.name = "tiny";
  plan.stopwatch.min_round_seconds = 2e-5;
  plan.stopwatch.min_rounds = 2;
  plan.stopwatch.max_rounds = 2;
  plan.stopwatch.max_seconds = 1e-3;
  plan.matrices = {{"laplacian5 16x16", 1216, [](int) { return laplacian(5, 16, 16); }}};
  for (const char* kernel : {"CG4", "Red", "CGResidual", "Load/2/variable", "cublasDot",
                             "cublasAxpy", "SpMV", "SpMVDot", "cusparseSpMV"}) {
    Measurement measurement;
    measurement.kernel = kernel;
    measurement.launch = LaunchMode::graph;
    measurement.unknowns = 1000;
    if (std::string(kernel).find("SpMV") != std::string::npos) measurement.matrix = 0;
    plan.measurements.push_back(measurement);
  }
  for (const char* schedule : {"algorithm1", "fused", "vendor"}) {
    for (const LaunchMode launch : {LaunchMode::host, LaunchMode::graph, LaunchMode::persistent}) {
      Measurement measurement;
      measurement.precision = Precision::f32;
      measurement.kernel = "Iteration";
      measurement.schedule = schedule;
      measurement.launch = launch;
      measurement.matrix = 0;
      plan.measurements.push_back(measurement);
    }
  }
  return plan;
}

using CalibrationOnGpu = GpuTest;

TEST_F(CalibrationOnGpu, MeasuresWhatThePlanListsAndCountsWhatIsRefused) {
  const MeasurementPlan plan = tiny_plan();
  SampleFile file;
  const MeasuredDevice gpu = measured_gpus({0});
  const PlanFailures failures = run_plan(plan, gpu, file, [](const PlanProgress&) { return true; });

  // Of the schedules here only the fused one has a persistent kernel; and on a busy machine a time
  // may be lost in noise.
  EXPECT_GE(failures.count, 2) << failures.first;
  const auto measured = std::ranges::count_if(
      file.samples, [](const Sample& sample) { return !is_preparation(sample.kernel); });
  EXPECT_EQ(measured + failures.count, std::ssize(plan.measurements));
  for (const Sample& sample : file.samples) {
    EXPECT_GT(sample.seconds, 0) << sample.kernel;
    EXPECT_EQ(sample.kernel == "Iteration", !sample.schedule.empty()) << sample.kernel;
    EXPECT_EQ(sample.access.has_value(),
              sample.kernel == "Iteration" || sample.kernel.find("SpMV") != std::string::npos)
        << sample.kernel;
  }
  EXPECT_EQ(parse_samples(samples_to_csv(file), "tiny").samples.size(), file.samples.size());
}

TEST_F(CalibrationOnGpu, SaysWhatWasMeasuredAndWhere) {
  const SampleOrigin origin = measured_gpus({0}).origin;
  EXPECT_EQ(origin.kind, DeviceProfile::Kind::gpu);
  EXPECT_EQ(origin.device, list_gpus().devices.at(0).name);
  for (const char* key :
       {"multiprocessors", "l2_bytes", "shared_bytes_per_block", "core_clock_mhz", "ecc",
        "driver_cuda_version", "cuda_version", "date", "program_version", "host_cpu"}) {
    ASSERT_TRUE(origin.environment.contains(key)) << key;
    EXPECT_FALSE(origin.environment.at(key).empty()) << key;
  }
}

TEST_F(CalibrationOnGpu, RunsTheLibrariesKernelsAlone) {
  constexpr std::int64_t size = 777;
  CudaPolicy policy;
  for (const LaunchMode mode : {LaunchMode::host, LaunchMode::plain, LaunchMode::graph}) {
    policy.launch_mode = mode;
    CudaBackend backend(0, policy);
    const auto prepared = backend.prepare_vectors_f64(single_step_schedule("cublasAxpy"), size);
    const Schedule schedule = single_step_schedule("cublasAxpy");
    const std::string& from = schedule.vectors.at(0).name;
    const std::string& to = schedule.vectors.at(1).name;
    prepared->set_vector(from, std::vector<double>(size, 0.5));
    prepared->set_vector(to, std::vector<double>(size, 2.0));
    prepared->set_scalar(schedule.scalars.at(0).name, 1);
    EXPECT_EQ(prepared->run(20).iterations, 20);
    std::vector<double> values = poison<double>(size);
    prepared->get_vector(to, values);
    EXPECT_EQ(std::ranges::count(values, 12.0), size) << to_string(mode);
  }
}

TEST_F(CalibrationOnGpu, RefusesAProductOfTheLibrariesWithoutAMatrix) {
  CudaBackend backend(0);
  EXPECT_THROW(backend.prepare_vectors_f64(single_step_schedule("cusparseSpMV"), 100), Error);
}

}  // namespace
}  // namespace sparsecast
