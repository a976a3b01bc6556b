#include "core/base/files/user_cache.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/own_user_cache.hpp"

namespace sparsecast {
namespace {

class UserCacheTest : public ::testing::Test {
 protected:
  std::filesystem::path only_file() const {
    return std::filesystem::directory_iterator(cache_.kernels())->path();
  }

  testing::OwnUserCache cache_;
};

TEST_F(UserCacheTest, FindsWhatItKept) {
  const UserCache cache("kernels");
  EXPECT_EQ(cache.find("one"), std::nullopt);
  const std::string content("a\0b\nc", 5);
  cache.keep("one", content);
  cache.keep("two", "");
  EXPECT_EQ(UserCache("kernels").find("one"), content);
  EXPECT_EQ(cache.find("two"), "");
  EXPECT_EQ(cache.find("three"), std::nullopt);
  cache.keep("one", "other");
  EXPECT_EQ(cache.find("one"), "other");
}

TEST_F(UserCacheTest, IsPrivate) {
  const UserCache cache("kernels");
  cache.keep("one", "content");
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(cache_.kernels()).permissions() & perms::all, perms::owner_all);
  std::filesystem::permissions(cache_.kernels(), perms::owner_all | perms::group_write);
  EXPECT_EQ(cache.find("one"), std::nullopt);
}

TEST_F(UserCacheTest, TakesNothingThatIsDamagedOrAnothersContent) {
  const UserCache cache("kernels");
  cache.keep("one", "content");
  const std::filesystem::path file = only_file();
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  EXPECT_EQ(cache.find("one"), std::nullopt);
  cache.keep("one", "content");
  std::fstream(file, std::ios::in | std::ios::out | std::ios::ate).seekp(-1, std::ios::end) << "X";
  EXPECT_EQ(cache.find("one"), std::nullopt);
  std::ofstream(file) << "x";
  EXPECT_EQ(cache.find("one"), std::nullopt);
}

TEST_F(UserCacheTest, KeepsNothingWhereThereIsNoFolder) {
  setenv("XDG_CACHE_HOME", "/proc/nothing", 1);
  UserCache("kernels").keep("one", "content");
  EXPECT_EQ(UserCache("kernels").find("one"), std::nullopt);
  // A relative one does not count; the home does.
  setenv("XDG_CACHE_HOME", "relative", 1);
  const char* home = std::getenv("HOME");
  const std::string before = home == nullptr ? "" : home;
  setenv("HOME", cache_.path().c_str(), 1);
  UserCache("kernels").keep("one", "content");
  EXPECT_TRUE(std::filesystem::exists(cache_.path() / ".cache" / "sparsecast" / "kernels"));
  setenv("HOME", before.c_str(), 1);
}

}  // namespace
}  // namespace sparsecast
