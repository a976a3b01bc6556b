#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/drawn_script.hpp"

namespace sparsecast::testing {
namespace {

using Json = nlohmann::json;

std::vector<std::string> map_of_gtx280(const TemporaryFolder& folder,
                                       const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{"map", "--profile", "gtx280", "--out",
                                     (folder / "map.svg").string()};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

/// The numbers that lie on isolines.
std::vector<std::string> numbers_on_lines(const DrawnScript& script) {
  std::vector<std::string> numbers;
  for (const std::string& label : script.behind("set label \"")) {
    if (label.find(" rotate by ") != std::string::npos) {
      numbers.push_back(label.substr(0, label.find('"')));
    }
  }
  return numbers;
}

TEST(MapPlot, HasItsNumberOnEveryIsoline) {
  const TemporaryFolder folder;
  const DrawnScript script(map_of_gtx280(folder, {"--devices", "2", "--curve", "maximum"}));
  ASSERT_EQ(script.run().exit_status, 0) << script.run().errors;
  EXPECT_EQ(numbers_on_lines(script), (std::vector<std::string>{"0.75", "1.25", "1.5", "1.75"}));
  EXPECT_TRUE(script.has("$thick using 1:2 with lines"));
  EXPECT_TRUE(script.has("title \"speedup = 1\""));
}

TEST(MapPlot, HasNumbersWhereTheGridIsCoarse) {
  const TemporaryFolder folder;
  const DrawnScript script(
      {"map", "--profile", "amd-epyc-zen4-2cores", "--out", (folder / "map.svg").string()});
  ASSERT_EQ(script.run().exit_status, 0) << script.run().errors;
  const std::vector<std::string> numbers = numbers_on_lines(script);
  for (const char* number : {"6", "8", "10", "12"}) {
    EXPECT_NE(std::ranges::find(numbers, number), numbers.end()) << number;
  }
}

TEST(MapPlot, HasDoublesForIsolinesOfManyDevices) {
  const TemporaryFolder folder;
  const DrawnScript script(map_of_gtx280(folder, {"--devices", "64"}));
  ASSERT_EQ(script.run().exit_status, 0) << script.run().errors;
  EXPECT_EQ(numbers_on_lines(script),
            (std::vector<std::string>{"0.125", "0.25", "0.5", "0.75", "2", "4", "8", "16"}));
}

TEST(MapPlot, EndsTheImageAtTheFrame) {
  const TemporaryFolder folder;
  const DrawnScript script(
      {"map", "--profile", "amd-epyc-zen4-2cores", "--out", (folder / "map.svg").string()});
  ASSERT_EQ(script.run().exit_status, 0) << script.run().errors;
  double x = 0;
  double x_step = 0;
  double y = 0;
  double y_step = 0;
  ASSERT_EQ(std::sscanf(script.behind("plot $map matrix using ").at(0).c_str(),
                        "(%lf+$1*%lf):(%lf+$2*%lf):3 with image", &x, &x_step, &y, &y_step),
            4);
  double left = 0;
  double right = 0;
  ASSERT_EQ(std::sscanf(script.behind("set xrange ").at(0).c_str(), "[%lf:%lf]", &left, &right), 2);
  double low = 0;
  double high = 0;
  ASSERT_EQ(std::sscanf(script.behind("set yrange ").at(0).c_str(), "[%lf:%lf]", &low, &high), 2);

  const std::size_t begin = script.text().find("$map << EOD\n") + 12;
  std::istringstream rows(script.text().substr(begin, script.text().find("EOD", begin) - begin));
  std::string row;
  int row_count = 0;
  while (std::getline(rows, row)) ++row_count;
  std::getline(std::istringstream(script.text().substr(begin)), row);
  const auto columns = std::ranges::count(row, ' ');
  EXPECT_NEAR(x - x_step / 2, left, 1e-6);
  EXPECT_NEAR(x + (static_cast<double>(columns) - 0.5) * x_step, right, 1e-6);
  EXPECT_NEAR(y - y_step / 2, low, 1e-6);
  EXPECT_NEAR(y + (row_count - 0.5) * y_step, high, 1e-6);
}

TEST(MapPlot, PaintsWhatIsOutsideTheLimitsWhite) {
  const TemporaryFolder folder;
  const DrawnScript script(map_of_gtx280(folder));
  ASSERT_EQ(script.run().exit_status, 0) << script.run().errors;
  // Corners at the frame's own and where the limits e = x^2 and e = 4 x leave it.
  EXPECT_TRUE(script.has("$denser << EOD\n2 4 9\n4.5 9 9\n7 9 9\nEOD\n")) << script.text();
  EXPECT_TRUE(script.has("$sparser << EOD\n2 3 3\n2.39794001 3 3\n7 7.60205999 3\nEOD\n"));
  const std::string plot = script.behind("\nplot ").at(0);
  EXPECT_LT(plot.find("with image"), plot.find("$lines"));
  EXPECT_LT(plot.find("$lines"), plot.find("$denser using 1:2:3 with filledcurves fc rgb 'white'"));
  EXPECT_LT(plot.find("$denser"), plot.find("title \"speedup = 1\""));
}

TEST(MapPlot, HasLogarithmicColoursWithTicsAtTheIsolines) {
  const TemporaryFolder folder;
  const DrawnScript script(map_of_gtx280(folder, {"--quantity", "raw"}));
  ASSERT_EQ(script.run().exit_status, 0) << script.run().errors;
  EXPECT_TRUE(script.has("set logscale cb\n"));
  const std::string tics = script.behind("set cbtics ").at(0);
  for (const std::string& number : numbers_on_lines(script)) {
    EXPECT_NE(tics.find('"' + number + "\" " + number), std::string::npos) << number << tics;
  }
  EXPECT_TRUE(script.has("set cblabel \"GFlop/s\"\n"));
}

TEST(MapPlot, HasNoLineOfOneWhereAllIsBelowIt) {
  const TemporaryFolder folder;
  const std::string slow = (folder / "slow.json").string();
  std::ifstream file(SPARSECAST_SOURCE_DIR "/profiles/gtx280.json");
  Json profile = Json::parse(file);
  profile["links"]["2"]["sync_seconds"] = 1;
  std::ofstream(slow) << profile;
  const DrawnScript script(
      {"map", "--profile", slow, "--devices", "2", "--out", (folder / "map.svg").string()});
  ASSERT_EQ(script.run().exit_status, 0) << script.run().errors;
  EXPECT_FALSE(script.has("$thick"));
  EXPECT_FALSE(script.has("speedup = 1"));
  EXPECT_GE(numbers_on_lines(script).size(), 3u);
}

TEST(MapPlot, WritesNamesAsTheyAre) {
  const TemporaryFolder folder;
  const std::string points = (folder / "points.csv").string();
  std::ofstream(points) << "name,unknowns,elements\n" << hard_name << ",72000,39336485\n";
  const DrawnScript script(map_of_gtx280(folder, {"--points", points}));
  ASSERT_EQ(script.run().exit_status, 0) << script.run().errors;
  EXPECT_TRUE(script.has("set label " + hard_name_escaped + " at "));

  const ProgramRun drawn = run_program(map_of_gtx280(folder, {"--points", points}));
  ASSERT_EQ(drawn.exit_status, 0) << drawn.errors;
  EXPECT_NE(read_file(folder / "map.svg").find("'it's_a \"b\" \\n{c}^2 `ls` @d &amp; ~e 100%g<"),
            std::string::npos);
}

TEST(MapPlot, KeepsNamesInTheFrameAndApart) {
  const TemporaryFolder folder;
  const std::string points = (folder / "points.csv").string();
  std::ofstream(points) << "name,unknowns,elements\n"
                           "at the border,9900000,9e8\na,100000,1e7\nb,100500,1e7\n";
  const DrawnScript script(map_of_gtx280(folder, {"--points", points}));
  ASSERT_EQ(script.run().exit_status, 0) << script.run().errors;
  EXPECT_NE(script.behind("set label \"at the border\" at ").at(0).find(" right "),
            std::string::npos);
  const auto place = [&](const std::string& name) {
    const std::string label = script.behind("set label \"" + name + "\" at ").at(0);
    return label.substr(0, label.find(" front"));
  };
  EXPECT_NE(place("a"), place("b"));
}

TEST(MapPlot, BreaksLongTitles) {
  const TemporaryFolder folder;
  const std::string name(50, 'n');

  std::vector<std::string> arguments{"map", "--out", (folder / "map.svg").string()};
  for (const char* ending : {"1", "2", "3"}) {
    const std::string path = (folder / (name + ending + ".json")).string();
    std::filesystem::copy_file(SPARSECAST_SOURCE_DIR "/profiles/gtx280.json", path);
    arguments.insert(arguments.end(), {"--profile", path});
  }
  const DrawnScript script(arguments);
  ASSERT_EQ(script.run().exit_status, 0) << script.run().errors;
  const std::string drawn = script.behind("set title ").at(0);
  EXPECT_NE(drawn.find(",\\n" + name + "2"), std::string::npos) << drawn;
}

TEST(MapPlot, HasNoColourBetweenTheBandsOfTwoProfiles) {
  const TemporaryFolder folder;
  const std::string same = (folder / "same.json").string();
  std::filesystem::copy_file(SPARSECAST_SOURCE_DIR "/profiles/gtx280.json", same);
  const DrawnScript script(
      {"map", "--profile", "gtx280", "--profile", same, "--out", (folder / "map.svg").string()});
  // The same profile twice: everywhere a margin of 0, which is the beginning of the first band.
  ASSERT_EQ(script.run().exit_status, 0) << script.run().errors;
  EXPECT_TRUE(script.has("0 '#e0eef6', 0.1 '#e0eef6', 0.9 '#0072b2', 0.999 '#0072b2', 1 '"))
      << script.behind("set palette defined ").at(0);
  const std::size_t begin = script.text().find("$map << EOD\n") + 12;
  const std::string data = script.text().substr(begin, script.text().find("EOD", begin) - begin);
  EXPECT_NE(data.find("0.1 "), std::string::npos);
  EXPECT_EQ(data.find("1.1 "), std::string::npos);
}

}  // namespace
}  // namespace sparsecast::testing
