#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/cuda/device/gpu_devices.hpp"
#include "core/matrix/generate/generators.hpp"
#include "cuda/cg_system.hpp"
#include "cuda/gpu_test.hpp"

/// @file
/// More segments than there are GPUs: several of them share one, so that sums and exchanges of two,
/// three and four are tested on any machine. Their kernels wait for each other: all of them must
/// fit on a GPU at a time, a sanitizer must not run them one after the other, and they must be
/// graphs (a thread that finds the queue of launches full keeps the others that launch on the same
/// GPU out).

namespace sparsecast {
namespace {

/// Streams of one process share a few queues of the GPU, whose kernels run one after the other: the
/// more streams tests in front of these have made, the likelier two segments do. To be set before
/// the process asks for the GPU.
[[maybe_unused]] const int queues = setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);

/// Places of so many segments: each on a GPU of its own where there are enough.
std::vector<GpuPart> places(int segments) {
  const auto count = static_cast<int>(list_gpus().devices.size());
  std::vector<GpuPart> devices;
  for (int i = 0; i < segments; ++i) devices.push_back(i % count);
  return devices;
}

/// Without looks at the run before its end: copies from one GPU go in one order, and a second look
/// at one segment in front of the first at another one would wait for what waits for that.
CudaPolicy sharing(ExchangeMode mode) {
  CudaPolicy policy = exchanging(mode);
  policy.poll_every(1000);
  return policy;
}

template <class T>
class SharedGpuTest : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!kernels_may_wait_for_each_other()) GTEST_SKIP() << "kernels that wait for each other";
  }
};
using ValueTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(SharedGpuTest, ValueTypes);

TYPED_TEST(SharedGpuTest, FirstTwentyIteratesOfTwoToFourSegmentsAreThoseOfOne) {
  using T = TypeParam;
  const double tolerance = std::is_same_v<T, float> ? 2e-4 : 1e-11;
  for (const auto& matrix : {fem_elasticity(1, 6, 3), power_law(3000, 12, 1.9, 5),
                             laplacian(27, 14, 9, 11), laplacian(3, 70)}) {
    const auto system = make_system<T>(matrix);
    for (const char* schedule : cg_schedules) {
      CudaBackend one(0);
      const auto expected = iterates(one, system, block_layout(3), schedule, 20);
      for (const int segments : {2, 3, 4}) {
        for (const ExchangeMode mode : exchange_modes) {
          SCOPED_TRACE(std::to_string(matrix.rows) + " rows, " + schedule + ", " +
                       std::to_string(segments) + " segments, " + std::string(to_string(mode)));
          CudaPolicy policy = sharing(mode);
          policy.device_patience_seconds = 2;
          CudaBackend several(places(segments), policy);
          try {
            expect_iterates_near(iterates(several, system, block_layout(3), schedule, 20), expected,
                                 tolerance);
          } catch (const Error& error) {
            FAIL() << error.what();
          }
        }
      }
    }
  }
}

TYPED_TEST(SharedGpuTest, EveryExchangeOfFourSegmentsGivesTheSameBits) {
  using T = TypeParam;
  const auto system = make_system<T>(laplacian(7, 15, 12, 13));
  std::vector<std::vector<T>> solutions;
  for (const ExchangeMode mode : exchange_modes) {
    for (int again = 0; again < 3; ++again) {
      CudaBackend backend(places(4), sharing(mode));
      const auto prepared = begin_cg(backend, system, block_layout(1), -1, "fused");
      EXPECT_EQ(prepared->run(60).iterations, 60);
      solutions.push_back(vector_of(*prepared, "x", system.b.size()));
      EXPECT_EQ(solutions.back(), solutions.front()) << to_string(mode);
    }
  }
}

}  // namespace
}  // namespace sparsecast
