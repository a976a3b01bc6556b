#include "core/base/archives/tar.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/archives/source_stream.hpp"
#include "core/refusal.hpp"

namespace sparsecast {
namespace {

/// A header with its checksum; `size`: the field as it stands there.
std::string header(const std::string& name, const std::string& size, char type = '0') {
  std::string block(512, '\0');
  block.replace(0, name.size(), name);
  block.replace(124, size.size(), size);
  block[156] = type;
  block.replace(257, 5, "ustar");
  block.replace(263, 2, "00");
  block.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  char digits[8];
  std::snprintf(digits, sizeof(digits), "%06o", sum);
  return block.replace(148, 7, digits, 7);
}

std::string padded(std::string content) {
  content.resize((content.size() + 511) / 512 * 512);
  return content;
}

const std::string end(1024, '\0');

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
  const std::string archive = header("d/", "0", '5') + header("a", "3") + padded("abc") +
                              header("link", "0", '2') + header("b", "0") + end;
  EXPECT_EQ(members_of(archive), (std::vector<std::string>{"a=abc", "b="}));
}

TEST(Tar, SkipsWhatNobodyReads) {
  const std::string archive =
      header("a", "1750") + padded(std::string(1000, 'a')) + header("b", "1") + padded("b") + end;
  const MemoryBytes bytes(archive);
  SourceStream stream(bytes);
  TarReader reader(stream);
  EXPECT_EQ(reader.next()->name, "a");
  EXPECT_EQ(reader.next()->name, "b");
  EXPECT_EQ(read_all(reader, 1, "b"), "b");
}

TEST(Tar, TakesSizesAndNamesOfExtendedHeaders) {
  const std::string records = "15 path=long/a\n9 size=2\n";
  EXPECT_EQ(members_of(header("x", "30", 'x') + padded(records) + header("short", "0") +
                       padded("ab") + end),
            (std::vector<std::string>{"long/a=ab"}));
}

TEST(Tar, RefusesDamagedHeaders) {
  std::string archive = header("a", "3") + padded("abc") + end;
  archive[0] = 'b';
  EXPECT_EQ(refusal_of([&] { members_of(archive); }),
            "a header of the tar archive is damaged (checksum); expected an intact archive");
  EXPECT_EQ(refusal_of([] { members_of(header("a", "3x") + padded("abc") + end); }),
            "the size in a header of the tar archive is no number; expected an intact archive");
  EXPECT_EQ(refusal_of([] { members_of(header("x", "777777777", 'x') + end); }),
            "an extended header of the tar archive takes 134217727 bytes; expected at most 65536");
  EXPECT_TRUE(refusal_of([] {
                members_of(header("x", "10", 'x') + padded("99 path=") + end);
              }).starts_with("an extended header of the tar archive is damaged"));
}

TEST(Tar, SaysThatItIsTruncated) {
  const std::string archive = header("a", "3") + padded("abc");
  EXPECT_EQ(refusal_of([&] { members_of(archive); }),
            "the tar archive ends without its end mark; expected all of it");
  EXPECT_EQ(refusal_of([&] { members_of(archive.substr(0, 513)); }),
            "the tar archive is truncated; expected its end");
  EXPECT_EQ(refusal_of([&] { members_of(archive.substr(0, 600)); }),
            "the tar archive is truncated; expected its end");
}

}  // namespace
}  // namespace sparsecast
