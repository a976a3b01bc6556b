#include "core/base/archives/tar.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/base/archives/packed.hpp"
#include "core/base/archives/source_stream.hpp"
#include "core/refusal.hpp"

namespace sparsecast {
namespace {

/// The members with what is in them.
std::vector<std::string> members_of(const std::string& archive) {
  const MemoryBytes bytes(archive);
  SourceStream stream(bytes);
  TarReader reader(stream);
  std::vector<std::string> members;
  while (const auto member = reader.next()) {
    members.push_back(member->name + "=" + read_all(reader, member->size, "a member"));
  }
  return members;
}

TEST(Tar, ReadsMembersAndPassesOverFoldersAndLinks) {
  const std::string archive = tar_header("d/", "0", '5') + tar_header("a", "3") +
                              tar_padded("abc") + tar_header("link", "0", '2') +
                              tar_header("b", "0") + tar_end;
  EXPECT_EQ(members_of(archive), (std::vector<std::string>{"a=abc", "b="}));
}

TEST(Tar, SkipsWhatNobodyReads) {
  const std::string archive = tar_header("a", "1750") + tar_padded(std::string(1000, 'a')) +
                              tar_header("b", "1") + tar_padded("b") + tar_end;
  const MemoryBytes bytes(archive);
  SourceStream stream(bytes);
  TarReader reader(stream);
  EXPECT_EQ(reader.next()->name, "a");
  EXPECT_EQ(reader.next()->name, "b");
  EXPECT_EQ(read_all(reader, 1, "b"), "b");
}

TEST(Tar, TakesSizesAndNamesOfExtendedHeaders) {
  const std::string records = "15 path=long/a\n9 size=2\n";
  EXPECT_EQ(members_of(tar_header("x", "30", 'x') + tar_padded(records) + tar_header("short", "0") +
                       tar_padded("ab") + tar_end),
            (std::vector<std::string>{"long/a=ab"}));
}

TEST(Tar, RefusesDamagedHeaders) {
  std::string archive = tar_header("a", "3") + tar_padded("abc") + tar_end;
  archive[0] = 'b';
  EXPECT_EQ(refusal_of([&] { members_of(archive); }),
            "a header of the tar archive is damaged (checksum); expected an intact archive");
  EXPECT_EQ(refusal_of([] { members_of(tar_header("a", "3x") + tar_padded("abc") + tar_end); }),
            "the size in a header of the tar archive is no number; expected an intact archive");
  EXPECT_EQ(refusal_of([] { members_of(tar_header("x", "777777777", 'x') + tar_end); }),
            "an extended header of the tar archive takes 134217727 bytes; expected at most 65536");
  EXPECT_TRUE(refusal_of([] {
                members_of(tar_header("x", "10", 'x') + tar_padded("99 path=") + tar_end);
              }).starts_with("an extended header of the tar archive is damaged"));
}

TEST(Tar, SaysThatItIsTruncated) {
  const std::string archive = tar_header("a", "3") + tar_padded("abc");
  EXPECT_EQ(refusal_of([&] { members_of(archive); }),
            "the tar archive ends without its end mark; expected all of it");
  EXPECT_EQ(refusal_of([&] { members_of(archive.substr(0, 513)); }),
            "the tar archive is truncated; expected its end");
  EXPECT_EQ(refusal_of([&] { members_of(archive.substr(0, 600)); }),
            "the tar archive is truncated; expected its end");
}

}  // namespace
}  // namespace sparsecast
