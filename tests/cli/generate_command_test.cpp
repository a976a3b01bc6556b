#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "cli/run_program.hpp"
#include "cli/temporary_folder.hpp"
#include "core/analysis/features.hpp"
#include "core/base/files/file_output.hpp"
#include "core/matrix/files/market/matrix_market.hpp"
#include "core/matrix/generate/application_generators.hpp"
#include "core/matrix/generate/convection_diffusion.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/matrix/generate/table4.hpp"
#include "core/matrix/metis_order.hpp"

namespace sparsecast::testing {
namespace {

namespace fs = std::filesystem;

/// Runs `generate` with these words and --out, and expects success.
std::string generate(const TemporaryFolder& folder, std::vector<std::string> words,
                     const std::string& file = "matrix.mtx") {
  const std::string path = (folder / file).string();
  words.insert(words.begin(), "generate");
  words.insert(words.end(), {"--out", path});
  const ProgramRun result = run_program(words);
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  EXPECT_TRUE(result.output.starts_with("wrote " + path + ": ")) << result.output;
  EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1) << result.output;
  return path;
}

void expect_same(const CsrMatrix<double>& a, const CsrMatrix<double>& b) {
  EXPECT_EQ(a.row_offsets, b.row_offsets);
  EXPECT_EQ(a.column_indices, b.column_indices);
  EXPECT_EQ(a.values, b.values);
}

TEST(GenerateCommand, WritesNothingUnderTheNameOfAnotherKindOfFile) {
  const TemporaryFolder folder;
  for (const char* name : {"x.mtx.zst", "x.npz", "x.rb", "x.tar.gz", "x.zst"}) {
    const std::string path = (folder / name).string();
    const ProgramRun result = run_program({"generate", "laplacian", "--size", "3", "--out", path});
    EXPECT_EQ(result.exit_status, 2) << name;
    EXPECT_EQ(result.errors, "sparsecast generate: --out " + path +
                                 ": Matrix Market alone is written; expected a name that ends in "
                                 ".mtx or .mtx.gz\n");
    EXPECT_FALSE(std::filesystem::exists(path)) << name;
  }
}

TEST(GenerateCommand, WritesEveryKindAsTheLibraryMakesIt) {
  const TemporaryFolder folder;
  RandomMatrixSpec spec;
  spec.rows = 300;
  spec.mean_row_length = 12;
  spec.stddev_row_length = 4;
  spec.bandwidth_fraction = 0.5;
  spec.row_similarity = 0.3;
  spec.mean_run_length = 2;
  spec.seed = 9;
  const std::vector<std::string> random_words = {
      "random", "--rows",       "300", "--row-length", "12", "--stddev", "4", "--bandwidth",
      "0.5",    "--similarity", "0.3", "--run-length", "2",  "--seed",   "9"};
  const auto read = [&](const std::vector<std::string>& words) {
    return read_matrix_market(generate(folder, words)).matrix;
  };

  expect_same(read({"laplacian", "--size", "5"}), laplacian(7, 5, 5, 5));
  expect_same(read({"laplacian", "--points", "9", "--size", "8,5"}), laplacian(9, 8, 5));
  expect_same(read({"fem-elasticity", "--cells", "3"}), fem_elasticity(1, 3, 1));
  expect_same(read({"fem-elasticity", "--element", "p2", "--cells", "2", "--seed", "4"}),
              fem_elasticity(2, 2, 4));
  expect_same(read({"convection-diffusion", "--size", "6,5", "--peclet", "20"}),
              convection_diffusion(6, 5, 1, 20, ConvectionDifferences::upwind));
  expect_same(read({"convection-diffusion", "--size", "4,3,5", "--peclet", "7.5", "--differences",
                    "central"}),
              convection_diffusion(4, 3, 5, 7.5, ConvectionDifferences::central));
  expect_same(read({"trefethen", "--rows", "20"}), trefethen(20));
  expect_same(read({"dense", "--rows", "30", "--seed", "2"}), dense(30, 2));
  expect_same(read({"image", "--size", "20,15", "--radius", "3", "--tolerance", "0.2"}),
              image_graph(20, 15, 3, 0.2, 1));
  expect_same(read({"kronecker", "--rows", "90", "--row-length", "6", "--corner", "0.5"}),
              kronecker_graph(90, 6, 0.5, 1));
  expect_same(read({"fields", "--size", "4,3", "--seed", "5"}), coupled_fields(4, 3, 5));
  expect_same(
      read({"netlist", "--rows", "90", "--row-length", "5", "--rails", "2", "--supplied", "7"}),
      netlist(90, 5, 2, 7, 1));
  expect_same(read({"band", "--rows", "90", "--half-bandwidth", "7", "--density", "0.5",
                    "--scattered", "2"}),
              scattered_band(90, 7, 0.5, 2, 1));
  expect_same(read(random_words), random_matrix(spec));
  std::vector<std::string> general_words = random_words;
  general_words.push_back("--general");
  spec.symmetric = false;
  expect_same(read(general_words), random_matrix(spec));
  expect_same(read({"power-law", "--rows", "500", "--row-length", "8", "--exponent", "2.5"}),
              power_law(500, 8, 2.5, 1));
}

TEST(GenerateCommand, WritesStandInsOfTable4SymmetricAndNot) {
  const TemporaryFolder folder;
  for (const bool symmetric : {true, false}) {
    const std::string name = symmetric ? "Circuit" : "Dense-Tall";

    const MatrixMarketFile file =
        read_matrix_market(generate(folder, {"table4", name, "--seed", "3"}));

    expect_same(file.matrix, make_table4_matrix(find_table4_matrix(name), 3));
    EXPECT_EQ(file.matrix.rows, symmetric ? 170998 : 30000);
    EXPECT_EQ(file.header.symmetry == StoredSymmetry::symmetric, symmetric);
  }
}

TEST(GenerateCommand, ListsTheMatricesOfTable4InItsHelp) {
  const ProgramRun result = run_program({"generate", "--help"});

  for (const Table4Matrix& matrix : table4_matrices()) {
    EXPECT_NE(result.output.find(matrix.name), std::string::npos) << matrix.name;
  }
}

TEST(GenerateCommand, SaysInTheFileHowItWasMade) {
  const TemporaryFolder folder;

  const std::string path = generate(folder, {"trefethen", "--rows", "3"});

  EXPECT_EQ(read_file(path),
            "%%MatrixMarket matrix coordinate real symmetric\n"
            "% sparsecast generate trefethen --rows 3 --out " +
                path +
                "\n"
                "3 3 6\n1 1 2\n2 1 1\n2 2 3\n3 1 1\n3 2 1\n3 3 5\n");
}

/// Waits until a process writes to a file in the folder, named or not.
void wait_for_writing(pid_t process, const TemporaryFolder& folder) {
  const fs::path descriptors = "/proc/" + std::to_string(process) + "/fd";
  for (int tries = 0; tries < 60'000; ++tries) {
    std::error_code gone;
    for (const auto& entry : fs::directory_iterator(descriptors, gone)) {
      const std::string target = fs::read_symlink(entry.path(), gone).string();
      if (target.starts_with(folder.path().string()) && fs::file_size(entry.path(), gone) > 0) {
        return;
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ADD_FAILURE() << "nothing was written";
}

TEST(GenerateCommand, LeavesNothingWhenItIsEndedWhileItWrites) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const TemporaryFolder folder;
    const ProgramRun result =
        run(tested_program(),
            {"generate", "laplacian", "--size", "120", "--out", (folder / "a.mtx.gz").string()}, {},
            [&](pid_t process) {
              wait_for_writing(process, folder);
              kill(process, number);
            });
    EXPECT_EQ(result.exit_status, 128 + number);
    EXPECT_NE(result.errors.find("interrupted, not written"), std::string::npos) << result.errors;
    EXPECT_TRUE(fs::is_empty(folder.path()));
  }
}

TEST(GenerateCommand, WritesToStandardOutput) {
  const TemporaryFolder folder;
  const std::string path = generate(folder, {"dense", "--rows", "5"});
  const ProgramRun result = run_program({"generate", "dense", "--rows", "5e0", "--out", "-"});

  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(result.output.substr(result.output.find("\n5 5 ")),
            read_file(path).substr(read_file(path).find("\n5 5 ")));
  EXPECT_NE(result.errors.find("wrote -: 5 rows"), std::string::npos) << result.errors;
}

TEST(GenerateCommand, RefusesToWriteOverTheMatrixThatItRenumbers) {
  const TemporaryFolder folder;
  const std::string path = generate(folder, {"dense", "--rows", "5"});
  const ProgramRun result =
      run_program({"generate", "renumber", "--in", path, "--order", "rcm", "--out", path});

  EXPECT_EQ(result.exit_status, 2);
  EXPECT_NE(result.errors.find("is --in too"), std::string::npos) << result.errors;
}

TEST(GenerateCommand, CompressesWhenTheNameEndsInGz) {
  const TemporaryFolder folder;

  const std::string path = generate(folder, {"dense", "--rows", "40"}, "matrix.mtx.gz");

  EXPECT_EQ(read_file(path).substr(0, 2), "\x1f\x8b");
  expect_same(read_matrix_market(path).matrix, dense(40, 1));
}

TEST(GenerateCommand, RenumbersRandomlyAndBackToANarrowBand) {
  const TemporaryFolder folder;
  const std::string grid =
      generate(folder, {"laplacian", "--points", "5", "--size", "20"}, "a.mtx");

  const std::string mixed =
      generate(folder, {"renumber", "--in", grid, "--order", "random", "--seed", "3"}, "b.mtx");
  const std::string banded =
      generate(folder, {"renumber", "--in", mixed, "--order", "rcm"}, "c.mtx");

  const auto bandwidth = [](const std::string& path) {
    return compute_features<double>(read_matrix_market(path).matrix).bandwidth;
  };
  EXPECT_GT(bandwidth(mixed), 300);
  EXPECT_LE(bandwidth(banded), 21);
  EXPECT_EQ(read_matrix_market(banded).header.symmetry, StoredSymmetry::symmetric);
}

TEST(GenerateCommand, OrdersForSeveralDevices) {
  const TemporaryFolder folder;
  const std::string grid =
      generate(folder, {"laplacian", "--points", "5", "--size", "20"}, "a.mtx");

  const std::string ordered =
      generate(folder, {"renumber", "--in", grid, "--order", "metis", "--devices", "2"}, "b.mtx");

  const CsrMatrix<double> matrix = read_matrix_market(grid).matrix;
  expect_same(read_matrix_market(ordered).matrix, renumber<double>(matrix, metis_order(matrix, 2)));
}

TEST(GenerateCommand, KeepsPatternFilesPatternsWhenRenumbering) {
  const TemporaryFolder folder;
  const std::string pattern = (folder / "pattern.mtx").string();
  write_file(pattern, "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n3 1\n");

  const std::string path = generate(folder, {"renumber", "--in", pattern, "--order", "rcm"});

  EXPECT_EQ(read_matrix_market(path).header.field, MatrixMarketField::pattern);
}

TEST(GenerateCommand, RefusesWrongUseWithOneLineAndStatusTwo) {
  const TemporaryFolder folder;
  const std::string out = (folder / "matrix.mtx").string();
  const struct {
    std::vector<std::string> words;
    std::string error;
  } cases[] = {
      {{"--out", out}, "kind is missing; usage: sparsecast generate KIND [options] --out FILE"},
      {{"hilbert", "--out", out},
       "no matrices of kind 'hilbert'; expected laplacian, fem-elasticity, trefethen, dense, "
       "random, convection-diffusion, power-law, image, kronecker, fields, netlist, band, table4, "
       "renumber"},
      {{"convection-diffusion", "--size", "9", "--peclet", "1", "--out", out},
       "--size 9: expected two numbers, or three"},
      {{"convection-diffusion", "--size", "9,1", "--peclet", "1", "--out", out},
       "convection-diffusion on a grid of 9 x 1: expected sides of at least 2 points"},
      {{"convection-diffusion", "--size", "9,9", "--peclet", "-1", "--out", out},
       "convection-diffusion with a Peclet number of -1: expected a number that is not negative"},
      {{"convection-diffusion", "--size", "9,9", "--peclet", "1", "--differences", "best", "--out",
        out},
       "--differences best: expected upwind or central"},
      {{"dense", "--rows", "4"},
       "--out is missing; usage: sparsecast generate KIND [options] --out FILE"},
      {{"dense", "--out", out},
       "--rows is missing; usage: sparsecast generate KIND [options] --out FILE"},
      {{"dense", "--rows", "4", "--points", "5", "--out", out},
       "--points does not apply to dense; it takes --rows, --seed"},
      {{"laplacian", "--size", "3,4", "--out", out},
       "--size 3,4: expected one number or 3 for 7 points"},
      {{"laplacian", "--size", "big", "--out", out},
       "--size big: expected positive whole numbers such as 1,2,4"},
      {{"fem-elasticity", "--cells", "2", "--element", "p3", "--out", out},
       "--element p3: expected p1 or p2"},
      {{"table4", "--out", out},
       "--name is missing; usage: sparsecast generate KIND [options] --out FILE"},
      {{"table4", "cube", "--out", out},
       "no matrix 'cube' in Table 4; expected one of dense, protein, fem-spheres, "
       "fem-cantilever, wind-tunnel, fem-harbor, qcd, fem-ship, economics, epidemiology, "
       "fem-accelerator, circuit, webbase, lp, dense-tall"},
      {{"dense", "circuit", "--rows", "4", "--out", out},
       "--name does not apply to dense; it takes --rows, --seed"},
      {{"renumber", "--in", out + "x", "--order", "amd", "--out", out},
       "--order: unknown renumbering 'amd'; expected one of none, random, rcm, metis, hubs"},
      {{"renumber", "--in", out + "x", "--order", "metis", "--out", out},
       "--devices: expected a number with --order metis, and only there"},
      {{"renumber", "--in", out + "x", "--order", "metis", "--devices", "1e9", "--out", out},
       "the argument ('1e9') for option '--devices' is invalid; see sparsecast generate --help"},
      {{"renumber", "--in", out + "x", "--order", "metis", "--devices", "9000", "--out", out},
       "--devices 9000: expected 1 to 8192 devices"},
      {{"renumber", "--in", out + "x", "--order", "rcm", "--devices", "2", "--out", out},
       "--devices: expected a number with --order metis, and only there"},
  };
  for (const auto& wrong : cases) {
    std::vector<std::string> words = wrong.words;
    words.insert(words.begin(), "generate");

    const ProgramRun result = run_program(words);

    EXPECT_EQ(result.exit_status, 2);
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(result.errors, "sparsecast generate: " + wrong.error + '\n');
  }
}

TEST(GenerateCommand, RefusesOptionsOfWhichThereIsNoMatrix) {
  const TemporaryFolder folder;
  const std::string out = (folder / "matrix.mtx").string();
  const struct {
    std::vector<std::string> words;
    std::string error;
  } cases[] = {
      {{"dense", "--rows", "-3"}, "dense: -3 rows; expected 1 to 1048576"},
      {{"dense", "--rows", "1e9"}, "dense: 1000000000 rows; expected 1 to 1048576"},
      {{"laplacian", "--points", "13", "--size", "3"},
       "laplacian with 13 points: expected 3 (1D), 5 or 9 (2D), 7 or 27 (3D)"},
      {{"random", "--rows", "10", "--row-length", "11"},
       "mean row length of 11.000000: expected 1 to the number of rows"},
      {{"fem-elasticity", "--cells", "0"},
       "finite elements on 0^3 cells: expected 1 to 893 of order 1"},
  };
  for (const auto& wrong : cases) {
    std::vector<std::string> words = wrong.words;
    words.insert(words.begin(), "generate");
    words.insert(words.end(), {"--out", out});

    const ProgramRun result = run_program(words);

    EXPECT_EQ(result.exit_status, 2);
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(result.errors, "sparsecast generate: " + wrong.error + '\n');
    EXPECT_FALSE(std::filesystem::exists(out));
  }
}

}  // namespace
}  // namespace sparsecast::testing
