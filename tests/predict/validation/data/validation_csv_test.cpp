#include "predict/validation/data/validation_csv.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "predict/validation/validation_cases.hpp"

namespace sparsecast {
namespace {

void expect_refused(const std::string& text, const std::string& message) {
  try {
    parse_validation_csv(text, "data.csv");
    FAIL() << "expected: " << message;
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), message);
  }
}

TEST(ValidationCsv, IsReadBackExactly) {
  ValidationData data;
  data.about = {{"profile", "card"}, {"date", "2026-01-02T03:04:05Z"}};
  data.rows = {row("a", 1, 1.0 / 3, 0.1), row("b", 4, 2e-7, 3e-7)};
  data.rows[0].matrix = "a, \"quoted\" name";
  data.rows[0].interval_seconds = Interval{0.05, 0.2};
  data.rows[1].surrogate_values = true;
  data.rows[1].precision = Precision::f32;
  data.rows[1].devices = 2;
  data.rows[1].schedule = "fused";
  data.rows[1].launch = "graph";
  data.rows[1].segments = {{1000, 2000, 5000.5, 300, 250, 2}, {1000, 2000, 4000, 200, 250, 4}};
  data.rows[1].access.emplace();
  data.rows[1].access->sector_lookups[3] = 77;
  data.rows[1].access->bandwidth = 12;
  data.rows[1].core_clock_mhz = 1980;
  data.rows[1].throttle_reasons = "power_cap";
  data.rows[1].paper_seconds = 1.0 / 7;
  data.rows[1].predicted_seconds = 0;
  data.rows.push_back(row("c", 1, 1, 2));
  data.rows[2].generated = true;
  data.rows[2].launch = "graph";
  data.rows[2].exchange = "halo";
  data.rows[2].work.resize(2);
  data.rows[2].work[1].received = 12;
  data.rows[2].visits = 4;
  data.rows[2].roofline_seconds = 1.0 / 3;
  data.rows[2].regression_seconds = 1.0 / 11;
  data.rows[2].second_seconds = 1.0 / 9;

  const ValidationData again = parse_validation_csv(validation_to_csv(data), "data.csv");

  EXPECT_EQ(again.about, data.about);
  EXPECT_EQ(again.rows, data.rows);
  EXPECT_NE(again.rows[2].work[1].geometry, ProductGeometry{});
}

TEST(ValidationCsv, OfVersion1IsOfAlgorithm1) {
  const std::string text =
      "# profile: card\n"
      "matrix,pattern,renumbering,values,unknowns,nonzeros,block_elements,block,devices,precision,"
      "working_set_bytes,measured_seconds,measured_spread,measured_error,rounds,predicted_seconds,"
      "interval_low_seconds,interval_high_seconds,baseline_seconds\n"
      "a,key,rcm,surrogate,10,40,60,2,1,f32,500,0.5,0.1,0.01,9,0.25,,,0.125\n";

  const ValidationData data = parse_validation_csv(text, "data.csv");

  ASSERT_EQ(data.rows.size(), 1u);
  EXPECT_EQ(data.rows[0].schedule, "algorithm1");
  EXPECT_EQ(data.rows[0].launch, "");
  EXPECT_TRUE(data.rows[0].segments.empty());
  EXPECT_FALSE(data.rows[0].access.has_value());
  EXPECT_EQ(data.rows[0].baseline_seconds, 0.125);
}

constexpr const char* columns_before_layouts =
    "matrix,pattern,renumbering,values,unknowns,nonzeros,block_elements,block,devices,precision,"
    "schedule,launch,segments,access,execution,exchange,work,core_clock_mhz,throttle_reasons,"
    "paper_seconds,working_set_bytes,measured_seconds,measured_spread,measured_error,rounds,visits,"
    "second_seconds,predicted_seconds,interval_low_seconds,interval_high_seconds,"
    "baseline_seconds\n";

TEST(ValidationCsv, OfVersion4HasBlockSizesInThePlaceOfLayouts) {
  const std::string head = std::string("# schema: 4\n") + columns_before_layouts;
  const auto line_of = [](const std::string& block) {
    return "a,key,none,file,10,40,60," + block +
           ",1,f32,fused,,10:10:60:15:5:4,,,,,0,,,500,0.5,0.1,0.01,9,2,0.6,,,,\n";
  };

  const ValidationData data = parse_validation_csv(head + line_of("1") + line_of("2"), "data.csv");

  ASSERT_EQ(data.rows.size(), 2u);
  EXPECT_EQ(data.rows[0].layout, Layout{});
  EXPECT_EQ(data.rows[1].layout, block_layout(2));
  EXPECT_EQ(data.rows[1].segments.at(0).offset_bytes, 8);
  EXPECT_EQ(data.rows[1].visits, 2);
  expect_refused(head + line_of("5"),
                 "data.csv:3: '5' in column 'block'; no kernels for block size 5; expected 1, 2, "
                 "3, 4, 6 or 8");
  expect_refused(std::string("# schema: 5\n") + columns_before_layouts,
                 "data.csv:2: no column 'block' in validation data; expected a header such as "
                 "matrix,pattern,renumbering,...");
}

TEST(ValidationCsv, KeepsACaseInDiagonals) {
  ValidationData data{{}, {row("a", 1, 2.0, 1.0), row("a", 1, 1.0, 1.0)}};
  for (ValidationRow& each : data.rows) each.layout = {"dia", 1, RowOrder::natural};
  SegmentShape diagonals{1000, 1000, 5120, 5120, 1000, 0, 0};
  data.rows[0].segments = {diagonals};
  data.rows[1].devices = 2;
  data.rows[1].segments = {diagonals, diagonals};
  data.rows[1].work.resize(2);
  for (SegmentWork& each : data.rows[1].work) each.shape = diagonals;

  const std::string text = validation_to_csv(data);
  const ValidationData again = parse_validation_csv(text, "data.csv");

  EXPECT_TRUE(text.starts_with("# schema: 7\n")) << text;
  EXPECT_NE(text.find(",dia,"), std::string::npos) << text;
  EXPECT_EQ(again.rows, data.rows);
  EXPECT_EQ(again.rows[0].segments.at(0).offset_bytes, 0);
  EXPECT_EQ(again.rows[1].work.at(1).shape.offset_bytes, 0);
}

ValidationData one_solve() {
  ValidationData data{{}, {row("a", 1, 2.0, 1.0), row("b", 1, 1.0, 1.0)}};
  SolutionCase& one = data.rows[0].solution.emplace();
  one.count.solver = "gmres";
  one.count.settings = {{"m", 7}};
  one.count.tolerance = 1e-8;
  one.count.right_hand_side = "ones";
  one.count.outcome = one.outcome = Outcome::converged;
  one.count.iterations = 4;
  one.count.cycle_steps = 3;
  one.count.amount = one.count.fewest = one.count.most = 3.5;
  one.count.runs = one.count.converged = 4;
  one.iterations = 5;
  one.cycle_steps = 2;
  one.amount = 4.25;
  one.measured = {1e-4, 2e-3, 3e-5, 4e-2};
  one.call_seconds = 5e-2;
  one.predicted = SolutionParts{1e-4, 2e-3, 0, 3e-2};
  one.interval = Interval{2e-2, 4e-2};
  return data;
}

TEST(ValidationCsv, KeepsATimeToSolution) {
  ValidationData data = one_solve();
  EXPECT_EQ(parse_validation_csv(validation_to_csv(data), "data.csv").rows, data.rows);
  SolutionCase& one = *data.rows[0].solution;
  one.outcome = Outcome::breakdown;
  one.cycle_steps.reset();
  one.predicted.reset();
  one.interval.reset();
  EXPECT_EQ(parse_validation_csv(validation_to_csv(data), "data.csv").rows, data.rows);
}

TEST(ValidationCsv, RefusesDamagedTimesToSolution) {
  const auto with = [](const std::string& what, const std::string& instead) {
    std::string text = validation_to_csv(one_solve());
    const std::size_t place = text.find(what);
    if (place == std::string::npos) return std::string("nothing to damage");
    return text.replace(place, what.size(), instead);
  };
  expect_refused(with("}\",converged,", "}\",done,"),
                 "data.csv:3: 'done' in column 'outcome'; expected an outcome of a solve, as "
                 "converged");
  expect_refused(with("}\",converged,5,", "}\",converged,-5,"),
                 "data.csv:3: '-5' in column 'iterations'; expected a number that is not negative");
}

TEST(ValidationCsv, SaysWhichLayoutWasProbablyMeant) {
  std::string text = validation_to_csv({{}, {row("a", 4, 1.0, 2.0)}});
  text.replace(text.find(",bcsr4,"), 7, ",bcsr5,");
  try {
    parse_validation_csv(text, "data.csv");
    FAIL() << "accepted";
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with(
        "data.csv:3: 'bcsr5' in column 'layout'; no layout 'bcsr5'; did you mean 'bcsr"))
        << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

TEST(ValidationCsv, RefusesAVersionThatItDoesNotKnow) {
  expect_refused("# schema: 8\n",
                 "data.csv:1: raw data of schema version 8; this program reads 1 to 7: use a newer "
                 "one");
}

TEST(ValidationCsv, RefusesAShapeOfOtherThanSixNumbers) {
  ValidationData data{{}, {row("a", 1, 1.0, 2.0)}};
  data.rows[0].segments = {{1, 2, 3, 4, 5, 6}};
  std::string text = validation_to_csv(data);
  text.replace(text.find("1:2:3:4:5:6"), 11, "1:2:3:4:5:6:7");

  expect_refused(
      text, "data.csv:3: '1:2:3:4:5:6:7' in column 'segments'; expected six numbers a segment");
}

TEST(ValidationCsv, SaysInOneLineWhatIsWrongWithACellOfTwo) {
  std::string text = validation_to_csv({{}, {row("a", 1, 1.0, 2.0)}});
  const std::size_t layout = text.find(",csr,");
  ASSERT_NE(layout, std::string::npos) << text;
  text.replace(layout, 5, ",\"c\nsr\",");
  try {
    parse_validation_csv(text, "data.csv");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
  }
}

TEST(ValidationCsv, NamesTheLineOfADamagedCell) {
  std::string text = validation_to_csv({{{"profile", "card"}}, {row("a", 1, 1.0, 2.0)}});
  text.replace(text.find(",1000,"), 6, ",many,");

  expect_refused(text, "data.csv:4: 'many' in column 'unknowns'; expected a number");
}

TEST(ValidationCsv, NamesTheLineOfALayoutThatIsNotForecast) {
  ValidationData data{{}, {row("a", 1, 1.0, 2.0)}};
  data.rows[0].launch = "graph";
  data.rows[0].work.resize(1);
  std::string text = validation_to_csv(data);
  const std::size_t layout = text.find(",csr,");
  ASSERT_NE(layout, std::string::npos) << text;
  text.replace(layout, 5, ",paper4-padded-sorted,");
  expect_refused(text,
                 "data.csv:3: layout paper4-padded-sorted is for comparisons: its products are "
                 "measured, not forecast");
}

TEST(ValidationCsv, RefusesATruncatedLine) {
  std::string text = validation_to_csv({{}, {row("a", 1, 1.0, 2.0)}});
  text.resize(text.find(",1000,"));

  expect_refused(text, "data.csv:3: 4 cells; expected 49");
}

TEST(ValidationCsv, RefusesATimeThatIsNotPositive) {
  expect_refused(validation_to_csv({{}, {row("a", 1, 0.0, 2.0)}}),
                 "data.csv:3: '0' in column 'measured_seconds'; expected a positive number");
}

/// What reading this text complains of.
std::string error_of(const std::string& text) {
  try {
    parse_validation_csv(text, "raw.csv");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ValidationCsv, KeepsAnyNameOfAMatrix) {
  for (const std::string name : {"#x", "a, b", "say \"x\"", "two\nlines", "windows\r\nlines",
                                 " leading", "trailing ", "", "\"", "# key: value"}) {
    ValidationData data;
    data.rows = {row("a", 1, 2.0, 1.0), row("b", 1, 2.0, 1.0)};
    for (ValidationRow& each : data.rows) each.matrix = name;

    const ValidationData again = parse_validation_csv(validation_to_csv(data), "raw.csv");

    EXPECT_EQ(again.rows, data.rows) << name;
  }
}

TEST(ValidationCsv, CountsLinesInsideNamesInItsErrors) {
  ValidationData data;
  data.rows = {row("a", 1, 2.0, 1.0), row("b", 1, 2.0, 1.0)};
  data.rows[0].matrix = "two\nlines";
  std::string text = validation_to_csv(data);
  text.replace(text.rfind(",f64,"), 5, ",f16,");

  EXPECT_EQ(error_of(text), "raw.csv:5: 'f16' in column 'precision'; expected f32 or f64");
}

TEST(ValidationCsv, RefusesAColumnThatIsThereTwice) {
  EXPECT_EQ(error_of("matrix,pattern,matrix\n"),
            "raw.csv:1: column 'matrix' is there twice; expected it once");
}

TEST(ValidationCsv, SaysInOneShortLineWhatItRefuses) {
  const std::string commas(1'000'000, ',');
  const std::string letters(1'000'000, 'x');
  ValidationData data;
  data.rows = {row("a", 1, 2.0, 1.0)};
  const std::string text = validation_to_csv(data);
  for (const std::string& wrong : {commas + '\n', letters + '\n', text + commas, text + letters}) {
    EXPECT_LT(error_of(wrong).size(), 200u) << error_of(wrong).substr(0, 300);
  }
}

TEST(ValidationCsv, RefusesAQuoteWithoutItsEnd) {
  ValidationData data;
  data.rows = {row("a", 1, 2.0, 1.0)};
  data.rows[0].matrix = "a, b";
  std::string text = validation_to_csv(data);
  text.erase(text.find("a, b\"") + 4, 1);

  EXPECT_EQ(error_of(text), "raw.csv:3: a quote without its end; expected another quote");
}

TEST(ValidationCsv, RefusesWordsThatItDoesNotKnow) {
  const auto error_with = [](std::string ValidationRow::*member, const char* word) {
    ValidationData data;
    data.rows = {row("a", 1, 2.0, 1.0)};
    data.rows[0].*member = word;
    return error_of(validation_to_csv(data));
  };
  EXPECT_EQ(error_with(&ValidationRow::schedule, "my solver"),
            "raw.csv:3: 'my solver' in column 'schedule'; expected the name of a schedule");
  EXPECT_EQ(error_with(&ValidationRow::launch, "rocket"),
            "raw.csv:3: 'rocket' in column 'launch'; unknown launch mode 'rocket'; expected one of "
            "auto, host, plain, graph, persistent");
  EXPECT_EQ(error_with(&ValidationRow::launch, "auto"),
            "raw.csv:3: 'auto' in column 'launch'; expected the mode that ran");
  EXPECT_NE(error_with(&ValidationRow::exchange, "post").find("'post' in column 'exchange'"),
            std::string::npos);
  EXPECT_NE(error_with(&ValidationRow::renumbering, "az").find("'az' in column 'renumbering'"),
            std::string::npos);
}

TEST(ValidationCsv, RefusesNumbersThatMakeNoSense) {
  const auto error_with = [](const std::function<void(ValidationRow&)>& change) {
    ValidationData data;
    data.rows = {row("a", 1, 2.0, 1.0)};
    change(data.rows[0]);
    return error_of(validation_to_csv(data));
  };
  EXPECT_NE(error_with([](ValidationRow& each) {
              each.measured_spread = NAN;
            }).find("'nan' in column 'measured_spread'; expected a number that is not negative"),
            std::string::npos);
  EXPECT_NE(error_with([](ValidationRow& each) {
              each.working_set_bytes = -1;
            }).find("in column 'working_set_bytes'"),
            std::string::npos);
  EXPECT_NE(error_with([](ValidationRow& each) { each.devices = 0; }).find("in column 'devices'"),
            std::string::npos);
  EXPECT_NE(error_with([](ValidationRow& each) {
              each.segments.resize(2);
            }).find("2 segments of 1 devices; expected one a device"),
            std::string::npos);
}

TEST(ValidationCsv, RefusesOtherFiles) {
  expect_refused("",
                 "data.csv: no header line; expected raw data as sparsecast validate writes it");
  expect_refused("a,b\n1,2\n",
                 "data.csv:1: no column 'a' in validation data; expected a header such as "
                 "matrix,pattern,renumbering,...");
}

}  // namespace
}  // namespace sparsecast
