#include "core/matrix/files/matrix_file_part.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "cli/temporary_folder.hpp"
#include "core/base/archives/gzip.hpp"
#include "core/base/archives/packed.hpp"
#include "core/base/files/file_output.hpp"
#include "core/matrix/files/golden_files.hpp"
#include "core/refusal.hpp"

namespace sparsecast {
namespace {

namespace fs = std::filesystem;

/// Entries in the order of a file.
struct FileEntries {
  std::vector<std::int32_t> rows;
  std::vector<std::int32_t> columns;
  std::vector<double> values;

  bool operator==(const FileEntries&) const = default;
};

/// What all parts hold, one after the other, and how many entries each has.
struct AllParts {
  FileEntries entries;
  std::vector<std::int64_t> counts;
};

AllParts read_parts(const fs::path& path, int parts, int threads = 1) {
  std::vector<std::unique_ptr<MatrixFilePart>> opened;
  std::vector<PartCount> counts;
  PartCount all;
  for (int part = 0; part < parts; ++part) {
    opened.push_back(open_matrix_part(path, part, parts, threads));
    counts.push_back(opened.back()->count());
    all.entries += counts.back().entries;
    all.lines += counts.back().lines;
  }
  AllParts result;
  PartCount before;
  for (std::size_t part = 0; part < opened.size(); ++part) {
    for (const EntryChunk& chunk : opened[part]->take(before, all)) {
      result.entries.rows.insert(result.entries.rows.end(), chunk.rows.begin(), chunk.rows.end());
      result.entries.columns.insert(result.entries.columns.end(), chunk.columns.begin(),
                                    chunk.columns.end());
      result.entries.values.insert(result.entries.values.end(), chunk.values.begin(),
                                   chunk.values.end());
    }
    before.entries += counts[part].entries;
    before.lines += counts[part].lines;
    result.counts.push_back(counts[part].entries);
  }
  return result;
}

/// A matrix in text; now and then a comment or blank lines if wanted.
std::string market_text(std::int64_t entries, bool with_comments) {
  std::mt19937 random(17);
  std::printf("seed 17\n");
  constexpr int size = 900;
  std::string text = "%%MatrixMarket matrix coordinate real general\n% a comment\n" +
                     std::to_string(size) + ' ' + std::to_string(size) + ' ' +
                     std::to_string(entries) + '\n';
  const auto index = [&] { return std::to_string(1 + random() % size) + ' '; };
  std::uniform_real_distribution<> value(-2, 2);
  for (std::int64_t k = 0; k < entries; ++k) {
    if (with_comments && random() % 50 == 0) text += random() % 2 == 0 ? "% one more\n" : "\n\n";
    text += index() + index() + std::to_string(value(random)) + '\n';
  }
  return text;
}

/// The text in every kind of packing that is read.
std::vector<std::string> packed(const std::string& text) {
  const std::size_t some = text.size() / 3;
  const std::string own = tar_of({{"m/readme.txt", "text"}, {"m/m.mtx", text}, {"m/m_b.mtx", "b"}});
  return {gzip_member(text),
          gzip_member(text.substr(0, some)) + gzip_member(text.substr(some)),
          zstd_frame(text),
          zstd_frame(text.substr(0, some)) + zstd_frame(text.substr(some)),
          own,
          gzip_member(own),
          zstd_frame(own),
          gzip_member(tar_of({{"a/readme.txt", "text"}, {"b/only.mtx", text}}))};
}

TEST(ThreadedMatrixFilePart, OfPackedTextIsWithTheOthersTheWholeFile) {
  const sparsecast::testing::TemporaryFolder folder;
  for (const bool with_comments : {false, true}) {
    const std::string text = market_text(60'000, with_comments);
    write_file(folder / "plain", text);
    const FileEntries whole = read_parts(folder / "plain", 1).entries;
    ASSERT_EQ(whole.rows.size(), 60'000u);
    for (const std::string& bytes : packed(text)) {
      write_file(folder / "packed", bytes);
      for (const int parts : {1, 2, 3, 5, 7}) {
        SCOPED_TRACE(std::to_string(parts) + " parts of " + std::to_string(bytes.size()));
        EXPECT_EQ(read_parts(folder / "packed", parts, 1 + parts % 3).entries, whole);
      }
    }
  }
}

TEST(MatrixFilePart, OfPackedTextMayHaveNoEntry) {
  const sparsecast::testing::TemporaryFolder folder;
  std::string text = market_text(3, true);
  text.pop_back();  // the last line has no end
  write_file(folder / "plain", text);
  const FileEntries whole = read_parts(folder / "plain", 1).entries;
  ASSERT_EQ(whole.rows.size(), 3u);
  for (const std::string& bytes : packed(text)) {
    write_file(folder / "packed", bytes);
    for (int parts = 1; parts <= 7; ++parts) {
      EXPECT_EQ(read_parts(folder / "packed", parts).entries, whole);
    }
  }
}

TEST(MatrixFilePart, OfPackedTextHasAsManyEntriesAsTheOthers) {
  const sparsecast::testing::TemporaryFolder folder;
  for (const std::string& bytes : packed(market_text(40'001, false))) {
    write_file(folder / "packed", bytes);
    EXPECT_EQ(read_parts(folder / "packed", 4).counts,
              (std::vector<std::int64_t>{10'000, 10'000, 10'000, 10'001}));
  }
}

TEST(MatrixFilePart, IsReadOfWhatOtherProgramsPack) {
  const FileEntries whole = read_parts(golden_folder() / "general.mtx", 1).entries;
  ASSERT_EQ(whole.rows.size(), 32u);
  for (const char* name : {"general.mtx.gz", "general.mtx.zst", "general.tar.gz", "only.tar.gz",
                           "gnu_name.tar.gz", "long_name.tar.gz"}) {
    SCOPED_TRACE(name);
    EXPECT_EQ(read_parts(golden_folder() / name, 3).entries, whole);
  }
}

TEST(MatrixFilePart, IsRefusedOfOtherKinds) {
  for (const char* name :
       {"csr.npz", "plain.mat", "general.rua", "general.rua.gz", "general.rb", "boeing.tar.gz"}) {
    const fs::path path = golden_folder() / name;
    EXPECT_EQ(refusal_of([&] { open_matrix_part(path, 0, 2, 1); }),
              path.string() +
                  ": this file is not read in parts, as several processes do; expected Matrix "
                  "Market in coordinate format ('%%MatrixMarket matrix coordinate ...', also as "
                  ".gz, .zst or .tar.gz), or PETSc's binary format");
  }
  const sparsecast::testing::TemporaryFolder folder;
  for (const std::string& bytes : packed("%%MatrixMarket matrix array real general\n1 1\n5\n")) {
    write_file(folder / "packed", bytes);
    const std::string refusal = refusal_of([&] { open_matrix_part(folder / "packed", 1, 2, 1); });
    EXPECT_NE(refusal.find("an array, whose entries say nothing of their places, is not read in "
                           "parts, as several processes do; expected coordinate format"),
              std::string::npos)
        << refusal;
  }
}

TEST(MatrixFilePart, KnowsAFileByItsCompressedBytes) {
  const sparsecast::testing::TemporaryFolder folder;
  const std::string text = market_text(20'000, false);
  std::string other = text;
  other[other.size() / 2] = other[other.size() / 2] == '1' ? '2' : '1';
  const auto identity = [&](const std::string& bytes, int part) {
    write_file(folder / "packed", bytes);
    return open_matrix_part(folder / "packed", part, 2, 1)->identity();
  };
  EXPECT_EQ(identity(gzip_member(text), 0), identity(gzip_member(text), 1));
  EXPECT_NE(identity(gzip_member(text), 0), identity(gzip_member(other), 0));
  EXPECT_NE(identity(gzip_member(text), 0), identity(zstd_frame(text), 0));
}

}  // namespace
}  // namespace sparsecast
