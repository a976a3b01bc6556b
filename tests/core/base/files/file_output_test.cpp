#include "core/base/files/file_output.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "cli/temporary_folder.hpp"
#include "core/base/error.hpp"

namespace sparsecast::testing {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  std::size_t files_in_folder() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator{}));
  }
  static struct stat status(const std::string& path) {
    struct stat result {};
    EXPECT_EQ(lstat(path.c_str(), &result), 0) << path;
    return result;
  }
  static std::string error_of(const auto& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  TemporaryFolder folder_;
};

TEST_F(OutputFileTest, ReplacesARegularFileWholeAndOnlyWhenItIsCommitted) {
  write_file(path("a"), "old content");
  {
    OutputFile file(path("a"));
    file.write("new");
    EXPECT_EQ(read_file(path("a")), "old content");
  }
  EXPECT_EQ(read_file(path("a")), "old content");
  write_file(path("a"), "new");
  EXPECT_EQ(read_file(path("a")), "new");
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(OutputFileTest, WritesToAPipeAsItStands) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  std::string received;
  std::thread reader([&] {
    const int file = open(path("pipe").c_str(), O_RDONLY);
    char letter = 0;
    while (read(file, &letter, 1) == 1) received += letter;
    close(file);
  });
  write_file(path("pipe"), "through the pipe");
  reader.join();

  EXPECT_EQ(received, "through the pipe");
  EXPECT_TRUE(S_ISFIFO(status(path("pipe")).st_mode));
}

TEST_F(OutputFileTest, LeavesALinkToADeviceALinkToADevice) {
  fs::create_symlink("/dev/null", path("nowhere"));
  write_file(path("nowhere"), "lost");

  EXPECT_TRUE(fs::is_symlink(path("nowhere")));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(OutputFileTest, FollowsLinksToFilesThatAreThereAndThatAreNot) {
  write_file(path("target"), "old");
  fs::create_symlink("target", path("link"));
  fs::create_symlink("link", path("link to link"));
  fs::create_symlink("not yet", path("dangling"));
  write_file(path("link to link"), "new");
  write_file(path("dangling"), "there");

  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_TRUE(fs::is_symlink(path("link to link")));
  EXPECT_TRUE(fs::is_symlink(path("dangling")));
  EXPECT_EQ(read_file(path("target")), "new");
  EXPECT_EQ(read_file(path("not yet")), "there");
}

TEST_F(OutputFileTest, RefusesACircleOfLinks) {
  fs::create_symlink("b", path("a"));
  fs::create_symlink("a", path("b"));

  EXPECT_NE(error_of([&] { write_file(path("a"), "x"); }).find("cannot write"), std::string::npos);
}

TEST_F(OutputFileTest, KeepsTheModeOfAFile) {
  write_file(path("a"), "old");
  ASSERT_EQ(chmod(path("a").c_str(), 0640), 0);
  write_file(path("a"), "new");

  EXPECT_EQ(status(path("a")).st_mode & 07777, 0640u);
}

TEST_F(OutputFileTest, KeepsTheOwnerOfAFile) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  constexpr uid_t somebody = 12345;
  write_file(path("a"), "old");
  ASSERT_EQ(chown(path("a").c_str(), somebody, somebody), 0);
  write_file(path("a"), "new");

  EXPECT_EQ(status(path("a")).st_uid, somebody);
  EXPECT_EQ(status(path("a")).st_gid, somebody);
  EXPECT_EQ(read_file(path("a")), "new");
}

TEST_F(OutputFileTest, WritesToEveryNameOfAFile) {
  write_file(path("a"), "a long old content");
  fs::create_hard_link(path("a"), path("b"));
  write_file(path("a"), "new");

  EXPECT_EQ(read_file(path("b")), "new");
  EXPECT_EQ(status(path("a")).st_nlink, 2u);
}

/// While one of these lives, this process has the rights of somebody who is not root.
class WithoutRoot {
 public:
  WithoutRoot() : before_(geteuid()) { EXPECT_EQ(before_ == 0 ? seteuid(nobody) : 0, 0); }
  ~WithoutRoot() { EXPECT_EQ(before_ == 0 ? seteuid(before_) : 0, 0); }

 private:
  static constexpr uid_t nobody = 65534;
  uid_t before_;
};

TEST_F(OutputFileTest, RefusesAFileThatMayNotBeWritten) {
  write_file(path("a"), "protected");
  ASSERT_EQ(chmod(path("a").c_str(), 0444), 0);
  ASSERT_EQ(chmod(folder_.path().c_str(), 0777), 0);
  {
    const WithoutRoot guard;
    EXPECT_NE(error_of([&] { write_file(path("a"), "new"); }).find("Permission denied"),
              std::string::npos);
    EXPECT_NE(error_of([&] { check_can_write(path("a")); }).find("Permission denied"),
              std::string::npos);
  }
  EXPECT_EQ(read_file(path("a")), "protected");
}

TEST_F(OutputFileTest, WritesIntoAFileThatItCannotGiveBackToItsOwner) {
  if (geteuid() != 0) GTEST_SKIP() << "only root has files of two owners";
  write_file(path("a"), "a long old content");
  ASSERT_EQ(chmod(path("a").c_str(), 0666), 0);
  ASSERT_EQ(chmod(folder_.path().c_str(), 0777), 0);
  {
    const WithoutRoot guard;
    write_file(path("a"), "new");
  }
  EXPECT_EQ(status(path("a")).st_uid, 0u);
  EXPECT_EQ(read_file(path("a")), "new");
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(OutputFileTest, WritesIntoAFileOfAFolderThatTakesNoOthers) {
  write_file(path("a"), "a long old content");
  ASSERT_EQ(chmod(path("a").c_str(), 0666), 0);
  ASSERT_EQ(chmod(folder_.path().c_str(), 0555), 0);
  {
    const WithoutRoot guard;
    write_file(path("a"), "new");
  }
  ASSERT_EQ(chmod(folder_.path().c_str(), 0755), 0);
  EXPECT_EQ(read_file(path("a")), "new");
}

TEST_F(OutputFileTest, TakesNamesAsLongAsTheSystemDoes) {
  const std::string longest(255, 'n');
  write_file(path(longest), "content");

  EXPECT_EQ(read_file(path(longest)), "content");
}

TEST_F(OutputFileTest, PutsFilesThatBelongTogetherInTheirPlacesTogether) {
  write_file(path("a"), "old a");
  {
    OutputFile a(path("a"));
    OutputFile b(path("b"));
    a.write("new a");
    b.write("new b");
    OutputFile* const both[] = {&a, &b};
    OutputFile::commit_together(both);
  }
  EXPECT_EQ(read_file(path("a")), "new a");
  EXPECT_EQ(read_file(path("b")), "new b");
  EXPECT_EQ(files_in_folder(), 2u);
}

TEST_F(OutputFileTest, IsCheckedWithoutATrace) {
  write_file(path("a"), "old");
  check_can_write(path("a"));
  check_can_write(path("new"));

  EXPECT_EQ(read_file(path("a")), "old");
  EXPECT_EQ(files_in_folder(), 1u);
  EXPECT_NE(error_of([&] { check_can_write(path("missing/file")); }).find("No such file"),
            std::string::npos);
  EXPECT_NE(error_of([&] { check_can_write(folder_.path()); }).find("is a folder"),
            std::string::npos);
}

TEST_F(OutputFileTest, SaysThatAPipeHasLostItsReader) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  const int reader = open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  OutputFile file(path("pipe"));
  close(reader);

  EXPECT_NE(error_of([&] { file.write("x"); }).find("Broken pipe"), std::string::npos);
}

TEST_F(OutputFileTest, ReadFileRefusesDevicesAndMoreThanItsLimit) {
  write_file(path("a"), std::string(3 << 20, 'x'));

  EXPECT_NE(error_of([&] { read_file("/dev/zero"); }).find("is a device"), std::string::npos);
  EXPECT_NE(error_of([&] { read_file(path("a"), 2 << 20); }).find("more than 2 MiB"),
            std::string::npos);
  EXPECT_NE(error_of([&] { read_file(folder_.path()); }).find("is a folder"), std::string::npos);
}

}  // namespace
}  // namespace sparsecast::testing
