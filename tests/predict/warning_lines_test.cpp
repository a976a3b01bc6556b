#include "predict/warning_lines.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sparsecast {
namespace {

using Lines = std::vector<std::string>;

Prediction forecast(const std::string& schedule, const Layout& layout,
                    std::vector<std::string> warnings, const std::string& profile = "gpu") {
  Prediction one;
  one.profile = profile;
  one.schedule = schedule;
  one.layout = layout;
  for (std::string& text : warnings) text = warning_of(schedule, layout, text);
  one.warnings = std::move(warnings);
  return one;
}

TEST(WarningLines, ListWhatATextIsOf) {
  const Layout csr;
  const Layout blocks = block_layout(3);
  const std::vector<Prediction> all{
      forecast("cg", csr, {"new"}),       forecast("minres", csr, {"new"}),
      forecast("gmres", csr, {"unlike"}), forecast("fused", csr, {}),
      forecast("cg", blocks, {"new"}),    forecast("minres", blocks, {"new"}),
      forecast("cg", csr, {"new"}),       forecast("fused", blocks, {"new"})};
  EXPECT_EQ(warning_lines(all),
            (Lines{"cg, minres in csr, bcsr3; fused in bcsr3: new", "gmres in csr: unlike"}));
  EXPECT_EQ(warning_lines({}), Lines{});
}

TEST(WarningLines, HaveTextsOfNoSolverOnce) {
  Prediction one = forecast("cg", {}, {"new"});
  one.warnings.emplace_back("a machine with 2 devices");
  Prediction other = forecast("fused", {}, {});
  other.warnings = {"a machine with 2 devices"};
  EXPECT_EQ(warning_lines(std::vector{one, other}),
            (Lines{"cg in csr: new", "a machine with 2 devices"}));
}

TEST(WarningLines, NameTheProfileWhereThereAreSeveral) {
  Prediction other = forecast("cg", {}, {"new"}, "other");
  other.warnings.emplace_back("profile 'other' is small");
  EXPECT_EQ(warning_lines(std::vector{forecast("cg", {}, {"new"}), other}),
            (Lines{"gpu: cg in csr: new", "other: cg in csr: new", "profile 'other' is small"}));
}

}  // namespace
}  // namespace sparsecast
