#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "cli/run_program.hpp"
#include "cli/temporary_folder.hpp"
#include "core/base/files/file_output.hpp"
#include "core/matrix/generate/table4.hpp"

/// @file
/// What `bench formats` says of the statements of Bell and Garland 2008, of made-up measurements.

namespace sparsecast::testing {
namespace {

struct Matrix {
  std::string set;
  std::string name;
  double rows = 0;
  double columns = 0;
  double nonzeros = 0;

  double row_length() const { return nonzeros / rows; }
};

const std::vector<Matrix> structured{{"structured", "Laplace 3pt", 1e6, 1e6, 2999998},
                                     {"structured", "Laplace 5pt", 1e6, 1e6, 4996000},
                                     {"structured", "Laplace 7pt", 1e6, 1e6, 6940000},
                                     {"structured", "Laplace 9pt", 1e6, 1e6, 8988004},
                                     {"structured", "Laplace 27pt", 1e6, 1e6, 26463592}};

std::vector<Matrix> unstructured() {
  std::vector<Matrix> all;
  for (const Table4Matrix& m : table4_matrices()) {
    all.push_back({"unstructured", m.printed, static_cast<double>(m.rows),
                   static_cast<double>(m.columns), static_cast<double>(m.nonzeros)});
  }
  return all;
}

struct Key {
  std::string device;
  double scale;
  std::string matrix;
  std::string precision;
  std::string layout;
  std::string x;
  auto operator<=>(const Key&) const = default;
};

struct Cell {
  Matrix matrix;
  double rate = 0;  ///< GFlop/s; 0: refused
  double elements = 0;
  double stored_bytes = 0;
};

/// Measurements of a GPU and a CPU of which every statement holds.
class MadeUp {
 public:
  MadeUp() {
    for (const double scale : {1.0, 27.0}) {
      double scalar = 4;
      for (const Matrix& m : structured) {
        both(scale, m, "dia", 40, 0.5, 4);
        both(scale, m, "ell", 30, 0.6, 8);
        both(scale, m, "hyb-paper", 30, 0.6, 8);
        both(scale, m, "csr-scalar", scalar, 0.9, 8);
        both(scale, m, "csr-vector", 0.33 * m.row_length(), 0.6, 8);
        both(scale, m, "coo", 10, 0.7, 12);
        scalar -= 0.5;
      }
    }
    add("cuda:0", 1, structured.back(), "f32", "dia", "l2", 25, 4);
    for (const Matrix& m : unstructured()) {
      const bool is_dense = m.name == "Dense";
      const bool is_lp = m.name == "LP";
      for (const char* layout : {"dia", "ell"}) both(1, m, layout, 0, 0, 8);
      both(1, m, "csr-scalar", 1, 0.5, 8);
      both(1, m, "csr-vector", m.row_length() >= 50 ? 20 : m.row_length() < 4 ? 1.5 : 8, 0.5, 8);
      const double hyb = is_dense ? 5 : is_lp ? 10 : m.name == "dense 30K x 128" ? 30.83 : 18;
      both(1, m, "hyb-paper", hyb, 0.5, 8);
      both(1, m, "hyb", m.name == "Webbase" ? 1.5 * hyb : 1.1 * hyb, 0.5, 8);
      add("cuda:0", 1, m, "f32", "coo", "l1", is_lp ? 25 : 3, 12);
      add("cuda:0", 1, m, "f64", "coo", "l1", 2.5, 16);
      add("cuda:0", 1, m, "f32", "pkt", "l1", m.name == "FEM/Accelerator" ? 20 : is_lp ? 0 : 4, 4);
      if (m.name == "FEM/Accelerator") rate(m.name, "pkt") = 20;
      if (m.name.starts_with("FEM/") && m.name != "FEM/Accelerator") rate(m.name, "pkt") = 16;
      add("cuda:0", 1, m, "f32", "hyb-paper", "l2", 14, 8);
      add("cpu", 1, m, "f64", "csr", "l1", 0.5, 12);
      if (m.name == "Wind Tunnel") split(m.name, 0.994);
      if (is_lp) split(m.name, 0.454);
    }
  }

  /// GFlop/s on the GPU.
  double& rate(const std::string& matrix, const std::string& layout,
               const std::string& precision = "f32", double scale = 1,
               const std::string& x = "l1") {
    return cells_.at({"cuda:0", scale, matrix, precision, layout, x}).rate;
  }
  Cell& cell(const Key& key) { return cells_.at(key); }
  /// Multiplies the rates of all that this holds of.
  void scale_rates(double factor, const std::function<bool(const Key&)>& of) {
    for (auto& [key, cell] : cells_) {
      if (of(key)) cell.rate *= factor;
    }
  }
  void remove(const std::function<bool(const Key&)>& what) {
    std::erase_if(cells_, [&](const auto& each) { return what(each.first); });
  }
  /// HYB with this share of the nonzeros in its ELL part, whose columns are as many as nonzeros.
  void split(const std::string& matrix, double share) {
    Cell& hyb = cells_.at({"cuda:0", 1, matrix, "f64", "hyb-paper", "l1"});
    const double in_coo = (1 - share) * hyb.matrix.nonzeros;
    hyb.elements = hyb.matrix.nonzeros + in_coo;
    hyb.stored_bytes = hyb.elements * 12 + in_coo * 4;
  }

  std::string csv() const {
    std::ostringstream text;
    text.precision(17);
    text << "set,matrix,source,scale,rows,columns,nonzeros,device,description,peak_gb_per_s,"
            "cache_bytes,precision,layout,x,us,spread,rounds,repeats,stored_elements,stored_bytes,"
            "bytes,gflops,gb_per_s,bytes_per_flop,reason\n";
    for (const auto& [key, cell] : cells_) {
      const Matrix& m = cell.matrix;
      const double n = key.scale;
      const bool is_cpu = key.device == "cpu";
      text << m.set << ',' << m.name << ",made up," << n << ',' << m.rows * n << ','
           << m.columns * n << ',' << m.nonzeros * n << ',' << key.device << ','
           << (is_cpu ? "a CPU,0,32e6," : "a GPU,165,50e6,") << key.precision << ',' << key.layout
           << ',' << key.x << ',';
      if (cell.rate == 0) {
        text << "0,0,0,0,0,0,0,,,,layout " << key.layout << ": refused\n";
        continue;
      }
      const double value = key.precision == "f32" ? 4 : 8;
      text << 2e-3 * m.nonzeros * n / cell.rate << ",0.01,9,8," << cell.elements * n << ','
           << cell.stored_bytes * n << ',' << (cell.stored_bytes + (m.rows + m.columns) * value) * n
           << ",,,,\n";
    }
    return text.str();
  }

 private:
  void add(const std::string& device, double scale, const Matrix& m, const std::string& precision,
           const std::string& layout, const std::string& x, double rate, double element_bytes) {
    cells_[{device, scale, m.name, precision, layout, x}] = {m, rate, m.nonzeros,
                                                             m.nonzeros * element_bytes};
  }
  /// `element_bytes` of a stored value with its indices in f32.
  void both(double scale, const Matrix& m, const std::string& layout, double rate, double kept,
            double element_bytes) {
    add("cuda:0", scale, m, "f32", layout, "l1", rate, element_bytes);
    add("cuda:0", scale, m, "f64", layout, "l1", rate * kept, element_bytes + 4);
  }

  std::map<Key, Cell> cells_;
};

/// What is said of each statement, by id; of the GPU where there are two.
std::map<std::string, nlohmann::json> judged(const MadeUp& made_up) {
  const TemporaryFolder folder;
  const std::string file = (folder / "formats.csv").string();
  write_file(file, made_up.csv());
  const ProgramRun result = run_program({"bench", "formats", "--from", file, "--json"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  std::map<std::string, nlohmann::json> statements;
  const nlohmann::json output = nlohmann::json::parse(result.output);
  for (const auto& each : output["statements"]) {
    statements.try_emplace(each["id"].get<std::string>(), each);
  }
  return statements;
}

TEST(BenchFormatsStatements, AreAllReproducedByWhatThePaperSays) {
  const auto statements = judged(MadeUp());
  EXPECT_EQ(statements.size(), 19u);
  for (const auto& [id, statement] : statements) {
    EXPECT_EQ(statement["verdict"], "reproduced") << id << ": " << statement.dump();
    EXPECT_EQ(statement["why"], "") << id;
    EXPECT_NE(statement["ours"], "") << id;
  }
}

struct Flip {
  std::string id;
  std::function<void(MadeUp&)> change;
};

/// A change for each statement that refutes it.
std::vector<Flip> flips() {
  const auto layout_is = [](const std::string& layout) {
    return [layout](const Key& key) { return key.layout == layout; };
  };
  return {
      {"B1", [](MadeUp& m) { m.rate("Laplace 9pt", "coo") = 41; }},
      {"B2", [](MadeUp& m) { m.rate("Laplace 9pt", "ell", "f64") = 21; }},
      {"B3", [](MadeUp& m) { m.rate("Laplace 5pt", "hyb-paper", "f64") *= 0.9; }},
      {"B3",
       [](MadeUp& m) {
         m.cell({"cuda:0", 1, "Laplace 5pt", "f32", "hyb-paper", "l1"}).stored_bytes += 4;
       }},
      {"B4", [](MadeUp& m) { m.rate("Laplace 27pt", "csr-vector") *= 0.85; }},
      {"B5", [](MadeUp& m) { m.rate("Laplace 27pt", "csr-scalar") = 3; }},
      {"B6",
       [](MadeUp& m) { m.scale_rates(0.8, [](const Key& key) { return key.layout == "ell"; }); }},
      {"B7", [](MadeUp& m) { m.rate("Laplace 27pt", "dia", "f32", 1, "l2") = 35; }},
      {"B8", [](MadeUp& m) { m.rate("Laplace 27pt", "dia", "f64", 27) = 30; }},
      {"B9",
       [](MadeUp& m) {
         m.scale_rates(0.7, [](const Key& key) {
           return key.layout == "csr-scalar" && key.precision == "f64";
         });
       }},
      {"B10", [=](MadeUp& m) { m.scale_rates(50, layout_is("csr-vector")); }},
      {"B11", [=](MadeUp& m) { m.scale_rates(0.01, layout_is("hyb-paper")); }},
      {"B12", [](MadeUp& m) { m.rate("Webbase", "coo") = 19; }},
      {"B12", [](MadeUp& m) { m.rate("Webbase", "coo", "f64") = 1; }},
      {"B13", [](MadeUp& m) { m.rate("FEM/Ship", "pkt") = 13; }},
      {"B13", [](MadeUp& m) { m.rate("QCD", "pkt") = 19; }},
      {"B14", [](MadeUp& m) { m.rate("Dense", "hyb-paper") = 16; }},
      {"B15", [](MadeUp& m) { m.rate("Epidemiology", "csr-vector") = 3; }},
      {"B16", [](MadeUp& m) { m.split("LP", 0.47); }},
      {"B17", [=](MadeUp& m) { m.scale_rates(2, layout_is("coo")); }},
      {"B18",
       [](MadeUp& m) {
         m.cell({"cuda:0", 1, "Laplace 7pt", "f64", "coo", "l1"}).stored_bytes += 8;
       }},
      {"B19",
       [](MadeUp& m) { m.scale_rates(4, [](const Key& key) { return key.device == "cpu"; }); }},
  };
}

TEST(BenchFormatsStatements, AreRefutedByMeasurementsThatSayOtherwise) {
  std::map<std::string, int> refuted;
  for (const Flip& flip : flips()) {
    MadeUp made_up;
    flip.change(made_up);
    const nlohmann::json statement = judged(made_up).at(flip.id);
    EXPECT_EQ(statement["verdict"], "refuted") << statement.dump();
    EXPECT_NE(statement["why"], "") << flip.id;
    ++refuted[flip.id];
  }
  EXPECT_EQ(refuted.size(), 19u);
}

TEST(BenchFormatsStatements, AreNotComparableWithoutTheirMeasurements) {
  MadeUp made_up;
  made_up.remove([](const Key& key) { return key.x == "l2" || key.layout == "pkt"; });
  made_up.remove([](const Key& key) { return key.scale == 27 || key.device == "cpu"; });
  auto statements = judged(made_up);
  const auto why = [&](const std::string& id) {
    EXPECT_EQ(statements.at(id)["verdict"], "not comparable") << id;
    return statements.at(id)["why"].get<std::string>();
  };
  EXPECT_NE(why("B6").find("takes less than twice the last-level cache; add --scale 27"),
            std::string::npos);
  EXPECT_NE(why("B8").find("--scale 27"), std::string::npos);
  EXPECT_EQ(why("B7"), "dia on Laplace 27pt, f32, past the L1 cache was not measured");
  EXPECT_EQ(why("B13"), "pkt on FEM/Spheres, f32 was not measured");
  EXPECT_EQ(why("B19"), "no CPU was measured");
  EXPECT_EQ(statements.at("B1")["verdict"], "reproduced");

  made_up.rate("Laplace 5pt", "dia") = 0;
  made_up.remove([](const Key& key) { return key.matrix == "LP"; });
  statements = judged(made_up);
  EXPECT_EQ(why("B1"), "dia on Laplace 5pt, f32: layout dia: refused");
  EXPECT_EQ(why("B10"), "dia on LP, f32 was not measured");

  made_up.remove([](const Key& key) { return key.matrix.starts_with("Laplace"); });
  statements = judged(made_up);
  EXPECT_EQ(why("B5"), "the structured set was not measured at --scale 1");
}

TEST(BenchFormatsStatements, OfGpusAreNotJudgedOnACpu) {
  MadeUp made_up;
  made_up.remove([](const Key& key) { return key.device != "cpu"; });
  const auto statements = judged(made_up);
  for (const auto& [id, statement] : statements) {
    EXPECT_EQ(statement["verdict"], "not comparable") << id;
  }
  EXPECT_EQ(statements.at("B1")["why"], "no GPU was measured");
}

TEST(BenchFormatsStatements, SayWhatHoldsAtOtherSizes) {
  MadeUp made_up;
  made_up.rate("Laplace 9pt", "coo", "f32", 27) = 41;
  const nlohmann::json statement = judged(made_up).at("B1");
  EXPECT_EQ(statement["verdict"], "reproduced");
  EXPECT_EQ(statement["ours"], "5 of 5; 27 times the rows: 4 of 5 (refuted)");
}

TEST(BenchFormatsStatements, SayWhatASplitByCostGainsOverTheRule) {
  MadeUp made_up;
  EXPECT_EQ(judged(made_up).at("B17")["ours"],
            "3.00; HYB split by cost is faster than by the rule by 10.0 % (median), 50.0 % (most, "
            "Webbase); 27 times the rows: 3.00");
  made_up.remove([](const Key& key) { return key.layout == "hyb"; });
  EXPECT_EQ(judged(made_up).at("B17")["ours"], "3.00; 27 times the rows: 3.00");
}

}  // namespace
}  // namespace sparsecast::testing
