#pragma once

#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/cuda/vendor/nccl.cuh"

namespace sparsecast {

/// Tests that need NCCL and what `Base` needs are skipped where there is none.
template <class Base>
class NcclTest : public Base {
 protected:
  void SetUp() override {
    Base::SetUp();
    if (testing::Test::IsSkipped()) return;
    try {
      cuda::nccl();
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }
};

}  // namespace sparsecast
