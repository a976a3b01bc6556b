#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>

#include "cli/run_program.hpp"
#include "cli/temporary_folder.hpp"
#include "core/base/files/file_output.hpp"
#include "predict/validation/data/validation_csv.hpp"

namespace sparsecast::testing {
namespace {

using Json = nlohmann::json;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

ProgramRun run_map(const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"map", "--profile", "gtx280", "--curve", "maximum"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_program(arguments);
}

TEST(MapCommand, WritesEveryPlaceWhereAMatrixIsAsCsv) {
  const TemporaryFolder folder;
  const ProgramRun result = run_map({"--out", (folder / "map.csv").string()});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(result.output,
            "Speedup of 2 devices over one: gtx280, f32, bcsr4, maximum curves\n"
            "from 0.530 to 1.98\n");
  std::istringstream lines(text_of(folder / "map.csv"));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "unknowns,elements,speedup");
  int count = 0;
  while (std::getline(lines, line)) {
    double unknowns = 0;
    double elements = 0;
    double speedup = 0;
    ASSERT_EQ(std::sscanf(line.c_str(), "%lf,%lf,%lf", &unknowns, &elements, &speedup), 3) << line;
    EXPECT_GE(elements, 4 * unknowns * 0.99999);
    EXPECT_LE(elements, unknowns * unknowns * 1.00001);
    EXPECT_GT(speedup, 0);
    EXPECT_LT(speedup, 2);
    ++count;
  }
  EXPECT_GT(count, 50000);
}

TEST(MapCommand, PrintsTheGridAsJsonWithNullWhereNoMatrixIs) {
  const ProgramRun result = run_map({"--json", "--quantity", "raw", "--devices", "1"});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  const Json json = Json::parse(result.output);
  EXPECT_EQ(json["quantity"], "raw");
  EXPECT_EQ(json["unknowns"].size(), 400u);
  EXPECT_EQ(json["elements"].size(), 400u);
  ASSERT_EQ(json["values"].size(), 400u);
  EXPECT_TRUE(json["values"][399][0].is_null());  // more elements than a dense matrix
  EXPECT_TRUE(json["values"][0][399].is_null());  // fewer than a block diagonal
  EXPECT_TRUE(json["values"][200][200].is_number());
}

TEST(MapCommand, TellsTheValuesOfNamedPoints) {
  const TemporaryFolder folder;
  std::ofstream(folder / "points.csv") << "name,unknowns,elements\n"
                                          "nd24k,72000,39336485\n"
                                          "small, with a comma,1000,20000\n"
                                          "\"quoted, \"\"so\"\"\",1000,20000\n";
  const ProgramRun result = run_map({"--json", "--points", (folder / "points.csv").string()});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  const Json points = Json::parse(result.output)["points"];
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[2]["name"], "quoted, \"so\"");
  EXPECT_EQ(points[0]["name"], "nd24k");
  EXPECT_GT(points[0]["value"].get<double>(), 1.5);
  EXPECT_LT(points[0]["value"].get<double>(), 1.75);
  EXPECT_EQ(points[1]["name"], "small, with a comma");
  EXPECT_LT(points[1]["value"].get<double>(), 1);
}

TEST(MapCommand, RefusesSizesThatAreNoneInOneShortLine) {
  const TemporaryFolder folder;
  for (const std::string& size : {std::string("nan"), std::string("-1"), std::string(),
                                  std::string("1\r0"), std::string(1'000'000, '1')}) {
    std::ofstream(folder / "points.csv") << "name,unknowns,elements\na," << size << ",20000\n";
    const ProgramRun result = run_map({"--json", "--points", (folder / "points.csv").string()});
    EXPECT_EQ(result.exit_status, 1) << size.substr(0, 40);
    EXPECT_EQ(result.errors.find('\n'), result.errors.size() - 1) << result.errors.substr(0, 500);
    EXPECT_LT(result.errors.size(), 300u);
  }
}

TEST(MapCommand, DrawsVeryManyPointsAndLongNamesWithoutThem) {
  const TemporaryFolder folder;
  const std::string picture = (folder / "map.svg").string();
  const auto drawn = [&](const std::string& points) {
    std::ofstream(folder / "points.csv") << "name,unknowns,elements\n" << points;
    const ProgramRun result =
        run_map({"--out", picture, "--points", (folder / "points.csv").string()});
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    return read_file(picture);
  };
  EXPECT_NE(drawn("matrix_5,1000,20000\n").find("matrix_5"), std::string::npos);
  EXPECT_EQ(drawn(std::string(10'000, 'n') + ",1000,20000\n").find(std::string(100, 'n')),
            std::string::npos);
  std::string many;
  for (int i = 0; i < 1001; ++i) many += "matrix_" + std::to_string(i) + ",1000,20000\n";
  EXPECT_EQ(drawn(many).find("matrix_5"), std::string::npos);
}

TEST(MapCommand, PlacesMatrixFilesByTheirBlocks) {
  const TemporaryFolder folder;
  std::ofstream(folder / "line.mtx")
      << "%%MatrixMarket matrix coordinate real symmetric\n"
         "4 4 7\n1 1 2\n2 2 2\n3 3 2\n4 4 2\n2 1 -1\n3 2 -1\n4 3 -1\n";
  const ProgramRun result = run_map({"--json", "--block", "2", (folder / "line.mtx").string()});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  const Json point = Json::parse(result.output)["points"][0];
  EXPECT_EQ(point["name"], "line");
  EXPECT_EQ(point["unknowns"], 4);
  EXPECT_EQ(point["elements"], 16);  // all four 2 x 2 blocks
}

TEST(MapCommand, ComparesOrdersForSeveralDevicesWithOneDeviceAsGiven) {
  const TemporaryFolder folder;
  ValidationData data;
  const auto add = [&](const std::string& renumbering, int devices, double seconds) {
    ValidationRow row;
    row.matrix = row.pattern = "grid";
    row.renumbering = renumbering;
    row.unknowns = 90'000;
    row.layout = block_layout(4);
    row.nonzeros = row.block_elements = 2'000'000;
    row.devices = devices;
    row.precision = Precision::f32;
    row.measured_seconds = seconds;
    data.rows.push_back(row);
  };
  add("none", 1, 1e-4);
  add("none", 2, 8e-5);
  add("metis", 2, 5e-5);
  const std::string raw = (folder / "raw.csv").string();
  write_file(raw, validation_to_csv(data));

  const ProgramRun result = run_map({"--json", "--measured", raw});

  ASSERT_EQ(result.exit_status, 0) << result.errors;
  std::map<std::string, double> speedups;
  const Json points = Json::parse(result.output)["points"];
  for (const Json& point : points) {
    speedups[point["name"]] = point["measured"];
  }
  ASSERT_EQ(speedups.size(), 2u);
  EXPECT_NEAR(speedups.at("grid"), 1.25, 1e-12);
  EXPECT_NEAR(speedups.at("grid metis"), 2, 1e-12);
}

TEST(MapCommand, DrawsAPictureOfReasonableSize) {
  if (std::system("gnuplot --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no gnuplot";
  const TemporaryFolder folder;
  std::ofstream(folder / "points.csv") << "name,unknowns,elements\n"
                                          "it's_a <name>,72000,39336485\n'first,1000,30000\n";
  const auto picture = folder / "map.svg";
  const ProgramRun result =
      run_map({"--out", picture.string(), "--points", (folder / "points.csv").string()});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  const std::string svg = text_of(picture);
  EXPECT_LT(svg.size(), 500'000u);
  EXPECT_NE(svg.find("<svg"), std::string::npos);
  EXPECT_NE(svg.find("</svg>"), std::string::npos);
  EXPECT_NE(svg.find("speedup = 1"), std::string::npos);
  EXPECT_NE(svg.find("s_a &lt;name>"), std::string::npos);
  EXPECT_NE(svg.find("first"), std::string::npos);
}

TEST(MapCommand, NamesAMatrixThatHasNoPlace) {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& sizes) {
    const std::string path = (folder / "m.mtx").string();
    std::ofstream(path) << "%%MatrixMarket matrix coordinate real general\n" << sizes << '\n';
    const ProgramRun result = run_program({"map", path, "--profile", "nvidia-h200", "--json"});
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_TRUE(result.errors.starts_with("sparsecast map: " + path + ": ")) << result.errors;
    return result.errors;
  };
  EXPECT_NE(refusal("0 0 0").find("no rows"), std::string::npos);
  EXPECT_NE(refusal("3 3 0").find("no entries"), std::string::npos);
}

TEST(MapCommand, SaysWhichLineOfThePointsIsWrong) {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& text) {
    std::ofstream(folder / "points.csv") << text;
    const ProgramRun result = run_map({"--json", "--points", (folder / "points.csv").string()});
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_EQ(result.output, "");
    return result.errors;
  };
  EXPECT_NE(refusal("nd24k,72000,39336485\n").find("points.csv:1: "), std::string::npos);
  EXPECT_NE(refusal("name,unknowns,elements\na,10,40\nb,three,4\n").find("points.csv:3: 'three'"),
            std::string::npos);
  EXPECT_NE(refusal("name,unknowns,elements\na;1;2\n").find("points.csv:2: "), std::string::npos);
  EXPECT_NE(refusal("name,unknowns,elements\na,1,nan\n").find("points.csv:2: "), std::string::npos);
  EXPECT_NE(refusal("").find("no points"), std::string::npos);
}

TEST(MapCommand, OfACpuIsRawPerformanceOfOneDeviceUnlessMoreIsAskedFor) {
  const auto map = [](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"map", "--profile", "amd-epyc-zen4-2cores", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  };
  const ProgramRun usual = map({});
  ASSERT_EQ(usual.exit_status, 0) << usual.errors;
  const Json json = Json::parse(usual.output);
  EXPECT_EQ(json["quantity"], "raw");
  EXPECT_EQ(json["devices"], 1);

  const ProgramRun two = map({"--devices", "2"});
  EXPECT_EQ(two.exit_status, 2);
  EXPECT_EQ(two.errors,
            "sparsecast map: --devices 2: profile amd-epyc-zen4-2cores is of a CPU, which is one "
            "device by the traffic model; use --devices 1, --network NAME for several, or "
            "--model paper\n");
}

TEST(MapCommand, OfAProfileWithoutLinksIsRawPerformanceOfOneDevice) {
  const TemporaryFolder folder;
  const std::string estimate = (folder / "new.json").string();
  ASSERT_EQ(run_program({"calibrate", "--estimate", "--sms", "132", "--threads-per-sm", "2048",
                         "--bandwidth", "4800", "--out", estimate})
                .exit_status,
            0);
  const ProgramRun result = run_program({"map", "--profile", estimate, "--json"});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(Json::parse(result.output)["quantity"], "raw");
}

TEST(MapCommand, NamesTheLayoutWhichBlocksAreShortFor) {
  const ProgramRun by_block = run_map({"--json", "-b", "2"});
  const ProgramRun by_name = run_map({"--json", "--layout", "bcsr2"});
  ASSERT_EQ(by_name.exit_status, 0) << by_name.errors;
  EXPECT_EQ(by_block.output, by_name.output);
  EXPECT_EQ(Json::parse(by_name.output)["layout"], "bcsr2");
  EXPECT_EQ(Json::parse(run_map({"--json"}).output)["layout"], "bcsr4");
}

TEST(MapCommand, RefusesPointsWhereNoMatrixIs) {
  const TemporaryFolder folder;
  std::ofstream(folder / "points.csv") << "name,unknowns,elements\na,1000,20000\nb,1000,3999\n";
  const ProgramRun result = run_map({"--json", "--points", (folder / "points.csv").string()});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.errors.find("points.csv:3: 3999 elements are fewer than a full diagonal of 4 x "
                               "4 blocks has; expected at least 4000\n"),
            std::string::npos)
      << result.errors;
}

TEST(MapCommand, NeverWritesOverWhatItReads) {
  const TemporaryFolder folder;
  const std::string points = (folder / "points.csv").string();
  const std::string text = "name,unknowns,elements\na,1000,20000\n";
  std::ofstream(points) << text;
  const ProgramRun result = run_map({"--points", points, "--out", points});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_NE(result.errors.find("is --points too; choose another name"), std::string::npos)
      << result.errors;
  EXPECT_EQ(text_of(points), text);
}

TEST(MapCommand, WarnsOfMoreDevicesThanTheProfilesMachineHas) {
  const ProgramRun result = run_map({"--json", "--devices", "4"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_NE(result.errors.find("is of a machine with 2 devices; how 4 work together is not known"),
            std::string::npos)
      << result.errors;
}

TEST(MapCommand, WarnsWhereTheModelIsKnownToBeWrong) {
  const ProgramRun result = run_program({"map", "--profile", "nvidia-h200", "--model", "paper",
                                         "--precision", "f32", "--block", "6", "--json"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_NE(result.errors.find("the paper model is known to be wrong for bcsr6 in f32"),
            std::string::npos)
      << result.errors;
}

/// Profiles of the paper's GPU and of one that starts as slowly, but has ten times the bandwidth.
struct TwoGpus {
  TemporaryFolder folder;
  std::string fast = (folder / "fast.json").string();

  TwoGpus() {
    Json profile = Json::parse(read_file(SPARSECAST_SOURCE_DIR "/profiles/gtx280.json"));
    for (auto& [key, curve] : profile["precisions"]["f32"]["curves"].items()) {
      for (const char* kind : {"average", "maximum"}) {
        curve[kind]["nu"] = 10 * curve[kind]["nu"].get<double>();
        curve[kind]["mu"] = std::log2(10) + curve[kind]["mu"].get<double>();
      }
    }
    profile["memory_bytes"] = 100'000'000;
    profile["origin"] = "estimated";
    std::ofstream(fast) << profile;
  }

  ProgramRun compare(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"map", "--profile", "gtx280", "--profile", fast};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }
};

TEST(MapCommand, OfSeveralProfilesSaysWhichIsTheFastestAtEachSize) {
  const TwoGpus gpus;
  const std::string points = (gpus.folder / "points.csv").string();
  std::ofstream(points) << "name,unknowns,elements\nmiddle,10000,4e6\nlarge,1e6,1e8\n";
  const std::string csv = (gpus.folder / "which.csv").string();
  const ProgramRun table = gpus.compare({"--out", csv, "--points", points});
  ASSERT_EQ(table.exit_status, 0) << table.errors;
  EXPECT_EQ(table.output.find("Fastest CG on 1 device: gtx280, fast (estimated); f32, bcsr4, "
                              "average curves\n"),
            0u)
      << table.output;
  EXPECT_NE(table.output.find("large   1 000 000     100 000 000  gtx280                       -  "
                              "7.79 ms  does not fit\n"),
            std::string::npos)
      << table.output;
  EXPECT_NE(
      table.output.find("middle     10 000       4 000 000  fast (estimated)        1.89 x  "),
      std::string::npos)
      << table.output;

  std::istringstream lines(read_file(csv));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "unknowns,elements,fastest,second,margin,seconds gtx280,seconds fast");
  int fast = 0;
  int alone = 0;
  while (std::getline(lines, line)) {
    fast += line.find(",fast,gtx280,") != std::string::npos ? 1 : 0;
    alone += line.find(",gtx280,,,") != std::string::npos ? 1 : 0;  // the other does not hold it
  }
  EXPECT_GT(fast, 1000);
  EXPECT_GT(alone, 1000);

  const Json json = Json::parse(gpus.compare({"--json", "--points", points}).output);
  EXPECT_EQ(json["profiles"][1]["profile"], "fast");
  EXPECT_EQ(json["profiles"][1]["estimated"], true);
  EXPECT_EQ(json["devices"], 1);
  EXPECT_EQ(json["fastest"].size(), json["elements"].size());
  EXPECT_TRUE(json["fastest"][0][json["unknowns"].size() - 1].is_null());  // no matrix
  EXPECT_EQ(json["points"][0]["fastest"], "fast");
  EXPECT_GT(json["points"][0]["margin"].get<double>(), 0.1);
  EXPECT_TRUE(json["points"][1]["seconds"]["fast"].is_null());
}

TEST(MapCommand, DrawsWhichOfSeveralProfilesIsTheFastest) {
  if (std::system("gnuplot --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no gnuplot";
  const TwoGpus gpus;
  const std::string points = (gpus.folder / "points.csv").string();
  std::ofstream(points) << "name,unknowns,elements\nmiddle,10000,4e6\n";
  const std::string picture = (gpus.folder / "which.svg").string();
  const ProgramRun result = gpus.compare({"--out", picture, "--points", points});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(result.errors, "wrote " + picture + '\n');
  const std::string svg = read_file(picture);
  for (const char* text : {"gtx280", "fast (estimated)", "middle", "2 x", "</svg>"}) {
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  }
  EXPECT_LT(svg.size(), 500'000u);
}

TEST(MapCommand, ComparesACpuWithAGpuOfOneDeviceEach) {
  const std::vector<std::string> arguments{"map",   "-p", "gtx280", "-p", "amd-epyc-zen4-2cores",
                                           "--json"};
  const ProgramRun result = run_program(arguments);
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  const Json json = Json::parse(result.output);
  EXPECT_EQ(json["precision"], "f32");  // what both have
  EXPECT_EQ(json["layout"], "csr");
  std::vector<std::string> two = arguments;
  two.insert(two.end(), {"--devices", "2"});
  const ProgramRun refused = run_program(two);
  EXPECT_EQ(refused.exit_status, 2);
  EXPECT_NE(refused.errors.find("--devices 2: profile amd-epyc-zen4-2cores is of a CPU"),
            std::string::npos)
      << refused.errors;
}

TEST(MapCommand, RefusesProfilesThatCannotBeComparedInOneLine) {
  const TwoGpus gpus;
  const auto refusal = [&](const std::vector<std::string>& more, int status) {
    const ProgramRun result = gpus.compare(more);
    EXPECT_EQ(result.exit_status, status) << result.errors;
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(result.errors.find('\n'), result.errors.size() - 1) << result.errors;
    return result.errors;
  };
  EXPECT_EQ(refusal({"--json", "--quantity", "raw"}, 2),
            "sparsecast map: --quantity is of one profile; several --profile are compared by their "
            "times\n");
  EXPECT_NE(refusal({"--json", "--density", "0.5"}, 2).find("--density is of one profile"),
            std::string::npos);
  EXPECT_NE(refusal({"--json", "--measured", "raw.csv"}, 2).find("--measured is of one profile"),
            std::string::npos);
  EXPECT_EQ(refusal({"--json", "--profile", "gtx280"}, 2),
            "sparsecast map: --profile gtx280: is given twice; give each profile once\n");
  EXPECT_EQ(refusal({"--json", "--precision", "f64"}, 2),
            "sparsecast map: --precision: profile 'gtx280' has no precision f64; it has f32\n");
  EXPECT_NE(refusal({"--json", "--layout", "bcsr3"}, 1).find("has no curve 'SpMV/bcsr3'"),
            std::string::npos);
  EXPECT_NE(refusal({"--json", "--profile", "nvidia-h200", "--curve", "maximum"}, 2)
                .find("--curve maximum: profile nvidia-h200 is priced by the traffic model"),
            std::string::npos);

  Json other = Json::parse(read_file(gpus.fast));
  other["precisions"]["f64"] = other["precisions"]["f32"];
  other["precisions"].erase("f32");
  std::ofstream(gpus.folder / "f64.json") << other;
  EXPECT_EQ(refusal({"--json", "--profile", (gpus.folder / "f64.json").string()}, 1),
            "sparsecast map: the profiles have no precision in common, so their times cannot be "
            "compared\n");
}

TEST(MapCommand, EndsWithCtrlCAndWritesNothing) {
  const TemporaryFolder folder;
  const ProgramRun result = run(
      tested_program(), {"map", "--profile", "nvidia-h200", "--out", (folder / "map.csv").string()},
      {}, [&](pid_t process) {
        wait_until_it_handles_interrupts(process);
        kill(process, SIGINT);
      });
  EXPECT_EQ(result.exit_status, 130);
  EXPECT_EQ(result.errors, "sparsecast map: interrupted; no map was written\n");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(MapCommand, SaysWhichFileItHasWrittenUnlessItIsToBeQuiet) {
  const TemporaryFolder folder;
  const std::string out = (folder / "map.csv").string();
  EXPECT_EQ(run_map({"--out", out}).errors, "wrote " + out + '\n');
  EXPECT_EQ(run_map({"--out", out, "--quiet"}).errors, "");
}

TEST(MapCommand, KnowsTheDensityOfCsr) {
  const auto map = [](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"map", "--profile",  "nvidia-h200", "--layout",
                                       "csr", "--quantity", "effective",   "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramRun result = run_program(arguments);
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    return result.output;
  };
  EXPECT_EQ(map({}), map({"--density", "1"}));
}

TEST(MapCommand, RefusesWrongUseWithStatusTwo) {
  EXPECT_EQ(run_map({}).exit_status, 2);
  EXPECT_EQ(run_map({"--json", "--quantity", "joy"}).exit_status, 2);
  EXPECT_EQ(
      run_map({"--json", "--quantity", "effective", "--layout", "bcsr4"}).errors,
      "sparsecast map: --quantity effective needs --density D, the nonzeros over the elements "
      "that bcsr4 stores\n");
  EXPECT_EQ(run_map({"--json", "--density", "0.5"}).exit_status, 2);
  EXPECT_EQ(run_map({"--json", "--block", "5"}).exit_status, 2);
  EXPECT_EQ(run_map({"--json", "--devices", "0"}).exit_status, 2);
  EXPECT_EQ(run_map({"--json", "--devices", "8193"}).exit_status, 2);
  EXPECT_EQ(run_map({"--json", "--devices", "1", "--quantity", "speedup"}).exit_status, 2);
  EXPECT_EQ(run_map({"--json", "--quantity", "effective", "--density", "1.5"}).exit_status, 2);
}

TEST(MapCommand, PrintsNoMapOfAnUnknownKind) {
  const ProgramRun result = run_map({"--out", "-"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(result.errors,
            "sparsecast map: --out -: no kind of file is known from it; use --json\n");
}

TEST(MapCommand, NamesTheKindsOfFilesThatItWrites) {
  const TemporaryFolder folder;
  const ProgramRun result = run_map({"--out", (folder / "map.bmp").string()});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_NE(result.errors.find("unknown kind of file '.bmp'"), std::string::npos);
  EXPECT_NE(result.errors.find(".svg, .png, .pdf, .csv or .json"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder / "map.bmp"));
}

}  // namespace
}  // namespace sparsecast::testing
