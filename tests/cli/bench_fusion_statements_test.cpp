#include <gtest/gtest.h>

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
/// What `bench fusion` says of the statements of Rupp, Weinbub, Juengel and Grasser 2016, of
/// made-up measurements.

namespace sparsecast::testing {
namespace {

/// A line of the file.
struct Line {
  std::string what = {};
  std::string matrix = {};
  double size = 0;
  std::string device = {};
  std::string solver = {};
  std::string launch = {};
  int basis = 0;
  int dots = 0;
  int kernels = 0;
  int waits = 0;
  double values = 0;
  double us = 0;
  int iterations = 0;
  std::string outcome = {};
  int launches = 0;
  int host_waits = 0;
  std::string reason = {};
};

constexpr double figure2_size = 1e6;
constexpr int figure2_basis = 50;

/// Measurements of a GPU and a CPU of which every statement holds.
class MadeUp {
 public:
  MadeUp() {
    // By the host pipelined CG gains 2 times, and from 10^5 on less.
    for (const auto& [size, gain] :
         std::map<double, double>{{1e3, 2}, {1e4, 1.9}, {1e5, 1.3}, {1e6, 1.2}, {1e7, 1.2}}) {
      for (const char* launch : {"host", "graph"}) {
        iteration("cuda:0", size, "six-kernels", launch, 100 * gain);
        iteration("cuda:0", size, "pipelined-cg", launch, 100);
        iteration("cuda:0", size, "fused", launch, 90);
      }
      iteration("cpu", size, "six-kernels", "", 1000);
      iteration("cpu", size, "pipelined-cg", "", 900);
    }
    for (const int dots : {1, 2, 4, 7, 8, 16, figure2_basis}) {
      Line line{.what = "dots", .size = figure2_size, .device = "cuda:0", .launch = "graph"};
      line.basis = figure2_basis;
      line.dots = dots;
      line.values = figure2_basis + (figure2_basis + dots - 1) / dots;
      line.us = line.values;
      lines.push_back(line);
    }
    for (const char* solver : {"gmres-blas1", "gmres"}) {
      Line line{.what = "gram-schmidt", .size = figure2_size, .device = "cuda:0"};
      line.solver = solver;
      line.launch = "graph";
      line.basis = figure2_basis;
      line.values = solver == std::string("gmres") ? 103 : 250;
      line.us = line.values;
      lines.push_back(line);
    }
    for (const char* device : {"cuda:0", "cpu"}) {
      for (const double size : {1e4, 1e5}) {
        solve(device, size, "six-kernels", 100, 500);
        solve(device, size, "pipelined-cg", 101, 300);
        solve(device, size, "fused", 90, 280);
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
    text << "what,matrix,size,rows,nonzeros,device,description,precision,solver,launch,basis,dots,"
            "kernels,sums,waits,values,launches,host_waits,us,spread,rounds,repeats,bytes,"
            "iterations,outcome,residual,gb_per_s,reason\n";
    for (const Line& line : lines) {
      text << line.what << ',' << line.matrix << ',' << line.size << ',' << line.size << ",1000,"
           << line.device << ',' << (line.device == "cpu" ? "a CPU" : "a GPU") << ",f64,"
           << line.solver << ',' << line.launch << ',' << line.basis << ',' << line.dots << ','
           << line.kernels << ",2," << line.waits << ',' << line.values << ',' << line.launches
           << ',' << line.host_waits << ',' << line.us << ",0.01,9,8,1e6," << line.iterations << ','
           << line.outcome << ",1e-9,," << line.reason << '\n';
    }
    return text.str();
  }

 private:
  void iteration(const std::string& device, double size, const std::string& solver,
                 const std::string& launch, double us) {
    Line line{.what = "iteration", .matrix = "grid", .size = size, .device = device};
    line.solver = solver;
    line.launch = launch;
    line.kernels = solver == "six-kernels" ? 6 : solver == "fused" ? 3 : 2;
    line.waits = solver == "pipelined-cg" ? 1 : 2;
    line.us = us;
    if (launch == "host") {
      line.launches = line.kernels;
      line.host_waits = line.waits;
    }
    lines.push_back(line);
  }
  void solve(const std::string& device, double size, const std::string& solver, int iterations,
             double us) {
    Line line{.what = "solve", .matrix = "grid", .size = size, .device = device};
    line.solver = solver;
    line.launch = device == "cpu" ? "" : "graph";
    line.iterations = iterations;
    line.us = us;
    line.outcome = "converged";
    lines.push_back(line);
  }
};

/// What is said of each statement, by id; of the GPU where there are two, unless `device` says
/// otherwise.
std::map<std::string, nlohmann::json> judged(const MadeUp& made_up,
                                             const std::string& device = "a GPU") {
  const TemporaryFolder folder;
  const std::string file = (folder / "fusion.csv").string();
  write_file(file, made_up.csv());
  const ProgramRun result = run_program({"bench", "fusion", "--from", file, "--json"});
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

TEST(BenchFusionStatements, AreAllReproducedByWhatThePaperSays) {
  const auto statements = judged(MadeUp());
  EXPECT_EQ(statements.size(), 7u);
  for (const auto& [id, statement] : statements) {
    EXPECT_EQ(statement["verdict"], "reproduced") << id << ": " << statement.dump();
    EXPECT_EQ(statement["why"], "") << id;
    EXPECT_NE(statement["ours"], "") << id;
  }
  const auto on_cpu = judged(MadeUp(), "a CPU");
  EXPECT_EQ(on_cpu.size(), 3u);
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
  const auto iteration = [](const std::string& solver, double from = 0, double to = 1e9) {
    return [=](const Line& line) {
      return line.what == "iteration" && line.solver == solver && line.device != "cpu" &&
             line.launch == "host" && from <= line.size && line.size <= to;
    };
  };
  const auto solve = [](const std::string& solver, double size = 0) {
    return [=](const Line& line) {
      return line.what == "solve" && line.solver == solver && line.device != "cpu" &&
             (size == 0 || line.size == size);
    };
  };
  const auto takes = [](double us) { return [=](Line& line) { line.us = us; }; };
  return {
      {"P1", iteration("pipelined-cg"), [](Line& line) { line.kernels = line.launches = 3; },
       "pipelined-cg takes 3 kernels"},
      {"P1", iteration("pipelined-cg"), [](Line& line) { line.waits = line.host_waits = 3; },
       "pipelined-cg waits 3 times"},
      {"P1", iteration("pipelined-cg"), [](Line& line) { line.host_waits = 2; },
       "pipelined-cg runs otherwise"},
      {"P1", iteration("six-kernels"), [](Line& line) { line.waits = line.host_waits = 1; },
       "the textbook's are not six kernels and two waits"},
      {"P2", iteration("six-kernels", 0, 1e4), takes(179),
       "less than 1.8 times as fast in all sizes"},
      {"P3", iteration("six-kernels", 1e4), takes(120), "the gain ends at fewer unknowns"},
      {"P3", iteration("six-kernels", 1e5, 1e6), takes(150), "the gain ends at more unknowns"},
      {"P3", iteration("six-kernels"), takes(150), "the gain does not end"},
      {"P3", iteration("six-kernels", 0, 1e3), takes(120),
       "small systems gain less than 1.3 times"},
      {"P4", [](const Line& line) { return line.what == "dots" && line.dots == 1; }, takes(90),
       "single dot products lose less by reading w again"},
      {"P5", [](const Line& line) { return line.solver == "gmres-blas1"; }, takes(180),
       "less than 1.8 times as fast"},
      {"P6", solve("fused"), takes(250),
       "Jacobi's preconditioner saves more iterations than it costs"},
      {"P6", [](const Line& line) { return line.what == "solve" && line.solver != "fused"; },
       [](Line& line) { line.outcome = "iteration limit"; },
       "Jacobi's preconditioner saves more iterations than it costs"},
      {"P7", solve("pipelined-cg", 1e5), [](Line& line) { line.iterations = 106; },
       "grid 100000 takes 1.06 times as many iterations"},
      {"P7", solve("pipelined-cg", 1e4), [](Line& line) { line.outcome = "stagnated"; },
       "grid 10000 is not solved (stagnated)"},
  };
}

TEST(BenchFusionStatements, AreRefutedByMeasurementsThatSayOtherwise) {
  std::map<std::string, int> refuted;
  for (const Flip& flip : flips()) {
    MadeUp made_up;
    made_up.change(flip.of, flip.how);
    const nlohmann::json statement = judged(made_up).at(flip.id);
    EXPECT_EQ(statement["verdict"], "refuted") << statement.dump();
    EXPECT_EQ(statement["why"], flip.why);
    ++refuted[flip.id];
  }
  EXPECT_EQ(refuted.size(), 7u);
}

TEST(BenchFusionStatements, AreNotComparableWithoutTheirMeasurements) {
  MadeUp made_up;
  made_up.remove([](const Line& line) {
    return line.what == "solve" || line.solver == "gmres" ||
           (line.what == "dots" && line.dots == 7) ||
           (line.what == "iteration" && line.size == 1e6);
  });
  auto statements = judged(made_up);
  const auto why = [&](const std::string& id) {
    EXPECT_EQ(statements.at(id)["verdict"], "not comparable") << id;
    return statements.at(id)["why"].get<std::string>();
  };
  EXPECT_EQ(statements.at("P1")["verdict"], "reproduced");
  EXPECT_EQ(why("P2"), "six-kernels at 1000000 unknowns by the host was not measured");
  EXPECT_EQ(why("P3"), "six-kernels at 1000000 unknowns by the host was not measured");
  EXPECT_EQ(why("P4"), "7 dot products a pass was not measured");
  EXPECT_EQ(why("P5"), "a step of gmres with 50 vectors of 10^6 values was not measured");
  EXPECT_EQ(why("P6"), "no system of 10^4 to 10^6 unknowns was solved");
  EXPECT_EQ(why("P7"), "no system was solved by the textbook's");

  made_up = MadeUp();
  made_up.change([](const Line& line) { return line.what == "iteration" && line.size == 1e7; },
                 [](Line& line) { line.reason = "out of memory"; });
  statements = judged(made_up);
  EXPECT_EQ(why("P2"), "six-kernels at 10000000 unknowns by the host: out of memory");
}

TEST(BenchFusionStatements, OfGpusAreNotJudgedOnACpu) {
  MadeUp made_up;
  made_up.remove([](const Line& line) { return line.device != "cpu"; });
  const auto statements = judged(made_up, "a CPU");
  EXPECT_EQ(statements.size(), 7u);
  for (const char* id : {"P2", "P3", "P4", "P5"}) {
    EXPECT_EQ(statements.at(id)["why"], "no GPU was measured") << id;
  }
}

TEST(BenchFusionStatements, SayWhereTheGainFallsBelow13) {
  const TemporaryFolder folder;
  const std::string file = (folder / "fusion.csv").string();
  MadeUp made_up;
  // From 1.6 at 10^4 to 1.0 at 10^5: 1.3 in the middle of the logarithms.
  made_up.change([](const Line& line) { return line.solver == "six-kernels" && line.size == 1e4; },
                 [](Line& line) { line.us = 160; });
  made_up.change([](const Line& line) { return line.solver == "six-kernels" && line.size >= 1e5; },
                 [](Line& line) { line.us = 100; });
  write_file(file, made_up.csv());
  const ProgramRun result = run_program({"bench", "fusion", "--from", file, "--markdown"});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_NE(result.output.find("| pipelined-cg | host | 2.00 | 3.2e+04 |"), std::string::npos)
      << result.output;
}

}  // namespace
}  // namespace sparsecast::testing
