#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "cli/drawn_script.hpp"
#include "cli/run_program.hpp"
#include "cli/temporary_folder.hpp"
#include "core/base/files/file_output.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/formats/bcsr/bcsr.hpp"
#include "core/formats/csr_adaptive/csr_adaptive.hpp"
#include "core/formats/registry.hpp"
#include "core/formats/sell/sell.hpp"
#include "core/matrix/files/market/matrix_market.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/random_spd.hpp"

namespace sparsecast::testing {
namespace {

TEST(BenchCommand, MeasuresEveryLayoutOfAFile) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "grid.mtx";
  write_matrix_market(file, laplacian(5, 40, 40).view());

  const ProgramRun result =
      run_program({"bench", "spmv", file.string(), "--precision", "f32", "--json"});

  EXPECT_EQ(result.exit_status, 0) << result.errors;
  const auto rows = nlohmann::json::parse(result.output)["measurements"];
  std::set<std::string> layouts;
  for (const auto& row : rows) {
    layouts.insert(row["layout"]);
    EXPECT_EQ(row["matrix"], "grid");
    EXPECT_EQ(row["precision"], "f32");
    EXPECT_GT(row["seconds"].get<double>(), 0);
    EXPECT_GE(row["raw_gflops"].get<double>(), row["effective_gflops"].get<double>());
  }
  EXPECT_EQ(layouts, (std::set<std::string>{"csr", "bcsr2", "bcsr3", "bcsr4", "bcsr6", "bcsr8",
                                            "csr-adaptive", "dia", "sell32", "sell128",
                                            "sell32-sorted512"}));
}

TEST(BenchCommand, TellsFilesOfOneNameApart) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "a");
  std::filesystem::create_directories(folder / "b");
  for (const char* name : {"a/x.mtx", "b/x.mtx", "lap8.mtx", "lap8.mtx.gz"}) {
    write_matrix_market(folder / name, laplacian(5, 8, 8).view());
  }
  std::vector<std::string> words{"bench", "spmv", "--layout", "csr", "--json"};
  for (const char* name : {"a/x.mtx", "b/x.mtx", "lap8.mtx", "lap8.mtx.gz"}) {
    words.push_back((folder / name).string());
  }
  const ProgramRun result = run_program(words);
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  std::vector<std::string> names;
  const auto json = nlohmann::json::parse(result.output);
  for (const auto& row : json["measurements"]) {
    names.push_back(row["matrix"]);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"a/x", "b/x", "lap8.mtx", "lap8.mtx.gz"}));
}

TEST(BenchCommand, UsesNoMoreInstructionsThanItIsTold) {
  const TemporaryFolder folder;
  const std::string file = (folder / "grid.mtx").string();
  write_matrix_market(file, laplacian(5, 20, 20).view());
  const ProgramRun result =
      run_program({"bench", "spmv", file, "--layout", "csr", "--instructions", "baseline"});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  const std::string title = result.output.substr(0, result.output.find('\n'));
  EXPECT_TRUE(title.ends_with(", x86-64") || title.ends_with(", baseline")) << title;

  const auto refusal = [&](const std::vector<std::string>& arguments) {
    const ProgramRun refused = run_program(arguments);
    EXPECT_EQ(refused.exit_status, 2) << refused.output;
    EXPECT_EQ(std::ranges::count(refused.errors, '\n'), 1) << refused.errors;
    return refused.errors;
  };
  EXPECT_NE(refusal({"bench", "spmv", file, "--instructions", "mmx"})
                .find("'mmx'; expected baseline, avx2 or avx512"),
            std::string::npos);
  EXPECT_NE(refusal({"bench", "spmv", "--device", "cuda:0", "--instructions", "avx2"})
                .find("--instructions: does nothing on a GPU"),
            std::string::npos);
  for (const char* what : {"cg", "formats"}) {
    EXPECT_NE(refusal({"bench", what, "--instructions", "avx2"}).find("it is of spmv and blocks"),
              std::string::npos);
  }
}

TEST(BenchCommand, SkipsALayoutThatDoesNotFitUnlessItIsAskedFor) {
  const TemporaryFolder folder;
  const std::string file = (folder / "scattered.mtx").string();
  write_matrix_market(file, random_spd(8000, 4, 0, 5).view());

  const ProgramRun all = run_program({"bench", "spmv", file, "--json"});

  EXPECT_EQ(all.exit_status, 0) << all.errors;
  EXPECT_NE(all.errors.find("skipped scattered: layout dia: the nonzeros lie on"),
            std::string::npos)
      << all.errors;
  const auto rows = nlohmann::json::parse(all.output)["measurements"];
  EXPECT_EQ(rows.size(), 10u);
  for (const auto& row : rows) EXPECT_NE(row["layout"], "dia");

  const ProgramRun asked = run_program({"bench", "spmv", file, "--layout", "dia"});
  EXPECT_EQ(asked.exit_status, 1);
  EXPECT_NE(asked.errors.find("layout dia: the nonzeros lie on"), std::string::npos)
      << asked.errors;
}

TEST(BenchCommand, MeasuresTheLayoutsThatAreAskedFor) {
  const TemporaryFolder folder;
  const std::string file = (folder / "grid.mtx").string();
  write_matrix_market(file, laplacian(5, 20, 20).view());
  const auto layouts = [&](const std::string& option, const std::string& names) {
    const ProgramRun result = run_program({"bench", "cg", file, "--json", option, names});
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    std::vector<std::string> found;
    const auto json = nlohmann::json::parse(result.output);
    for (const auto& row : json["measurements"]) {
      found.push_back(row["layout"]);
      EXPECT_FALSE(row.contains("block"));
    }
    return found;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(layouts("--layout", "dia,csr"), (Names{"dia", "csr"}));
  EXPECT_EQ(layouts("--layout", "bcsr2-sorted"), (Names{"bcsr2-sorted"}));
  EXPECT_EQ(layouts("--block", "1,4"), (Names{"csr", "bcsr4"}));
}

TEST(BenchCommand, PrintsATableForPeople) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "grid.mtx";
  write_matrix_market(file, laplacian(5, 20, 20).view());

  const ProgramRun result = run_program({"bench", "spmv", file.string()});

  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_NE(result.output.find("GB/s"), std::string::npos);
  EXPECT_NE(result.output.find("bcsr8"), std::string::npos);
}

TEST(BenchCommand, CountsTheBytesThatConjugateGradientsMoveOnOneDevice) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "grid.mtx";
  const CsrMatrix<double> matrix = laplacian(5, 40, 40);
  write_matrix_market(file, matrix.view());
  const ProgramRun result = run_program({"bench", "cg", file.string(), "--json"});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  const auto json = nlohmann::json::parse(result.output);
  for (const auto& row : json["measurements"]) {
    const Layout layout = parse_layout(row["layout"].get<std::string>());
    if (layout.format == "dia") {
      // Five diagonals of 1600 rows, neither columns nor offsets.
      EXPECT_EQ(row["bytes"].get<double>(), 8.0 * (5 * 1600 + 1600 * 11));
      EXPECT_EQ(row["stored_elements"].get<double>(), 5 * 1600);
      continue;
    }
    if (layout.format == "sell") {
      const SellMatrix<double> sell = convert_to_sell(matrix.view(), {0, matrix.rows}, layout);
      const std::size_t bytes = sell.values.size() * 8 + sell.column_bytes.size() +
                                (sell.bases.size() + sell.row_index.size()) * 4 +
                                static_cast<std::size_t>(sell.slices()) * 2 * 4 + 1600 * 11 * 8;
      EXPECT_NEAR(row["bytes"].get<double>(), static_cast<double>(bytes), 0.01);
      EXPECT_EQ(row["stored_elements"].get<double>(), static_cast<double>(sell.values.size()));
      continue;
    }
    if (layout.format == "csr-adaptive") {
      const auto stored = convert_to_adaptive(matrix.view(), {0, matrix.rows});
      const std::size_t bytes = stored.values.size() * 8 + stored.column_bytes.size() +
                                stored.row_ends.size() * 2 +
                                stored.blocks.size() * sizeof(RowBlock) + 1600 * 11 * 8;
      EXPECT_NEAR(row["bytes"].get<double>(), static_cast<double>(bytes), 0.01);
      EXPECT_EQ(row["stored_elements"].get<double>(), static_cast<double>(stored.values.size()));
      continue;
    }
    const int n = layout.block_size;
    const BcsrMatrix<double> stored =
        convert_to_bcsr(matrix.view(), {0, matrix.rows}, block_layout(n));
    const auto values = static_cast<double>(stored.values.size());
    constexpr double vectors = 11;  // values an unknown, nothing to exchange
    EXPECT_EQ(row["bytes"].get<double>(), values * 8 + static_cast<double>(stored.blocks()) * 4 +
                                              (static_cast<double>(stored.block_rows) +
                                               static_cast<double>(matrix.rows) * vectors) *
                                                  8)
        << "N = " << n;
    EXPECT_EQ(row["stored_elements"].get<double>(), values);
  }
}

TEST(BenchCommand, MeasuresSolversOfOnesOwn) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "grid.mtx";
  const CsrMatrix<double> matrix = laplacian(5, 40, 40);
  write_matrix_market(file, matrix.view());
  const std::string schedules = SPARSECAST_SOURCE_DIR "/schedules/";
  const auto measured = [&](const std::string& name, const std::vector<std::string>& more) {
    std::vector<std::string> words{"bench",          "cg",       file.string(), "--schedule",
                                   schedules + name, "--layout", "csr",         "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramRun result = run_program(words);
    EXPECT_EQ(result.exit_status, 0) << name << ": " << result.errors;
    const auto rows = nlohmann::json::parse(result.output)["measurements"];
    EXPECT_EQ(rows.size(), 1u);
    return rows.at(0);
  };
  const auto elements = static_cast<double>(matrix.nonzeros());
  const auto cg = measured("cg.json", {});
  EXPECT_EQ(cg["stored_elements"].get<double>(), elements);
  EXPECT_GT(cg["seconds"].get<double>(), 0);
  EXPECT_EQ(measured("bicgstab.json", {"--precision", "f32"})["stored_elements"].get<double>(),
            2 * elements);
  // A cycle of GMRES(m) multiplies m + 1 times, all of them counted.
  const auto gmres = measured("gmres.json", {"--set", "m=5"});
  EXPECT_EQ(gmres["stored_elements"].get<double>(), 6 * elements);
  EXPECT_NEAR(gmres["raw_gflops"].get<double>(), gmres["effective_gflops"].get<double>(),
              1e-9 * gmres["raw_gflops"].get<double>());

  const ProgramRun table = run_program(
      {"bench", "cg", file.string(), "--schedule", schedules + "minres.json", "--layout", "csr"});
  EXPECT_NE(table.output.find("Iteration of minres, f64"), std::string::npos) << table.output;
}

TEST(BenchCommand, SaysOfWhichMatrixAndWhyNoIterationRuns) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "indefinite.mtx";
  write_file(file, "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 2\n2 2 -2\n");
  const ProgramRun result = run_program({"bench", "cg", file.string()});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.errors,
            "sparsecast bench: indefinite: the solver ends in its first iteration: not finite\n");
}

TEST(BenchCommand, RefusesSolversThatCannotRun) {
  EXPECT_EQ(run_program({"bench", "cg", "--set", "m=5"}).exit_status, 2);
  EXPECT_EQ(run_program({"bench", "cg", "--schedule", "petsc"}).exit_status, 2);
  const ProgramRun missing = run_program({"bench", "cg", "--schedule", "no_such.json"});
  EXPECT_EQ(missing.exit_status, 1);
  EXPECT_NE(missing.errors.find("no_such.json"), std::string::npos);
  EXPECT_EQ(std::ranges::count(missing.errors, '\n'), 1) << missing.errors;
}

TEST(BenchCommand, RefusesWhatItCannotMeasure) {
  EXPECT_EQ(run_program({"bench"}).exit_status, 2);
  EXPECT_EQ(run_program({"bench"}).errors,
            "sparsecast bench: name what to measure: spmv, cg, formats, blocks or fusion\n");
  EXPECT_EQ(run_program({"bench", "gemm"}).exit_status, 2);
  EXPECT_EQ(run_program({"bench", "spmv", "--precision", "f16"}).exit_status, 2);
  EXPECT_EQ(run_program({"bench", "spmv", "--threads", "-1"}).exit_status, 2);
  EXPECT_EQ(run_program({"bench", "spmv", "--layout", "dai"}).exit_status, 2);
  EXPECT_EQ(
      run_program({"bench", "cg", "--device", "cuda:0", "--schedule", "vendor", "--layout", "dia"})
          .exit_status,
      2);
  EXPECT_EQ(run_program({"bench", "spmv", "--device", "cuda:0", "--mappings", "--layout", "csr"})
                .exit_status,
            2);

  const ProgramRun missing = run_program({"bench", "spmv", "no_such.mtx"});
  EXPECT_EQ(missing.exit_status, 1);
  EXPECT_NE(missing.errors.find("no_such.mtx"), std::string::npos);
}

/// Samples as `bench --csv` writes them: two mappings and our kernel on one matrix.
constexpr const char* mapping_samples =
    "device,matrix,unknowns,nonzeros,precision,kernel,block_size,mapping,storage,row_order,"
    "threads_per_block,blocks_at_once,block_elements,stored_elements,bytes,cache,seconds,"
    "relative_spread\n"
    "a GPU,grid_1,100,460,f32,default,1,,,natural,0,0,460,460,4480,hot,2e-06,0.01\n"
    "a GPU,grid_1,100,460,f32,paper,2,warp,plain,natural,256,1,720,720,5000,hot,4e-06,0.01\n"
    "a GPU,grid_1,100,460,f32,paper,2,multiple-block-rows,reordered,sorted,256,1,720,800,5400,hot,"
    "3e-06,0.02\n";

TEST(BenchCommand, DrawsMappingsThatWereMeasuredBefore) {
  const TemporaryFolder folder;
  const auto csv = folder.path() / "mappings.csv";
  write_file(csv, mapping_samples);

  const ProgramRun result = run_program({"bench", "spmv", "--from", csv.string(), "--json", "--csv",
                                         (folder.path() / "again.csv").string(), "--figure2",
                                         (folder.path() / "2.svg").string(), "--figure9",
                                         (folder.path() / "9.svg").string()});

  EXPECT_EQ(result.exit_status, 0) << result.errors;
  const auto rows = nlohmann::json::parse(result.output)["measurements"];
  ASSERT_EQ(rows.size(), 3);
  EXPECT_EQ(rows[1]["mapping"], "warp");
  EXPECT_NEAR(rows[2]["raw_gflops"].get<double>(), 0.48, 1e-9);
  EXPECT_EQ(read_file(folder.path() / "again.csv"), mapping_samples);
  EXPECT_NE(read_file(folder.path() / "2.svg").find("N = 2, f32"), std::string::npos);
  EXPECT_NE(read_file(folder.path() / "9.svg").find("grid_1"), std::string::npos);
}

TEST(BenchCommand, WritesNamesIntoChartsAsTheyAre) {
  const TemporaryFolder folder;
  const auto csv = folder.path() / "mappings.csv";
  std::string samples = mapping_samples;
  for (std::size_t at = 0; (at = samples.find("grid_1", at)) != std::string::npos;) {
    samples.replace(at, 6, hard_name);
    at += hard_name.size();
  }
  write_file(csv, samples);
  const DrawnScript script(
      {"bench", "spmv", "--from", csv.string(), "--figure9", (folder.path() / "9.svg").string()});
  ASSERT_EQ(script.run().exit_status, 0) << script.run().errors;
  std::string tic = hard_name_escaped;
  tic.replace(tic.find('%'), 1, "%%");
  EXPECT_TRUE(script.has("(" + tic + " 0)")) << script.text();
  EXPECT_TRUE(script.has("set label 3 \"GFlop/s\" "));
}

TEST(BenchCommand, DrawsOtherFormatsWhereTheyWereMeasured) {
  const TemporaryFolder folder;
  const auto csv = folder.path() / "mappings.csv";
  const auto figures = [&](const std::string& samples) {
    write_file(csv, samples);
    std::vector<std::string> arguments{"bench", "spmv", "--from", csv.string()};
    for (const char* figure : {"figure2", "figure9"}) {
      arguments.insert(
          arguments.end(),
          {std::string("--") + figure, (folder.path() / (std::string(figure) + ".svg")).string()});
    }
    EXPECT_EQ(run_program(arguments).exit_status, 0);
    return std::vector<std::string>{read_file(folder.path() / "figure2.svg"),
                                    read_file(folder.path() / "figure9.svg")};
  };
  for (const std::string& before : figures(mapping_samples)) {
    EXPECT_EQ(before.find("sparsecast sell"), std::string::npos);
    EXPECT_NE(before.find("sparsecast CSR"), std::string::npos);
  }
  const std::string sell =
      "a GPU,grid_1,100,460,f32,sell32-sorted512,1,,,sorted,0,0,460,480,4000,hot,1e-06,0.01\n";
  for (const std::string& with_sell : figures(mapping_samples + sell)) {
    EXPECT_NE(with_sell.find("sparsecast sell"), std::string::npos);
    EXPECT_EQ(with_sell.find("sparsecast dia"), std::string::npos);
  }
}

TEST(BenchCommand, RefusesSamplesThatAreNone) {
  const TemporaryFolder folder;
  const auto csv = folder.path() / "mappings.csv";
  const auto refusal = [&](const std::string& content) {
    write_file(csv, content);
    const ProgramRun result = run_program({"bench", "spmv", "--from", csv.string()});
    EXPECT_EQ(result.exit_status, 1);
    return result.errors;
  };
  const std::string good = mapping_samples;
  EXPECT_NE(refusal("matrix,seconds\n").find("mappings.csv, line 1: no header"), std::string::npos);
  EXPECT_NE(refusal(good + "a,b\n").find("line 5: 2 columns; expected 18"), std::string::npos);
  EXPECT_NE(refusal(good.substr(0, good.size() - 5) + "x\n").find("line 4: 'x' is no number"),
            std::string::npos);
}

TEST(BenchCommand, RefusesOptionsThatWouldDoNothing) {
  const auto refusal = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "bench");
    const ProgramRun result = run_program(arguments);
    EXPECT_EQ(result.exit_status, 2) << result.errors;
    EXPECT_EQ(result.output, "");
    return result.errors;
  };
  EXPECT_EQ(refusal({"spmv", "--schedule", "fused"}),
            "sparsecast bench: --schedule: does nothing with spmv; leave it out\n");
  EXPECT_NE(refusal({"spmv", "--launch", "graph"}).find("with spmv"), std::string::npos);
  EXPECT_NE(refusal({"cg", "--launch", "graph"}).find("on the CPU"), std::string::npos);
  EXPECT_NE(refusal({"cg", "--device", "cuda:0", "--threads", "1"}).find("on a GPU"),
            std::string::npos);
  EXPECT_NE(refusal({"cg", "--from", "mappings.csv"}).find("with cg"), std::string::npos);
  for (const std::vector<std::string>& option : {std::vector<std::string>{"--precision", "f32"},
                                                 {"--device", "cuda:0"},
                                                 {"--threads", "1"},
                                                 {"--mappings"},
                                                 {"grid.mtx"}}) {
    std::vector<std::string> arguments{"spmv", "--from", "mappings.csv"};
    arguments.insert(arguments.end(), option.begin(), option.end());
    EXPECT_NE(refusal(arguments).find("with --from"), std::string::npos) << option[0];
  }
}

TEST(BenchCommand, RefusesWhatCannotRunAsWrongUse) {
  EXPECT_EQ(run_program({"bench", "cg", "--schedule", "vendor"}).exit_status, 2);
  EXPECT_EQ(run_program({"bench", "spmv", "--device", "gpu"}).exit_status, 2);
  EXPECT_EQ(run_program({"bench", "spmv", "--device", "cuda:0,cuda:1"}).exit_status, 2);
  EXPECT_EQ(run_program({"bench", "cg", "--device", "cuda:0", "--schedule", "algorithm1",
                         "--launch", "persistent"})
                .exit_status,
            2);
}

TEST(BenchCommand, TakesNoMoreThreadsThanThereAre) {
  const std::string all = std::to_string(available_threads());
  const std::string too_many = std::to_string(available_threads() + 1);
  const ProgramRun result = run_program({"bench", "spmv", "--threads", too_many});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.errors, "sparsecast bench: --threads " + too_many + ": this machine has " + all +
                               "; expected 0 (all) or at most " + all + "\n");
}

TEST(BenchCommand, RefusesSamplesThatAreNamedTwice) {
  const TemporaryFolder folder;
  const auto csv = folder.path() / "mappings.csv";
  write_file(csv, mapping_samples);
  create_symlink(csv, folder.path() / "link.csv");
  const ProgramRun result = run_program(
      {"bench", "spmv", "--from", csv.string(), "--from", (folder.path() / "link.csv").string()});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_NE(result.errors.find("which is named already"), std::string::npos) << result.errors;
}

TEST(BenchCommand, DoesNotOverwriteTheSamplesThatItReads) {
  const TemporaryFolder folder;
  const auto csv = folder.path() / "mappings.csv";
  write_file(csv, mapping_samples);
  const ProgramRun result =
      run_program({"bench", "spmv", "--from", csv.string(), "--csv", csv.string()});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_NE(result.errors.find("is --from too"), std::string::npos) << result.errors;
}

TEST(BenchCommand, PrintsSamplesToStandardOutputAndTheTableToStandardError) {
  const TemporaryFolder folder;
  const auto csv = folder.path() / "mappings.csv";
  write_file(csv, mapping_samples);
  const ProgramRun result = run_program({"bench", "spmv", "--from", csv.string(), "--csv", "-"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(result.output, mapping_samples);
  EXPECT_NE(result.errors.find("multiple-block-rows"), std::string::npos) << result.errors;
}

TEST(BenchCommand, RefusesSamplesThatCannotBeInOneShortLine) {
  const TemporaryFolder folder;
  const auto csv = folder.path() / "mappings.csv";
  const auto refusal = [&](const std::string& what, const std::string& by) {
    std::string content = mapping_samples;
    content.replace(content.find(what), what.size(), by);
    write_file(csv, content);
    const ProgramRun result = run_program({"bench", "spmv", "--from", csv.string()});
    EXPECT_EQ(result.exit_status, 1) << by.substr(0, 40);
    EXPECT_EQ(result.errors.find('\n'), result.errors.size() - 1) << result.errors.substr(0, 500);
    EXPECT_LT(result.errors.size(), 300u);
    return result.errors;
  };
  EXPECT_NE(refusal("2e-06", "-2e-06").find("line 2: '-2e-06' cannot be"), std::string::npos);
  for (const char* seconds : {"0", "nan", "inf"}) refusal("2e-06", seconds);
  for (const char* bytes : {"-1", "nan", "inf"}) refusal("4480", bytes);
  refusal("grid_1,100", "grid_1,0");
  refusal("grid_1,100", "grid_1,-5");
  refusal("default,1,", "default,0,");
  refusal("f32", std::string(100'000, 'f'));
  refusal("2e-06", std::string(100'000, '9'));
  refusal("2e-06", std::string(1'000'000, ','));
}

TEST(BenchCommand, PrintsWhatWasMeasuredWhenInterrupted) {
  const auto interrupt_when_it_measures = [](pid_t program) {
    wait_until_it_handles_interrupts(program);
    kill(program, SIGINT);
  };
  const ProgramRun result =
      run(tested_program(), {"bench", "spmv", "--json"}, {}, interrupt_when_it_measures);
  EXPECT_EQ(result.exit_status, 130);
  const std::size_t measured = nlohmann::json::parse(result.output)["measurements"].size();
  EXPECT_LT(measured, 18u);
  EXPECT_EQ(result.errors, "sparsecast bench: interrupted; what was measured before is kept: " +
                               std::to_string(measured) + (measured == 1 ? " case\n" : " cases\n"));
}

TEST(BenchCommand, MeasuresMappingsOnGpusOnly) {
  EXPECT_EQ(run_program({"bench", "spmv", "--mappings"}).exit_status, 2);
  EXPECT_EQ(run_program({"bench", "spmv", "--mappings", "--device", "cuda:x"}).exit_status, 2);
  EXPECT_EQ(run_program({"bench", "cg", "--mappings", "--device", "cuda:0"}).exit_status, 2);
}

}  // namespace
}  // namespace sparsecast::testing
