#include "predict/validation/data/validation_data.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "predict/validation/validation_cases.hpp"

namespace sparsecast {
namespace {

/// Runs on the same machine.
std::vector<ValidationData> two_runs() {
  std::vector<ValidationData> runs{
      {{{"run on", "card"}, {"date", "Monday"}}, {row("a", 1, 2.0, 1.0), row("b", 1, 2.0, 1.0)}},
      {{{"run on", "card"}, {"date", "Friday"}}, {row("b", 1, 1.5, 1.0), row("b", 2, 3.0, 1.0)}}};
  return runs;
}

TEST(MergedValidations, AreTheFastestOfEachCase) {
  const std::vector<std::string> names{"monday.csv", "friday.csv"};

  const ValidationData merged = merge_validations(two_runs(), names);

  ASSERT_EQ(merged.rows.size(), 3u);
  EXPECT_EQ(merged.rows[0].visits, 1);
  EXPECT_EQ(merged.rows[1].matrix, "matrix_b");
  EXPECT_EQ(merged.rows[1].measured_seconds, 1.5);
  EXPECT_EQ(merged.rows[1].second_seconds, 2.0);
  EXPECT_EQ(merged.rows[1].visits, 2);
  EXPECT_EQ(merged.rows[2].layout, block_layout(2));
  EXPECT_EQ(merged.source, "monday.csv");
  EXPECT_EQ(merged.about.at("runs"), "2");
  EXPECT_EQ(merged.about.at("date"), "Monday; Friday");
}

TEST(MergedValidations, OfOneRunAreThatRun) {
  const std::vector<std::string> names{"monday.csv"};

  const ValidationData merged = merge_validations({two_runs().front()}, names);

  EXPECT_EQ(merged.rows, two_runs().front().rows);
  EXPECT_EQ(merged.about, two_runs().front().about);
}

TEST(MergedValidations, MayBeOfSeveralDevicesOfOneKind) {
  const std::vector<std::string> names{"monday.csv", "friday.csv"};
  std::vector<ValidationData> runs = two_runs();
  runs[0].about["run on"] = "card, cuda:1";
  runs[1].about["run on"] = "card, cuda:0";

  EXPECT_EQ(merge_validations(std::move(runs), names).about.at("run on"),
            "card, cuda:1; card, cuda:0");
}

TEST(KindOfDevice, IsThatOfAPartWithAsManyMultiprocessors) {
  EXPECT_TRUE(same_kind_of_device("card, cuda:0/32", "card, cuda:1/32"));
  EXPECT_TRUE(same_kind_of_device("card, cuda:0/32; card, cuda:1/32", "card, cuda:0/32"));
  EXPECT_FALSE(same_kind_of_device("card, cuda:0/32", "card, cuda:0/64"));
  EXPECT_FALSE(same_kind_of_device("card, cuda:0/32", "card, cuda:0"));
  EXPECT_TRUE(same_kind_of_device("card, cuda:0,cuda:1, exchange halo", "card, cuda:1"));
}

TEST(MergedValidations, AreOfOneKindOfDevice) {
  const std::vector<std::string> names{"monday.csv", "friday.csv"};
  std::vector<ValidationData> runs = two_runs();
  runs[1].about["run on"] = "board";

  try {
    merge_validations(std::move(runs), names);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "friday.csv: measured on 'board', monday.csv on 'card'; name runs on one kind of "
                 "device");
  }
}

}  // namespace
}  // namespace sparsecast
