#include "core/formats/conformance.hpp"

#include "core/cpu/cpu_backend.hpp"
#include "core/cpu_layouts.hpp"
#include "core/refusal.hpp"

namespace sparsecast {
namespace {

class ThreadedConformance : public testing::TestWithParam<Layout> {};

TEST_P(ThreadedConformance, ProductsOnTheCpu) {
  // Threads even for the smallest systems.
  const CpuPolicy eager{.values_per_thread = 1, .rows_per_part = 48};
  int refused = 0;
  for (const int devices : {1, 2, 3}) {
    CpuBackend cpu(devices, devices == 1 ? 3 : 2, eager);
    expect_conformance<float>(cpu, GetParam(), 31, refused);
    expect_conformance<double>(cpu, GetParam(), 32, refused);
  }
  // All cases are small enough for every format.
  EXPECT_EQ(refused, 0);
}

INSTANTIATE_TEST_SUITE_P(Layouts, ThreadedConformance, testing::ValuesIn(cpu_layouts()),
                         [](const auto& one) {
                           std::string name = to_string(one.param);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(Conformance, EveryFormatHasLayoutsOfItsName) {
  for (const Format* format : formats()) {
    const std::vector<Layout> layouts = format->layouts();
    EXPECT_FALSE(layouts.empty());
    for (const Layout& layout : layouts) {
      EXPECT_EQ(layout.format, format->name);
      EXPECT_EQ(parse_layout(to_string(layout)), layout);
      EXPECT_EQ(&format_of(layout), format);
    }
  }
}

TEST(Conformance, LayoutsThatNobodyKnowsAreRefusedWithTheNearest) {
  EXPECT_EQ(refusal_of([] { parse_layout("bscr3"); }).substr(0, 43),
            "no layout 'bscr3'; did you mean 'bcsr3'? Th");
  EXPECT_EQ(refusal_of([] { parse_layout("weird-thing"); }).substr(0, 45),
            "no layout 'weird-thing'; there are csr, csr-s");
  EXPECT_EQ(refusal_of([] { parse_layout("paper4-wrap"); }).substr(0, 58),
            "no layout 'paper4-wrap'; did you mean 'paper4-warp'? There");
  EXPECT_NE(refusal_of([] { parse_layout("paper3"); }), "accepted");
  EXPECT_NE(refusal_of([] { format_of({"bcsr", 5, RowOrder::natural}); }), "accepted");
  EXPECT_NE(refusal_of([] { format_of({"dia", 1, RowOrder::sorted}); }), "accepted");
}

TEST(Conformance, TheCpuRefusesLayoutsOfGpusBeforeItConvertsAnything) {
  CpuBackend cpu(1, 1);
  const CsrMatrix<double> matrix = random_csr<double>(20, 20, 3, 1);
  int refused = 0;
  for (const Layout& layout : all_layouts()) {
    if (has_cpu_products(layout)) continue;
    ++refused;
    EXPECT_EQ(refusal_of([&] { cpu.prepare(single_step_schedule("SpMV"), matrix.view(), layout); }),
              "the CPU has no products of layout '" + to_string(layout) +
                  "'; use it on a GPU, or another layout");
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace sparsecast
