#include "core/base/files/text_file.hpp"

#include <gtest/gtest.h>

#include <string>

#include "cli/temporary_folder.hpp"
#include "core/base/archives/gzip.hpp"
#include "core/base/error.hpp"

namespace sparsecast::testing {
namespace {

/// Lines that compress, but not to nothing.
std::string many_lines() {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += std::to_string(i * 7919 % 100'003) + ",csr\n";
  return text;
}

class TextFile : public ::testing::Test {
 protected:
  /// What `read_text` says of such a file.
  std::string error_of(const std::string& content, std::size_t largest = largest_read_file) const {
    write_file(path_, content);
    try {
      read_text(path_, largest);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  const TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_ / "a.csv";
};

TEST_F(TextFile, IsReadAsItIsIfPlain) {
  for (const std::string& text : {std::string(), std::string("a,b\n1,2"), many_lines()}) {
    write_file(path_, text);
    EXPECT_EQ(read_text(path_), text);
  }
}

TEST_F(TextFile, IsDecompressedByContentNotByName) {
  const std::string text = many_lines();
  write_file(path_, gzip_member(text));
  EXPECT_EQ(read_text(path_), text);
  write_file(folder_ / "plain.csv.gz", text);
  EXPECT_EQ(read_text(folder_ / "plain.csv.gz"), text);
}

TEST_F(TextFile, MayHaveSeveralMembers) {
  write_file(path_, gzip_member("a\n") + gzip_member("") + gzip_member("b\n"));
  EXPECT_EQ(read_text(path_), "a\nb\n");
}

TEST_F(TextFile, IsCompressedIfItsNameSaysSo) {
  const std::string text = many_lines();
  EXPECT_EQ(text_for("a.csv", text), text);
  const std::string stored = text_for("a.csv.gz", text);
  EXPECT_LT(stored.size(), text.size() / 2);
  EXPECT_EQ(error_of(stored), "no error");
  EXPECT_EQ(read_text(path_), text);
}

TEST_F(TextFile, SaysWhereTruncatedDataEnds) {
  const std::string whole = gzip_member(many_lines());
  for (const std::size_t size : {std::size_t{2}, std::size_t{15}, whole.size() / 2}) {
    const std::string error = error_of(whole.substr(0, size));
    EXPECT_TRUE(error.starts_with(path_.string() + ':')) << error;
    EXPECT_TRUE(error.ends_with(": the gzip data is truncated; expected its end with a checksum"))
        << error;
  }
  EXPECT_EQ(
      error_of(whole.substr(0, whole.size() - 1)),
      path_.string() + ":20001: the gzip data is truncated; expected its end with a checksum");
}

TEST_F(TextFile, SaysWhereDataIsDamaged) {
  const std::string whole = gzip_member(many_lines());
  std::string wrong_sum = whole;
  wrong_sum[whole.size() - 6] ^= 1;
  EXPECT_EQ(error_of(wrong_sum),
            path_.string() +
                ":20001: the gzip data is damaged (incorrect checksum); expected an intact file");
  for (std::size_t at = 0; at < whole.size(); at += whole.size() / 23) {
    std::string damaged = whole;
    damaged[at] ^= 0x40;
    if (!is_gzip(damaged)) continue;
    const std::string error = error_of(damaged);
    // Of a header, date and operating system are free.
    if (at >= 4 && at < 10) continue;
    EXPECT_NE(error.find("the gzip data is "), std::string::npos) << error << " at " << at;
  }
}

TEST_F(TextFile, HasNothingAfterItsEnd) {
  EXPECT_EQ(error_of(gzip_member("a\nb\n") + "more"),
            path_.string() +
                ":3: 4 bytes that are no gzip data follow the compressed text; expected its end");
}

TEST_F(TextFile, IsNotCompressedTwice) {
  EXPECT_EQ(error_of(gzip_member(gzip_member("a\n"))),
            path_.string() + ":1: the file is compressed twice; expected text");
}

TEST_F(TextFile, HasALargestSizeWhenDecompressed) {
  const std::string large(std::size_t{5} << 20, ' ');
  EXPECT_EQ(error_of(gzip_member(large), large.size()), "no error");
  EXPECT_EQ(error_of(gzip_member(large), std::size_t{2} << 20),
            path_.string() + ":1: more than 2 MiB; expected a smaller file");
}

}  // namespace
}  // namespace sparsecast::testing
