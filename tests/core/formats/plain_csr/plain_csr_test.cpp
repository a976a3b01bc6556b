#include <gtest/gtest.h>

#include <algorithm>

#include "core/cpu/cpu_backend.hpp"
#include "core/formats/bell_garland_example.hpp"
#include "core/formats/registry.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"

namespace sparsecast {
namespace {

TEST(PlainCsr, HasTheNamesOfThePapersKernels) {
  for (const char* name : {"csr-scalar", "csr-vector"}) {
    const Layout layout = parse_layout(name);
    EXPECT_EQ(layout.format, name);
    EXPECT_EQ(layout.variant, "");
    EXPECT_EQ(std::ranges::count(usual_layouts(), layout), 0);
    EXPECT_FALSE(format_of(layout).has_persistent_kernel);
    EXPECT_FALSE(format_of(layout).narrows_columns);
  }
}

TEST(PlainCsr, StoresWhatTable1CountsAndRowOffsets) {
  const CsrMatrix<double> matrix = bell_garland_example();
  CpuBackend cpu(1, 1);
  for (const char* name : {"csr-scalar", "csr-vector"}) {
    const auto prepared =
        cpu.prepare(single_step_schedule("SpMV"), matrix.view(), parse_layout(name));
    prepared->run(1);
    // 10 bytes a flop of 64-bit values, of which 4 are the vector's: a value and a column for two.
    const BytesByKind bytes = prepared->counters().bytes;
    EXPECT_EQ(bytes.values + bytes.indices, 9 * (2 * 10 - 8));
    EXPECT_EQ(bytes.row_pointers, 4 * 8);
  }
}

}  // namespace
}  // namespace sparsecast
