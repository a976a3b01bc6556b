#include "core/base/files/shared_output.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <string>

#include "cli/temporary_folder.hpp"
#include "core/base/files/file_output.hpp"

namespace sparsecast::testing {
namespace {

namespace fs = std::filesystem;

TEST(SharedOutput, WritesToTheNewFileOfAnOutputFile) {
  const TemporaryFolder folder;
  write_file(folder / "a", "old");
  {
    std::optional<OutputFile> file(folder / "a");
    const SharedOutput first(file->share());
    ASSERT_TRUE(first.found());
    file->clear();
    first.write(6, "world", "a");
    first.write(0, "hello ", "a");
    EXPECT_EQ(read_file(folder / "a"), "old");
    file->commit();
  }
  EXPECT_EQ(read_file(folder / "a"), "hello world");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

TEST(SharedOutput, WritesBehind4GiB) {
  const TemporaryFolder folder;
  OutputFile file(folder / "a");
  const SharedOutput shared(file.share());
  ASSERT_TRUE(shared.found());
  const std::int64_t begin = (std::int64_t{5} << 30) + 1;
  shared.write(begin, "end", "a");
  file.commit();
  EXPECT_EQ(fs::file_size(folder / "a"), static_cast<std::uintmax_t>(begin) + 3);
}

TEST(SharedOutput, FindsNoOtherFile) {
  const TemporaryFolder folder;
  write_file(folder / "other", "another token");
  write_file(folder / "short", "tok");
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const char* name : {"other", "short", "pipe", "none", "."}) {
    EXPECT_FALSE(SharedOutput({folder / name, "token"}).found()) << name;
  }
  EXPECT_FALSE(SharedOutput({"/dev/zero", std::string(5, '\0')}).found());
}

TEST(SharedOutput, IsNoneOfWhatIsNotReplaced) {
  const TemporaryFolder folder;
  write_file(folder / "a", "content");
  fs::create_hard_link(folder / "a", folder / "b");
  for (const fs::path& path : {folder / "a", fs::path("/dev/null")}) {
    OutputFile file(path);
    const SharedName name = file.share();
    EXPECT_EQ(name.path, "") << path;
    EXPECT_FALSE(SharedOutput(name).found());
  }
  EXPECT_EQ(read_file(folder / "b"), "content");
}

}  // namespace
}  // namespace sparsecast::testing
