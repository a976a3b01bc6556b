#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/run_program.hpp"
#include "cli/temporary_folder.hpp"
#include "core/base/files/file_output.hpp"

/// @file
/// What `bench blocks` says of the statements of Buatois, Caumon and Levy 2009, of made-up
/// measurements.

namespace sparsecast::testing {
namespace {

/// A line of the file.
struct Line {
  std::string device = {};
  std::string what = {};
  std::string mesh = {};
  std::string problem = {};
  std::string order = {};
  std::string solver = {};
  std::string layout = {};
  double scale = 1;
  double rows = 1000;
  double number = 0;
  double us = 0;
  double flops = 1e6;
  double bytes = 1e6;
  double recurrence = 0;
  double residual = 0;
  double peak_gflops = 357;
  std::string reason = {};
};

const std::vector<std::string> meshes{"Girl Face 1", "Girl Face 2", "Girl Face 3", "Girl Face 4",
                                      "Phlegmatic Dragon"};
constexpr double paper_values = 1024.0 * 1024;
constexpr double many_values = 64 * paper_values;

/// Measurements of a GPU and a CPU of which every statement holds.
class MadeUp {
 public:
  MadeUp() {
    for (const std::string& mesh : meshes) {
      for (const char* problem : {"parameterization", "smoothing"}) {
        for (const char* order : {"none", "rcm", "random"}) {
          product("cuda:0", mesh, problem, order, "csr", 1600);
          product("cuda:0", mesh, problem, order, "bcsr2", 1200);
          product("cuda:0", mesh, problem, order, "bcsr4", 800);
          product("cuda:0", mesh, problem, order, "bcsr4-quads", 700);
          product("cuda:0", mesh, problem, order, "bcsr4-strips", 750);
          product("cpu", mesh, problem, order, "csr", 8000);
          product("cpu", mesh, problem, order, "bcsr2", 6700);
          product("cpu", mesh, problem, order, "bcsr4", 5000);
        }
        iteration("cuda:0", mesh, problem, "cnc", 1000);
        iteration("cuda:0", mesh, problem, "cnc-graph", 935);
        iteration("cuda:0", mesh, problem, "fused", 850);
        iteration("cpu", mesh, problem, "cnc", 6250);
        iteration("cpu", mesh, problem, "fused", 5500);
      }
    }
    for (const double size : {paper_values, many_values}) {
      Line line{.device = "cuda:0", .what = "saxpy"};
      line.rows = size;
      line.flops = 2 * size;
      line.bytes = 12 * size;
      line.us = line.bytes / (0.83 * 76.8e9) * 1e6;
      lines.push_back(line);
      for (const double values : {128, 256, 512, 1024, 2048, 4096}) {
        Line dot{.device = "cuda:0", .what = "dot"};
        dot.rows = size;
        dot.number = values;
        dot.us = values == 512 ? 10 : 11;
        lines.push_back(dot);
      }
    }
    for (const char* device : {"cuda:0", "cpu"}) {
      for (int iterations = 25; iterations <= 500; iterations += 25) {
        Line line{.device = device,
                  .what = "history",
                  .mesh = meshes.back(),
                  .problem = "parameterization",
                  .order = "none",
                  .solver = "cnc",
                  .layout = "bcsr4"};
        line.number = iterations;
        line.recurrence = line.residual = std::pow(10, -8.2 * iterations / 500);
        lines.push_back(line);
      }
    }
  }

  std::vector<Line> lines;

  void change(const std::function<bool(const Line&)>& of, const std::function<void(Line&)>& how) {
    for (Line& line : lines) {
      if (of(line)) how(line);
    }
  }
  void remove(const std::function<bool(const Line&)>& what) { std::erase_if(lines, what); }

  std::string csv() const {
    std::ostringstream text;
    text.precision(17);
    text << "what,mesh,problem,order,scale,rows,nonzeros,device,description,peak_gb_per_s,"
            "peak_gflops,cache_bytes,precision,solver,layout,number,us,spread,rounds,repeats,"
            "stored_elements,flops,bytes,recurrence,residual,gflops,gb_per_s,reason\n";
    for (const Line& line : lines) {
      text << line.what << ',' << line.mesh << ',' << line.problem << ',' << line.order << ','
           << line.scale << ',' << line.rows << ",1000," << line.device << ','
           << (line.device == "cpu" ? "a CPU,0,0,32e6" : "a GPU,76.8,");
      if (line.device != "cpu") text << line.peak_gflops << ",1e6";
      text << ",f32," << line.solver << ',' << line.layout << ',' << line.number << ',' << line.us
           << ",0.01,9,8,0," << line.flops << ',' << line.bytes << ',' << line.recurrence << ','
           << line.residual << ",,," << line.reason << '\n';
    }
    return text.str();
  }

 private:
  void product(const std::string& device, const std::string& mesh, const std::string& problem,
               const std::string& order, const std::string& layout, double us) {
    lines.push_back({device, "product", mesh, problem, order, "", layout});
    lines.back().us = us;
  }
  void iteration(const std::string& device, const std::string& mesh, const std::string& problem,
                 const std::string& solver, double us) {
    lines.push_back({device, "iteration", mesh, problem, "none", solver, "bcsr4"});
    lines.back().us = us;
    lines.back().number = device == "cpu" ? 0 : 8;
  }
};

/// What is said of each statement, by id; of the GPU where there are two, unless `device` says
/// otherwise.
std::map<std::string, nlohmann::json> judged(const MadeUp& made_up,
                                             const std::string& device = "a GPU") {
  const TemporaryFolder folder;
  const std::string file = (folder / "blocks.csv").string();
  write_file(file, made_up.csv());
  const ProgramRun result = run_program({"bench", "blocks", "--from", file, "--json"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  std::map<std::string, nlohmann::json> statements;
  const nlohmann::json output = nlohmann::json::parse(result.output);
  for (const auto& each : output["statements"]) {
    if (each["device"] == device || each["device"] == "") {
      statements.try_emplace(each["id"].get<std::string>(), each);
    }
  }
  return statements;
}

TEST(BenchBlocksStatements, AreAllReproducedByWhatThePaperSays) {
  const auto statements = judged(MadeUp());
  EXPECT_EQ(statements.size(), 9u);
  for (const auto& [id, statement] : statements) {
    EXPECT_EQ(statement["verdict"], "reproduced") << id << ": " << statement.dump();
    EXPECT_EQ(statement["why"], "") << id;
    EXPECT_NE(statement["ours"], "") << id;
  }
  const auto on_cpu = judged(MadeUp(), "a CPU");
  EXPECT_EQ(on_cpu.size(), 4u);
  for (const auto& [id, statement] : on_cpu) {
    EXPECT_EQ(statement["verdict"], "reproduced") << id << ": " << statement.dump();
  }
}

struct Flip {
  std::string id;
  std::function<bool(const Line&)> of;
  std::function<void(Line&)> how;
  std::string why;
};

/// Changes for each statement that refute it.
std::vector<Flip> flips() {
  const auto product = [](const std::string& layout, const std::string& order = "") {
    return [=](const Line& line) {
      return line.what == "product" && line.layout == layout && line.device != "cpu" &&
             (order.empty() || line.order == order);
    };
  };
  const auto iteration = [](const std::string& device, const std::string& solver) {
    return [=](const Line& line) {
      return line.what == "iteration" && line.device == device && line.solver == solver;
    };
  };
  const auto history = [](const Line& line) {
    return line.what == "history" && line.device != "cpu";
  };
  const auto times = [](double factor) { return [=](Line& line) { line.us *= factor; }; };
  const auto takes = [](double us) { return [=](Line& line) { line.us = us; }; };
  return {
      {"C1", product("bcsr4"), takes(1250), "2 x 2 is as fast as 4 x 4"},
      {"C1", product("csr"), takes(1100), "CRS is as fast as 2 x 2"},
      {"C2", [](const Line& line) { return line.layout.starts_with("bcsr4-"); }, takes(810),
       "blocks that lie whole are as fast"},
      {"C3", product("bcsr4", "none"), times(1.1), "it changes the speed against none"},
      {"C3", product("bcsr4", "random"), times(1.1), "it changes the speed against random"},
      {"C4", iteration("cuda:0", "cnc"), takes(2000), "calls and vectors take more"},
      {"C4", iteration("cuda:0", "cnc"), takes(850), "vectors take less"},
      {"C5", iteration("cpu", "cnc"), takes(5900), "less than 6.0 times as fast"},
      {"C6",
       [](const Line& line) { return line.solver == "cnc-graph" && line.mesh == "Girl Face 1"; },
       takes(900), "kernels have become shorter than what surrounds them"},
      {"C6", iteration("cuda:0", "cnc-graph"), takes(990), "a call costs less"},
      {"C6", [](const Line& line) { return line.what == "iteration" && line.device != "cpu"; },
       times(4), "a call costs more"},
      {"C7",
       [](const Line& line) {
         return line.what == "dot" && line.number == 1024 && line.rows == many_values;
       },
       takes(9), "1024 is faster at 67108864"},
      {"C8", history, [](Line& line) { line.residual = std::max(line.residual, 1e-6); },
       "rounding stops the true residual, which the recurrence does not see"},
      {"C8", history, [](Line& line) { line.recurrence *= 10; }, "500 iterations are not enough"},
      {"C8", history, [](Line& line) { line.recurrence *= 0.05; }, "CPU and GPU differ"},
      {"C9", [](const Line& line) { return line.what == "saxpy"; }, times(1.05),
       "it does not reach 82 % of the bandwidth"},
      {"C9", [](const Line& line) { return line.what == "saxpy"; },
       [](Line& line) { line.peak_gflops *= 10; }, "flops have grown faster than bandwidth"},
  };
}

TEST(BenchBlocksStatements, AreRefutedByMeasurementsThatSayOtherwise) {
  std::map<std::string, int> refuted;
  for (const Flip& flip : flips()) {
    MadeUp made_up;
    made_up.change(flip.of, flip.how);
    const nlohmann::json statement = judged(made_up).at(flip.id);
    EXPECT_EQ(statement["verdict"], "refuted") << statement.dump();
    EXPECT_EQ(statement["why"], flip.why);
    ++refuted[flip.id];
  }
  EXPECT_EQ(refuted.size(), 9u);
}

TEST(BenchBlocksStatements, AreNotComparableWithoutTheirMeasurements) {
  MadeUp made_up;
  made_up.remove([](const Line& line) {
    return line.device == "cpu" || line.what == "history" || line.layout == "bcsr4-quads" ||
           line.order == "random" || line.solver == "cnc-graph" || line.number == 2048;
  });
  made_up.change([](const Line& line) { return line.layout == "csr"; },
                 [](Line& line) {
                   line.us = 0;
                   line.reason = "layout csr: too large";
                 });
  made_up.change([](const Line& line) { return line.what == "saxpy"; },
                 [](Line& line) { line.peak_gflops = 0; });
  auto statements = judged(made_up);
  const auto why = [&](const std::string& id) {
    EXPECT_EQ(statements.at(id)["verdict"], "not comparable") << id;
    return statements.at(id)["why"].get<std::string>();
  };
  const std::string first = "Girl Face 1, parameterization";
  EXPECT_EQ(why("C1"), "csr on " + first + ": layout csr: too large");
  EXPECT_EQ(why("C2"), "bcsr4-quads on " + first + " was not measured at --scale 1");
  EXPECT_EQ(why("C3"), "bcsr4 in the order random on " + first + " was not measured at --scale 1");
  EXPECT_EQ(statements.at("C4")["verdict"], "reproduced");
  EXPECT_EQ(why("C5"), "no CPU was measured");
  EXPECT_EQ(why("C6"), "schedules/cnc.json on " + first + " was not measured at --scale 1");
  EXPECT_EQ(why("C7"), "--dot 2048 of 1048576 values was not measured at --scale 1");
  EXPECT_EQ(why("C8"), "the history of residuals was not measured at --scale 1");
  EXPECT_EQ(why("C9"), "the data sheet of this GPU is not known");

  made_up = MadeUp();
  made_up.change([](const Line&) { return true; }, [](Line& line) { line.scale = 2; });
  statements = judged(made_up);
  for (const auto& [id, statement] : statements) {
    EXPECT_EQ(statement["verdict"], "not comparable") << id;
  }
}

TEST(BenchBlocksStatements, OfGpusAreNotJudgedOnACpu) {
  MadeUp made_up;
  made_up.remove([](const Line& line) { return line.device != "cpu"; });
  const auto statements = judged(made_up, "a CPU");
  EXPECT_EQ(statements.size(), 9u);
  for (const char* id : {"C2", "C5", "C6", "C7", "C9"}) {
    EXPECT_EQ(statements.at(id)["why"], "no GPU was measured") << id;
  }
  for (const char* id : {"C1", "C3", "C4", "C8"}) {
    EXPECT_EQ(statements.at(id)["verdict"], "reproduced") << id;
  }
}

}  // namespace
}  // namespace sparsecast::testing
