#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/base/files/file_output.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace sparsecast {
namespace {

TEST(MatrixMarketCorpus, KeepsItsPromisesForEveryFile) {
  const std::filesystem::path folder =
      std::filesystem::path(SPARSECAST_SOURCE_DIR) / "tests/fuzz/corpus";
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path());
    const std::string content = read_file(entry.path());
    EXPECT_EQ(LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(content.data()),
                                     content.size()),
              0);
    ++files;
  }
  EXPECT_GT(files, 30);
}

}  // namespace
}  // namespace sparsecast
