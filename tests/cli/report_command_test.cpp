#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/run_program.hpp"
#include "cli/temporary_folder.hpp"

namespace sparsecast::testing {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A small matrix of a grid, in a file of this name.
std::string box_in(const TemporaryFolder& folder, const std::string& name = "box.mtx") {
  const std::string path = (folder / name).string();
  const ProgramRun made =
      run_program({"generate", "laplacian", "--points", "27", "--size", "8", "--out", path});
  EXPECT_EQ(made.exit_status, 0) << made.errors;
  return path;
}

/// Runs report with these arguments, and returns the page.
std::string page_of(const TemporaryFolder& folder, std::vector<std::string> arguments) {
  const fs::path page = folder / "report.html";
  arguments.insert(arguments.begin(), "report");
  arguments.insert(arguments.end(), {"--out", page.string()});
  const ProgramRun result = run_program(arguments);
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(result.output, "");
  return content_of(page);
}

/// The data of a page under a name.
nlohmann::json data_of(const std::string& page, const std::string& name) {
  const std::string begin = "<script type=\"application/json\" id=\"" + name + "\">";
  const std::size_t from = page.find(begin);
  if (from == std::string::npos) throw std::runtime_error("no data " + name);
  const std::size_t end = page.find("</script>", from);
  return nlohmann::json::parse(page.substr(from + begin.size(), end - from - begin.size()));
}

std::size_t times(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++count;
  }
  return count;
}

TEST(ReportCommand, ForecastsWhatPredictForecasts) {
  const TemporaryFolder folder;
  const std::string box = box_in(folder);

  const std::string page = page_of(folder, {box, "--profile", "nvidia-h200", "--max-devices", "4"});

  const ProgramRun predicted =
      run_program({"predict", box, "--profile", "nvidia-h200", "--devices", "1,2,4", "--json"});
  nlohmann::json forecasts = nlohmann::json::parse(predicted.output)["predictions"];
  for (auto& each : forecasts) {
    for (const char* beside_others : {"rank", "against_best"}) each.erase(beside_others);
  }
  EXPECT_EQ(data_of(page, "predict-1"), forecasts);
}

TEST(ReportCommand, AdvisesWhatAdviseAdvises) {
  const TemporaryFolder folder;
  const std::string box = box_in(folder);
  const std::vector<std::string> profiles{"--profile", "nvidia-h200", "--profile",
                                          "amd-epyc-zen4-2cores"};

  std::vector<std::string> arguments{box};
  arguments.insert(arguments.end(), profiles.begin(), profiles.end());
  const std::string page = page_of(folder, arguments);

  std::vector<std::string> advise{"advise", box, "--json"};
  advise.insert(advise.end(), profiles.begin(), profiles.end());
  const auto advice = nlohmann::json::parse(run_program(advise).output);
  const nlohmann::json advised = data_of(page, "advise-1");
  for (const char* member : {"choices", "recommended", "reason", "ties", "fewest_that_fit"}) {
    EXPECT_EQ(advised[member], advice[member]) << member;
  }
  EXPECT_NE(page.find(advice["reason"].get<std::string>()), std::string::npos);
}

TEST(ReportCommand, ForecastsTimesToSolution) {
  const TemporaryFolder folder;
  const std::string box = box_in(folder);

  const std::string page =
      page_of(folder, {box, "--profile", "nvidia-h200", "--solver", "cg,gmres", "--rtol", "1e-6"});

  std::vector<std::string> solvers;
  for (const auto& each : data_of(page, "predict-1")) {
    EXPECT_GT(each["total_seconds"], 0);
    solvers.push_back(each["schedule"]);
  }
  EXPECT_EQ(std::ranges::count(solvers, "cg") + std::ranges::count(solvers, "gmres"),
            std::ssize(solvers));
  EXPECT_NE(page.find("time to solution by device and solver"), std::string::npos);
}

TEST(ReportCommand, IsThePageOfAFeaturesFileTooButForThePicture) {
  const TemporaryFolder folder;
  const std::string box = box_in(folder);
  const std::string features = (folder / "box.features.json").string();
  run_program({"inspect", box, "--features", features, "--for", "nvidia-h200"});

  const std::string of_matrix = page_of(folder, {box, "--profile", "nvidia-h200"});
  const std::string of_features = page_of(folder, {features, "--profile", "nvidia-h200"});

  EXPECT_EQ(data_of(of_features, "predict-1"), data_of(of_matrix, "predict-1"));
  EXPECT_EQ(times(of_matrix, "<img "), 1u);
  EXPECT_EQ(times(of_features, "<img "), 0u);
}

TEST(ReportCommand, SetsSeveralMatricesBesideEachOther) {
  const TemporaryFolder folder;
  const std::string page = page_of(
      folder, {box_in(folder, "a.mtx"), box_in(folder, "b.mtx"), "--profile", "nvidia-h200"});

  EXPECT_NE(page.find("<title>Forecasts for 2 matrices</title>"), std::string::npos);
  EXPECT_NE(page.find("<h2 id=\"matrix-2\">b.mtx</h2>"), std::string::npos);
}

/// The names that a page's words hold, without its data for other programs.
std::string words_of(const std::string& page) {
  std::string words;
  std::size_t from = 0;
  for (std::size_t at = page.find("<script"); at != std::string::npos;
       at = page.find("<script", from)) {
    words += page.substr(from, at - from);
    const std::size_t end = page.find("</script>", at);
    // Charts have no name.
    const bool is_chart =
        page.substr(at, end - at).starts_with("<script type=\"application/json\">");
    if (is_chart) words += page.substr(at, end - at);
    from = end;
  }
  return words + page.substr(from);
}

TEST(ReportCommand, WritesMicrosecondsInOneWay) {
  const TemporaryFolder folder;

  const std::string words = words_of(page_of(folder, {box_in(folder), "--profile", "nvidia-h200"}));

  EXPECT_FALSE(std::regex_search(words, std::regex("[0-9] us\\b")));
  EXPECT_GT(times(words, " \u00b5s"), 10u);
}

TEST(ReportCommand, SaysOnThePageWhatItWarnsOf) {
  const TemporaryFolder folder;
  const std::string hole = (folder / "hole.mtx").string();
  std::ofstream(hole) << "%%MatrixMarket matrix coordinate real general\n"
                         "2 2 3\n1 1 1\n1 2 2\n2 1 3\n";

  const std::string page = page_of(folder, {hole, "--profile", "nvidia-h200"});

  const std::size_t care = page.find("To be taken with care");
  ASSERT_NE(care, std::string::npos);
  EXPECT_NE(page.find("hole.mtx is not symmetric: conjugate gradients cannot solve with it", care),
            std::string::npos);
  EXPECT_NE(page.find("hole.mtx has no positive diagonal (1 missing): conjugate gradients", care),
            std::string::npos);
}

TEST(ReportCommand, MarksWhatNobodyHasMeasuredWhereverItIsNamed) {
  const TemporaryFolder folder;
  const std::string estimate = (folder / "h100-pcie.json").string();
  const ProgramRun made =
      run_program({"calibrate", "--like", "nvidia-h200", "--gpu", "h100-pcie", "--out", estimate});
  ASSERT_EQ(made.exit_status, 0) << made.errors;

  for (const bool alone : {true, false}) {
    std::vector<std::string> arguments{box_in(folder, "a.mtx"), box_in(folder, "b.mtx"),
                                       "--profile", estimate};
    if (!alone) arguments.insert(arguments.end(), {"--profile", "amd-epyc-zen4-2cores"});
    std::string words = words_of(page_of(folder, arguments));

    // Its file, how it was made, and what its intervals are.
    for (const char* plain :
         {"h100-pcie.json", "How h100-pcie was made", "interval of h100-pcie"}) {
      words = std::regex_replace(words, std::regex(plain), "");
    }
    EXPECT_GT(times(words, "h100-pcie (estimated)"), 10u);
    EXPECT_EQ(times(words, "h100-pcie"), times(words, "h100-pcie (estimated)"));
    EXPECT_EQ(times(words, "amd-epyc-zen4-2cores (estimated)"), 0u);
  }
}

TEST(ReportCommand, SaysOfEachProfileWhatItsIntervalsHold) {
  const TemporaryFolder folder;
  const std::string estimate = (folder / "h100-pcie.json").string();
  run_program({"calibrate", "--like", "nvidia-h200", "--gpu", "h100-pcie", "--out", estimate});
  const std::string box = box_in(folder);

  const std::string page =
      page_of(folder, {box, "--profile", "nvidia-h200", "--profile", estimate});
  EXPECT_NE(page.find("interval of nvidia-h200 held the measured time in nine of ten cases of its "
                      "calibration."),
            std::string::npos);
  EXPECT_NE(page.find("interval of h100-pcie is that of nvidia-h200, widened"), std::string::npos);
  EXPECT_EQ(times(page, "of its calibration."), 1u);

  const std::string of_paper = page_of(folder, {box, "--profile", "gtx280"});
  EXPECT_NE(of_paper.find("interval of gtx280 follows from the errors that its publication "
                          "reports"),
            std::string::npos);
  EXPECT_EQ(times(of_paper, "of its calibration."), 0u);
}

TEST(ReportCommand, GoesOnOverTheHostsOfANetwork) {
  const TemporaryFolder folder;
  const std::string page = page_of(folder, {box_in(folder), "--profile", "nvidia-h200", "--network",
                                            "ndr400", "--max-devices", "64"});
  EXPECT_NE(page.find("on nvidia-h200 joined by ndr400, in f64"), std::string::npos);
  EXPECT_NE(page.find("are ranks of network ndr400: InfiniBand NDR"), std::string::npos);
  EXPECT_NE(page.find("What is known of ndr400"), std::string::npos);
  EXPECT_NE(page.find("There is no speedup over 1 x nvidia-h200"), std::string::npos);
  const nlohmann::json choices = data_of(page, "advise-1").at("choices");
  EXPECT_EQ(choices.size(), 7U);
  EXPECT_EQ(choices.back().at("devices"), 64);
  // Without it the devices of one machine are all there are.
  const std::string one = page_of(folder, {box_in(folder), "--profile", "nvidia-h200"});
  EXPECT_EQ(one.find("joined by"), std::string::npos);
  EXPECT_EQ(one.find("ranks of network"), std::string::npos);
}

TEST(ReportCommand, RefusesANetworkThatThereIsNot) {
  const TemporaryFolder folder;
  const fs::path page = folder / "report.html";
  const ProgramRun result = run_program({"report", box_in(folder), "--profile", "nvidia-h200",
                                         "--network", "ndr4000", "--out", page.string()});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.errors.find("no network 'ndr4000'; expected hdr100"), std::string::npos)
      << result.errors;
  EXPECT_FALSE(fs::exists(page));
}

TEST(ReportCommand, EscapesNames) {
  const TemporaryFolder folder;
  const std::string box = box_in(folder, "<script>alert(1)<\u2028script>\"'&.mtx");

  const std::string page = page_of(folder, {box, "--profile", "nvidia-h200"});

  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;alert(1)&lt;\u2028script&gt;&quot;&#39;&amp;.mtx"),
            std::string::npos);
  EXPECT_NE(page.find("\\u003cscript\\u003ealert(1)\\u003c\\u2028script\\u003e\\\"'\\u0026.mtx"),
            std::string::npos);
}

TEST(ReportCommand, IsOneFileThatAsksNobody) {
  const TemporaryFolder folder;

  const std::string page = page_of(folder, {box_in(folder), "--profile", "nvidia-h200"});

  EXPECT_LT(page.size(), 2'000'000u);
  EXPECT_NE(page.find("default-src &#39;none&#39;"), std::string::npos);
  const std::regex loads(R"((src|href)=\"(?!data:|#))");
  EXPECT_FALSE(std::regex_search(page, loads));
}

TEST(ReportCommand, IsWrittenForTheSmallestMatrices) {
  const TemporaryFolder folder;
  const std::string one = (folder / "one.mtx").string();
  std::ofstream(one) << "%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 4\n";

  const std::string page =
      page_of(folder, {one, "--profile", "nvidia-h200", "--profile", "gtx280"});

  EXPECT_NE(page.find("<h2 id=\"matrix-1\">one.mtx</h2>"), std::string::npos);
}

TEST(ReportCommand, RefusesAMatrixWithoutRowsAndWritesNothing) {
  const TemporaryFolder folder;
  const std::string none = (folder / "none.mtx").string();
  std::ofstream(none) << "%%MatrixMarket matrix coordinate real general\n0 0 0\n";

  const ProgramRun result = run_program(
      {"report", none, "--profile", "nvidia-h200", "--out", (folder / "page.html").string()});

  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(times(result.errors, "\n"), 1u) << result.errors;
  EXPECT_NE(result.errors.find("has no rows"), std::string::npos) << result.errors;
  EXPECT_FALSE(fs::exists(folder / "page.html"));
}

TEST(ReportCommand, RefusesToOverwriteAMatrix) {
  const TemporaryFolder folder;
  const std::string box = box_in(folder);

  const ProgramRun result = run_program({"report", box, "--profile", "nvidia-h200", "--out", box});

  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.errors,
            "sparsecast report: --out " + box + ": is MATRIX too; choose another name\n");
}

TEST(ReportCommand, RefusesSeveralSolversWithoutATolerance) {
  const TemporaryFolder folder;
  const ProgramRun result =
      run_program({"report", box_in(folder), "--profile", "nvidia-h200", "--solver", "cg,gmres",
                   "--out", (folder / "page.html").string()});

  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.errors,
            "sparsecast report: --solver cg,gmres: solvers take different numbers of iterations; "
            "add --rtol to count them, or name one\n");
}

TEST(ReportCommand, GoesToStandardOutput) {
  const TemporaryFolder folder;

  const ProgramRun result =
      run_program({"report", box_in(folder), "--profile", "nvidia-h200", "--out", "-"});

  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_TRUE(result.output.starts_with("<!DOCTYPE html>"));
}

}  // namespace
}  // namespace sparsecast::testing
