#include "core/cuda/cuda_backend.hpp"
#include "core/formats/conformance.hpp"
#include "cuda/gpu_test.hpp"

namespace sparsecast {
namespace {

class FormatConformanceTest : public GpuTest, public testing::WithParamInterface<Layout> {};

TEST_P(FormatConformanceTest, ProductsOnGpus) {
  int refused = 0;
  // Two devices that are the same GPU, twice.
  for (const std::vector<GpuPart>& devices :
       {std::vector<GpuPart>{0}, std::vector<GpuPart>{0, 0}}) {
    CudaBackend gpu(devices);
    expect_conformance<float>(gpu, GetParam(), 41, refused);
    expect_conformance<double>(gpu, GetParam(), 42, refused);
  }
  EXPECT_EQ(refused, 0);
}

INSTANTIATE_TEST_SUITE_P(Layouts, FormatConformanceTest, testing::ValuesIn(all_layouts()),
                         [](const auto& one) {
                           std::string name = to_string(one.param);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace sparsecast
