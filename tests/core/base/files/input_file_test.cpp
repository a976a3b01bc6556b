#include "core/base/files/input_file.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "cli/temporary_folder.hpp"
#include "core/base/error.hpp"
#include "core/base/files/file_output.hpp"
#include "core/matrix/files/market/matrix_market.hpp"
#include "core/matrix/generate/generators.hpp"

namespace sparsecast::testing {
namespace {

namespace fs = std::filesystem;

TEST(InputFile, SaysThatAFileBecameShorter) {
  const TemporaryFolder folder;
  write_file(folder / "a", std::string(100, 'a'));
  const InputFile file(folder / "a", "a test");
  fs::resize_file(folder / "a", 50);

  std::array<char, 100> bytes{};
  EXPECT_THROW(file.read(0, bytes), Error);
  EXPECT_THROW(file.check_unchanged(), Error);
}

TEST(InputFile, SaysThatAFileWasWrittenTo) {
  const TemporaryFolder folder;
  write_file(folder / "a", std::string(100, 'a'));
  const auto before = fs::last_write_time(folder / "a");
  const InputFile file(folder / "a", "a test");
  EXPECT_NO_THROW(file.check_unchanged());
  fs::last_write_time(folder / "a", before + std::chrono::seconds(1));

  EXPECT_THROW(file.check_unchanged(), Error);
}

TEST(ThreadedInputFile, AMatrixThatIsOverwrittenWhileItIsReadIsAnErrorOrRight) {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.mtx";
  const CsrMatrix<double> matrix = laplacian(5, 300, 300);
  write_matrix_market(path, matrix.view());
  const std::string text = read_file(path);
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    while (!stop) {
      std::ofstream(path, std::ios::trunc) << text.substr(0, text.size() / 3);
      std::ofstream(path, std::ios::trunc) << text;
    }
  });
  for (int k = 0; k < 60; ++k) {
    try {
      EXPECT_EQ(read_matrix_market(path, {.threads = 2}).matrix.values, matrix.values);
    } catch (const Error& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(path.string())) << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
  stop = true;
  writer.join();
}

}  // namespace
}  // namespace sparsecast::testing
