#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "cli/drawn_script.hpp"
#include "predict/validation/data/validation_csv.hpp"

namespace sparsecast::testing {
namespace {

ValidationRow row_of(const std::string& matrix, double seconds, int block = 1, int devices = 1) {
  ValidationRow row;
  row.matrix = row.pattern = matrix;
  row.unknowns = 1000;
  row.nonzeros = 5000;
  row.layout = block_layout(block);
  row.block_elements = 5000 * block;
  row.devices = devices;
  row.working_set_bytes = 1e6;
  row.measured_seconds = seconds;
  row.predicted_seconds = 1.1 * seconds;
  row.rounds = 10;
  return row;
}

/// The scripts of both drawings of these cases.
struct Drawings {
  TemporaryFolder folder;
  std::string raw = (folder / "raw.csv").string();

  explicit Drawings(const std::vector<ValidationRow>& rows) {
    ValidationData data;
    data.about = {{"profile", "a_card"}, {"run on", "a {GPU}"}, {"date", "2026-01-02T03:04:05Z"}};
    data.rows = rows;
    write_file(raw, validation_to_csv(data));
  }
  DrawnScript of(const std::string& option) const {
    return DrawnScript({"validate", "--from", raw, option, (folder / "drawing.svg").string()});
  }
};

TEST(ValidationPlot, HasALogAxisWithTicsAndNoLinesBetweenMatrices) {
  const Drawings drawings({row_of("a", 1e-6), row_of("b", 1e-3)});
  const DrawnScript script = drawings.of("--plot");
  ASSERT_EQ(script.run().exit_status, 0) << script.run().errors;
  EXPECT_TRUE(script.has("set logscale y\n"));
  EXPECT_EQ(script.text().find(" with lines"), std::string::npos);
  EXPECT_TRUE(script.has(" with points "));
  EXPECT_TRUE(script.has(" with vectors nohead "));
  EXPECT_GE(std::ranges::count(script.behind("set ytics (").at(0), ','), 3);
}

TEST(ValidationPlot, HasNoPanelWhereOnlyOtherOrdersWereMeasured) {
  ValidationRow renumbered = row_of("a", 1e-6, 4);
  renumbered.renumbering = "rcm";
  const Drawings drawings({row_of("a", 1e-6), row_of("a", 1e-6, 2), renumbered});
  const DrawnScript script = drawings.of("--plot");
  ASSERT_EQ(script.run().exit_status, 0) << script.run().errors;
  EXPECT_TRUE(script.has("\"csr, f64\""));
  EXPECT_TRUE(script.has("\"bcsr2, f64\""));
  EXPECT_FALSE(script.has("\"bcsr4, f64\""));
}

TEST(ValidationPlot, NamesEveryNumberOfDevicesInItsKey) {
  std::vector<ValidationRow> rows;
  for (const int devices : {1, 2, 3, 4, 5, 6, 7, 64}) {
    rows.push_back(row_of("a", 1e-6, 1, devices));
  }
  const Drawings drawings(rows);
  const DrawnScript script = drawings.of("--plot");
  ASSERT_EQ(script.run().exit_status, 0) << script.run().errors;
  EXPECT_TRUE(script.has("title \"measured, 1 device\""));
  EXPECT_TRUE(script.has("title \"predicted, 64 devices\""));
  // Sixteen entries do not fit into one row of a picture of one panel.
  EXPECT_TRUE(script.has(" maxrows 4 ")) << script.behind("set key ").at(0);
}

TEST(ValidationPlot, WritesNamesAsTheyAreAndSaysOfWhat) {
  const Drawings drawings({row_of(hard_name, 1e-6)});
  const DrawnScript script = drawings.of("--plot");
  ASSERT_EQ(script.run().exit_status, 0) << script.run().errors;
  // A tic's label is a format of numbers.
  std::string tic = hard_name_escaped;
  tic.replace(tic.find('%'), 1, "%%");
  EXPECT_TRUE(script.has("(" + tic + " 1)")) << script.text();
  EXPECT_TRUE(
      script.has("\"algorithm1, measured on a \\\\{GPU\\\\}, forecast by profile a\\\\_card\""));
  const ProgramRun drawn = run_program(
      {"validate", "--from", drawings.raw, "--plot", (drawings.folder / "drawn.svg").string()});
  ASSERT_EQ(drawn.exit_status, 0) << drawn.errors;
  EXPECT_NE(read_file(drawings.folder / "drawn.svg")
                .find("'it's_a \"b\" \\n{c}^2 `ls` @d &amp; ~e 100%g<"),
            std::string::npos);
}

TEST(ForecastScatter, HasThreeTicsAndMoreInEveryPanel) {
  ValidationRow large = row_of("b", 1e-3);
  large.working_set_bytes = 1e9;
  const Drawings drawings({row_of("a", 1.7e-6), large, row_of("c", 2.1e-6)});
  const DrawnScript script = drawings.of("--scatter");
  ASSERT_EQ(script.run().exit_status, 0) << script.run().errors;
  for (const char* axis : {"set xtics (", "set ytics ("}) {
    const std::vector<std::string> tics = script.behind(axis);
    ASSERT_EQ(tics.size(), 2u);
    for (const std::string& panel : tics) {
      EXPECT_GE(std::ranges::count(panel.substr(0, panel.find(')')), ','), 2) << panel;
    }
  }
}

TEST(ForecastScatter, ExplainsItsLines) {
  const Drawings drawings({row_of("a", 1.7e-6)});
  const DrawnScript script = drawings.of("--scatter");
  ASSERT_EQ(script.run().exit_status, 0) << script.run().errors;
  const std::string plot = script.behind("plot ").at(0);
  EXPECT_NE(plot.find("x lc rgb '#444444' lw 1 title \"equal\""), std::string::npos) << plot;
  EXPECT_NE(plot.find("0.9*x dt 3 lw 1.5 lc rgb '#666666' title \"10 % more or less\""),
            std::string::npos)
      << plot;
  EXPECT_TRUE(script.has("Iterations and products, measured on a \\\\{GPU\\\\},"));
}

TEST(ForecastScatter, TellsMoreSolversApartThanThereAreColours) {
  std::vector<ValidationRow> rows;
  for (char name = 'a'; name <= 'l'; ++name) {
    ValidationRow row = row_of("m", 1e-6 * (name - 'a' + 1));
    row.schedule = std::string("solver_") + name;
    rows.push_back(row);
  }
  const Drawings drawings(rows);
  const DrawnScript script = drawings.of("--scatter");
  ASSERT_EQ(script.run().exit_status, 0) << script.run().errors;
  std::vector<std::string> styles;
  for (const char name : {'a', 'b', 'i', 'j', 'l'}) {
    const std::string title = std::string("title \"solver\\\\_") + name + '"';
    const std::size_t end = script.text().find(title);
    ASSERT_NE(end, std::string::npos) << name;
    const std::size_t begin = script.text().rfind("with points", end);
    styles.push_back(script.text().substr(begin, end - begin));
  }
  std::ranges::sort(styles);
  EXPECT_EQ(std::ranges::adjacent_find(styles), styles.end());
}

}  // namespace
}  // namespace sparsecast::testing
