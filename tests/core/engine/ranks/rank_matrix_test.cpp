#include "core/engine/ranks/rank_matrix.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/base/archives/gzip.hpp"
#include "core/base/archives/packed.hpp"
#include "core/base/error.hpp"
#include "core/base/files/file_output.hpp"
#include "core/engine/ranks/thread_ranks.hpp"
#include "core/matrix/files/market/matrix_market.hpp"
#include "core/matrix/files/read_matrix_file.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/random_csr.hpp"
#include "core/refusal.hpp"

namespace sparsecast {
namespace {

using Entries = std::map<std::pair<std::int64_t, std::int64_t>, double>;

/// A file that is removed with this object.
class MatrixText {
 public:
  explicit MatrixText(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              ("sparsecast-ranks-" + std::to_string(getpid()) + ".mtx")) {
    write_file(path_, text);
  }
  ~MatrixText() { std::filesystem::remove(path_); }
  MatrixText(const MatrixText&) = delete;
  MatrixText& operator=(const MatrixText&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The rows of the whole matrix that the numbers of a part stand for.
std::vector<std::int64_t> rows_of_numbers(const RankMatrix& matrix) {
  const RankPart& part = matrix.part;
  const int rank = part.ranks->rank();
  std::vector<double> rows(static_cast<std::size_t>(matrix.matrix.rows), -1);
  std::vector<double> own;
  for (std::int64_t k = 0; k < part.own.rows(); ++k) {
    own.push_back(static_cast<double>(part.rows.begin(rank) + k));
    rows[static_cast<std::size_t>(part.own.begin_row + k)] = own.back();
  }
  Buffer<double> packed;
  fetch_halo<double>(part, own, rows.data(), packed);
  return {rows.begin(), rows.end()};
}

/// What `part_rows` of a rank's matrix hold, in the numbers of the whole one.
Entries entries_of(const RankMatrix& matrix, const Segment& part_rows) {
  const std::vector<std::int64_t> whole = rows_of_numbers(matrix);
  Entries entries;
  for (std::int64_t row = part_rows.begin_row; row < part_rows.end_row; ++row) {
    for (auto k = matrix.matrix.row_offsets[row]; k < matrix.matrix.row_offsets[row + 1]; ++k) {
      const std::int64_t column = whole[static_cast<std::size_t>(matrix.matrix.column_indices[k])];
      entries[{whole[static_cast<std::size_t>(row)], column}] = matrix.matrix.values[k];
    }
  }
  return entries;
}

Entries entries_of(const CsrMatrix<double>& matrix) {
  Entries entries;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (auto k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      entries[{row, matrix.column_indices[k]}] = matrix.values[k];
    }
  }
  return entries;
}

/// The entries of all ranks' own rows.
Entries read_by_ranks(const std::filesystem::path& path, int size,
                      const RankMatrixOptions& options = {}) {
  Entries all;
  std::mutex turn;
  ThreadRanks::run(size, [&](Communicator& ranks) {
    const RankMatrix matrix = read_rank_matrix(path, ranks, options, false).matrix;
    const Entries mine = entries_of(matrix, matrix.part.own);
    EXPECT_EQ(std::ssize(mine), matrix.part.own.nonzeros(matrix.matrix.row_offsets));
    for (const std::int64_t begin : matrix.part.rows.begins) {
      EXPECT_TRUE(begin % options.rows_together == 0 || begin == matrix.part.unknowns());
    }
    const std::lock_guard lock(turn);
    all.insert(mine.begin(), mine.end());
  });
  return all;
}

std::string text_of(const CsrMatrix<double>& matrix, bool symmetric) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() /
                                     ("sparsecast-text-" + std::to_string(getpid()) + ".mtx");
  write_matrix_market(path, matrix.view(), {.symmetric = symmetric});
  std::string text = read_file(path);
  std::filesystem::remove(path);
  return text;
}

TEST(ThreadedRankMatrix, TogetherIsTheMatrixOfTheFile) {
  const CsrMatrix<double> general = random_csr<double>(41, 41, 4, 3);
  const CsrMatrix<double> grid = laplacian(9, 9, 7);
  for (const auto& [matrix, symmetric] : {std::pair(&general, false), {&grid, true}}) {
    const MatrixText file(text_of(*matrix, symmetric));
    for (const int size : {1, 2, 3, 7}) {
      for (const int together : {1, 3}) {
        SCOPED_TRACE(std::to_string(size) + " ranks, " + std::to_string(together));
        EXPECT_EQ(read_by_ranks(file.path(), size, {.rows_together = together}),
                  entries_of(*matrix));
      }
    }
  }
}

/// The bytes of PETSc's binary format, with integers of so many bytes.
std::string petsc_bytes(const CsrMatrix<double>& matrix, std::size_t integer) {
  std::string bytes;
  const auto add = [&bytes](std::uint64_t bits, std::size_t count) {
    for (std::size_t k = count; k-- > 0;) bytes += static_cast<char>(bits >> (8 * k) & 0xff);
  };
  const auto number = [&](std::int64_t value) { add(static_cast<std::uint64_t>(value), integer); };
  number(1211216);
  number(matrix.rows);
  number(matrix.columns);
  number(matrix.nonzeros());
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    number(matrix.row_offsets[row + 1] - matrix.row_offsets[row]);
  }
  for (const std::int32_t column : matrix.column_indices) number(column);
  for (const double value : matrix.values) add(std::bit_cast<std::uint64_t>(value), 8);
  return bytes;
}

TEST(ThreadedRankMatrix, IsReadOfPetscsBinaryFormat) {
  const CsrMatrix<double> matrix = random_csr<double>(43, 43, 5, 3);
  for (const std::size_t integer : {4u, 8u}) {
    const MatrixText file(petsc_bytes(matrix, integer));
    for (const int size : {1, 2, 5, 60}) {
      SCOPED_TRACE(std::to_string(size) + " ranks");
      EXPECT_EQ(read_by_ranks(file.path(), size), entries_of(matrix));
    }
  }
}

TEST(ThreadedRankMatrix, IsRefusedOfPetscsFormatInTheWordsOfOneReader) {
  const std::string good = petsc_bytes(random_csr<double>(43, 43, 5, 3), 4);
  std::string wrong_column = good;
  wrong_column[4 * (4 + 43 + 100)] = 0x70;
  std::string wrong_count = good;
  wrong_count[15] ^= 1;
  std::string wrong_length = good;
  wrong_length[4 * (4 + 40)] = 0x7f;
  for (const std::string& bytes : {wrong_column, wrong_count, wrong_length, good.substr(0, 500),
                                   good.substr(0, 60), good.substr(0, good.size() - 3)}) {
    const MatrixText file(bytes);
    const std::string expected = refusal_of([&] { read_matrix_file(file.path()); });
    ASSERT_NE(expected, "");
    for (const int size : {1, 4}) {
      ThreadRanks::run(size, [&](Communicator& ranks) {
        EXPECT_EQ(refusal_of([&] { read_rank_matrix(file.path(), ranks, {}, false); }), expected);
      });
    }
  }
}

TEST(ThreadedRankMatrix, HasItsRowsAtMultiplesOfWhatIsAskedFor) {
  const CsrMatrix<double> matrix = random_csr<double>(210, 210, 4, 3);
  const MatrixText file(text_of(matrix, false));
  const RankMatrixOptions options{.rows_together = 3, .row_alignment = 32};
  EXPECT_EQ(read_by_ranks(file.path(), 3, options), entries_of(matrix));
  ThreadRanks::run(3, [&](Communicator& ranks) {
    const RankPart part = read_rank_matrix(file.path(), ranks, options, false).matrix.part;
    EXPECT_EQ(part.own.begin_row % 96, 0);
    for (const std::int64_t begin : part.rows.begins) {
      EXPECT_TRUE(begin % 96 == 0 || begin == 210) << begin;
    }
  });
}

TEST(ThreadedRankMatrix, MayHaveFewerRowsThanRanks) {
  const CsrMatrix<double> matrix = laplacian(5, 3, 1);
  const MatrixText file(text_of(matrix, false));
  EXPECT_EQ(read_by_ranks(file.path(), 8), entries_of(matrix));
}

TEST(ThreadedRankMatrix, ExpandsSkewSymmetricStorageAndPatterns) {
  const MatrixText skew(
      "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 5\n3 2 -2\n");
  EXPECT_EQ(read_by_ranks(skew.path(), 2),
            (Entries{{{1, 0}, 5}, {{0, 1}, -5}, {{2, 1}, -2}, {{1, 2}, 2}}));
  const MatrixText pattern(
      "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n1 1\n2 1\n3 3\n");
  EXPECT_EQ(read_by_ranks(pattern.path(), 2),
            (Entries{{{0, 0}, 1}, {{1, 0}, 1}, {{0, 1}, 1}, {{2, 2}, 1}}));
}

TEST(ThreadedRankMatrix, HasWholeColumnsWhereTheyAreWanted) {
  const CsrMatrix<double> matrix = random_csr<double>(30, 30, 4, 9);
  const MatrixText file(text_of(matrix, false));
  const Entries whole = entries_of(matrix);
  ThreadRanks::run(3, [&](Communicator& ranks) {
    const RankMatrix mine =
        read_rank_matrix(file.path(), ranks, {.with_columns = true}, false).matrix;
    Entries expected;
    const std::int64_t begin = mine.part.rows.begin(ranks.rank());
    const std::int64_t end = mine.part.rows.end(ranks.rank());
    const auto owns = [&](std::int64_t row) { return row >= begin && row < end; };
    for (const auto& [place, value] : whole) {
      if (owns(place.first) || owns(place.second)) expected[place] = value;
    }
    EXPECT_EQ(entries_of(mine, {0, mine.matrix.rows}), expected);
    EXPECT_EQ(mine.nonzeros, matrix.nonzeros());
  });
}

TEST(ThreadedRankMatrix, IsKnownToBeSymmetricOrNot) {
  CsrMatrix<double> matrix = laplacian(5, 6, 5);
  for (const bool symmetric : {true, false}) {
    if (!symmetric) matrix.values[matrix.nonzeros() / 2 + 1] += 0.5;
    const MatrixText file(text_of(matrix, false));
    for (const int size : {2, 5}) {
      ThreadRanks::run(size, [&](Communicator& ranks) {
        EXPECT_EQ(read_rank_matrix(file.path(), ranks, {}, true).symmetric, symmetric);
      });
    }
  }
}

TEST(ThreadedRankMatrix, IsRefusedInTheWordsOfOneReader) {
  const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
  for (const std::string& text :
       {banner + "% a comment\n3 3 4\n1 1 1\n2 2 x\n3 3 3\n1 2 4\n",  // no number
        banner + "3 3 4\n1 1 1\n\n2 2 2\n3 3 3\n1 2 4\n1 3 1\n",      // an entry too many
        banner + "3 3 4\n1 1 1\n% more\n2 2 2\n3 3 3\n",              // one too few
        banner + "3 3 2\n1 1 1\n4 1 1\n",                             // out of range
        std::string("nothing of the kind\n")}) {
    const MatrixText file(text);
    const std::string expected = refusal_of([&] { read_matrix_market(file.path()); });
    for (const int size : {2, 4}) {
      ThreadRanks::run(size, [&](Communicator& ranks) {
        EXPECT_EQ(refusal_of([&] { read_rank_matrix(file.path(), ranks, {}, false); }), expected);
      });
    }
  }
}

/// The same text compressed, and as the matrix of an archive.
std::vector<std::string> packed(const std::string& text) {
  return {gzip_member(text), zstd_frame(text),
          gzip_member(tar_of({{"m/m_b.mtx", "b"}, {"m/m.mtx", text}}))};
}

TEST(ThreadedRankMatrix, IsReadOfCompressedTextAndArchives) {
  const CsrMatrix<double> general = random_csr<double>(41, 41, 4, 3);
  const CsrMatrix<double> grid = laplacian(9, 9, 7);
  for (const auto& [matrix, symmetric] : {std::pair(&general, false), {&grid, true}}) {
    for (const std::string& bytes : packed(text_of(*matrix, symmetric))) {
      const MatrixText file(bytes);
      for (const int size : {1, 2, 5}) {
        EXPECT_EQ(read_by_ranks(file.path(), size), entries_of(*matrix));
      }
    }
  }
}

TEST(ThreadedRankMatrix, OfCompressedTextAddsUpAPlaceInTheOrderOfTheFile) {
  // In any other order the sum is another one.
  const std::string text =
      "%%MatrixMarket matrix coordinate real general\n2 2 6\n1 1 1e17\n1 1 -1e17\n1 1 1\n"
      "2 2 3\n2 1 1e-30\n1 1 0.25\n";
  for (const std::string& bytes : packed(text)) {
    const MatrixText file(bytes);
    for (const int size : {1, 2, 3, 6, 7}) {
      EXPECT_EQ(read_by_ranks(file.path(), size),
                (Entries{{{0, 0}, 1.25}, {{1, 1}, 3}, {{1, 0}, 1e-30}}));
    }
  }
}

TEST(ThreadedRankMatrix, IsRefusedOfPackedTextInTheWordsOfOneReader) {
  const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
  const std::string good = text_of(random_csr<double>(900, 900, 25, 3), false);
  std::vector<std::string> files;
  for (const std::string& text :
       {banner + "% a comment\n3 3 4\n1 1 1\n2 2 x\n3 3 3\n1 2 4\n",        // no number
        banner + "3 3 4\n1 1 1\n\n2 2 2\n3 3 3\n1 2 4\n1 3 1\n",            // an entry too many
        banner + "3 3 4\n1 1 1\n% more\n2 2 2\n3 3 3\n",                    // one too few
        banner + "3 3 2\n1 1 1\n4 1 1\n", banner + "3 3\n", std::string(),  // nothing at all
        good + "1 1 1\n", good.substr(0, good.rfind('\n', good.size() / 2) + 1),
        std::string("nothing of the kind\n")}) {
    const std::vector<std::string> all = packed(text);
    files.insert(files.end(), all.begin(), all.end());
  }
  for (const std::string& bytes : packed(good)) {
    for (const std::size_t kept : {bytes.size() / 8, bytes.size() / 2, bytes.size() - 5}) {
      files.push_back(bytes.substr(0, kept));
    }
    for (const std::size_t at : {bytes.size() / 3, bytes.size() - 6}) {
      files.push_back(bytes);
      files.back()[at] = static_cast<char>(files.back()[at] ^ 4);
    }
    files.push_back(bytes + "garbage");
  }
  const std::string bad = banner + "2 2 2\n1 1 1\n2 x 1\n";
  for (const auto& [first, second] : {std::pair(good, good), {good, bad}, {bad, good}}) {
    files.push_back(gzip_member(tar_of({{"a/a.mtx", first}, {"b/b.mtx", second}})));
    files.push_back(gzip_member(tar_of({{"c/a.mtx", first}, {"c/b.mtx", second}})));
  }
  files.push_back(gzip_member(tar_of({{"a/readme.txt", "text"}})));
  const std::string archive = tar_of({{"m/m.mtx", good}});
  files.push_back(archive.substr(0, archive.size() - 1024));        // without its end
  files.push_back(archive.substr(0, archive.size() / 1024 * 512));  // within the matrix
  int refused = 0;
  for (const std::string& bytes : files) {
    const MatrixText file(bytes);
    const std::string expected = refusal_of([&] { read_matrix_file(file.path()); });
    if (expected != "accepted") ++refused;
    for (const int size : {1, 2, 4}) {
      ThreadRanks::run(size, [&](Communicator& ranks) {
        EXPECT_EQ(refusal_of([&] { read_rank_matrix(file.path(), ranks, {}, false); }), expected);
      });
    }
  }
  // A changed byte of text that zstd keeps without a checksum may be another matrix.
  EXPECT_GE(refused + 2, std::ssize(files));
}

TEST(ThreadedRankMatrix, IsReadOfSquareMatricesInCoordinateFormatAlone) {
  const auto said = [](const std::string& text) {
    const MatrixText file(text);
    std::string what;
    ThreadRanks::run(2, [&](Communicator& ranks) {
      const std::string mine = refusal_of([&] { read_rank_matrix(file.path(), ranks, {}, false); });
      if (ranks.rank() == 0) what = mine;
    });
    return what;
  };
  EXPECT_NE(said("PK\x03\x04").find("expected Matrix Market in coordinate format"),
            std::string::npos);
  EXPECT_NE(said("%%MatrixMarket matrix array real general\n1 1\n1\n").find("coordinate"),
            std::string::npos);
  EXPECT_NE(said("%%MatrixMarket matrix coordinate real general\n1 2 1\n1 1 1\n").find("square"),
            std::string::npos);
}

TEST(ThreadedRankMatrix, TellsRanksThatSeeAnotherFile) {
  const MatrixText file("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 2\n");
  const std::filesystem::path other = file.path().string() + ".other";
  write_file(other, "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 3\n");
  ThreadRanks::run(3, [&](Communicator& ranks) {
    const std::string what = refusal_of(
        [&] { read_rank_matrix(ranks.rank() == 2 ? other : file.path(), ranks, {}, false); });
    EXPECT_EQ(what.substr(0, 8), "rank 2: ");
    EXPECT_NE(what.find("another file than on rank 0"), std::string::npos) << what;
  });
  std::filesystem::remove(other);
}

}  // namespace
}  // namespace sparsecast
