#include "core/cuda/cuda_backend.hpp"
#include "core/formats/conformance.hpp"
#include "core/matrix/generate/generators.hpp"
#include "cuda/gpu_test.hpp"

namespace sparsecast {
namespace {

class FormatConformanceTest : public GpuTest, public testing::WithParamInterface<Layout> {};

TEST_P(FormatConformanceTest, ProductsOnGpus) {
  int refused = 0;
  // Two devices that are the same GPU, twice.
  for (const std::vector<GpuPart>& devices : one_gpu_alone_and_as(2)) {
    CudaBackend gpu(devices);
    expect_conformance<float>(gpu, GetParam(), 41, refused);
    expect_conformance<double>(gpu, GetParam(), 42, refused);
  }
  EXPECT_EQ(refused, 0);
}

TEST_P(FormatConformanceTest, AProductWhoseGuardDoesNotHoldLeavesItsOutput) {
  const auto matrix = laplacian(5, 17, 15);
  const auto size = static_cast<std::size_t>(matrix.rows);
  for (const LaunchMode mode : {LaunchMode::graph, LaunchMode::plain}) {
    for (const char* step : {"SpMV", "SpMVDot"}) {
      Schedule schedule = single_step_schedule(step);
      const auto low = static_cast<ScalarSlot>(schedule.scalars.size());
      schedule.scalars.push_back({"low", 1});
      schedule.scalars.push_back({"high", 2});
      Step& product = schedule.iteration.front();
      product.guard = ScalarTest{static_cast<ScalarSlot>(low + 1), Comparison::less, low};
      const std::string input = schedule.vectors[static_cast<std::size_t>(product.vectors[0])].name;
      const std::string output =
          schedule.vectors[static_cast<std::size_t>(product.vectors[1])].name;
      SCOPED_TRACE(step + (", " + std::string(to_string(mode))));
      CudaPolicy policy;
      policy.launch_mode = mode;
      CudaBackend backend(0, policy);
      const auto prepared = backend.prepare(schedule, matrix.view(), GetParam());
      prepared->set_vector(input, std::vector<double>(size, 3));
      prepared->set_vector(output, std::vector<double>(size, 7));
      prepared->run(20);
      std::vector<double> values(size);
      prepared->get_vector(output, values);
      EXPECT_EQ(values, std::vector<double>(size, 7));
      EXPECT_EQ(prepared->counters().kernels, 0);
      EXPECT_EQ(prepared->counters().launches, 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, FormatConformanceTest, testing::ValuesIn(all_layouts()),
                         [](const auto& one) {
                           std::string name = to_string(one.param);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace sparsecast
