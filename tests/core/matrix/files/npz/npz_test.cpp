#include "core/matrix/files/npz/npz.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/base/archives/deflate.hpp"
#include "core/matrix/files/golden_files.hpp"

namespace sparsecast {
namespace {

template <class T>
std::string bytes_of(const std::vector<T>& numbers) {
  std::string bytes(numbers.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

/// An array as numpy.save writes it.
std::string npy(const std::string& descr, const std::string& shape, const std::string& content) {
  std::string header =
      "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
  header += std::string(63 - (10 + header.size()) % 64, ' ') + "\n";
  const auto size = static_cast<std::uint16_t>(header.size());
  return std::string("\x93NUMPY\x01\x00", 8) + bytes_of(std::vector<std::uint16_t>{size}) + header +
         content;
}

using Members = std::vector<std::pair<std::string, std::string>>;

/// An archive of stored members.
std::string zip(const Members& members) {
  std::string archive;
  std::string directory;
  for (const auto& [name, content] : members) {
    const auto size = static_cast<std::uint32_t>(content.size());
    const std::string fields =
        bytes_of(std::vector<std::uint16_t>{20, 0, 0, 0, 0}) +
        bytes_of(std::vector<std::uint32_t>{crc32_of(content), size, size}) +
        bytes_of(std::vector<std::uint16_t>{static_cast<std::uint16_t>(name.size()), 0});
    directory +=
        "PK\x01\x02" + bytes_of(std::vector<std::uint16_t>{20}) + fields + std::string(10, '\0') +
        bytes_of(std::vector<std::uint32_t>{static_cast<std::uint32_t>(archive.size())}) + name;
    archive += "PK\x03\x04" + fields + name + content;
  }
  const auto count = static_cast<std::uint16_t>(members.size());
  const std::string end =
      "PK\x05\x06" + bytes_of(std::vector<std::uint16_t>{0, 0, count, count}) +
      bytes_of(std::vector<std::uint32_t>{static_cast<std::uint32_t>(directory.size()),
                                          static_cast<std::uint32_t>(archive.size())}) +
      std::string(2, '\0');
  return archive + directory + end;
}

/// A diagonal matrix of two rows in csr, with some members replaced.
Members diagonal() {
  return {{"indices.npy", npy("<i4", "(2,)", bytes_of(std::vector<std::int32_t>{0, 1}))},
          {"indptr.npy", npy("<i4", "(3,)", bytes_of(std::vector<std::int32_t>{0, 1, 2}))},
          {"format.npy", npy("|S3", "()", "csr")},
          {"shape.npy", npy("<i8", "(2,)", bytes_of(std::vector<std::int64_t>{2, 2}))},
          {"data.npy", npy("<f8", "(2,)", bytes_of(std::vector<double>{3, 4}))}};
}

std::string refusal_with(const std::string& name, const std::string& content) {
  Members members = diagonal();
  for (auto& [member, old] : members) {
    if (member == name) old = content;
  }
  return refusal_of_bytes(zip(members));
}

TEST(Npz, ReadsWhatTheTestsWrite) {
  const auto file = parse_bytes(zip(diagonal()));
  EXPECT_EQ(file.matrix.values, (Buffer<double>{3, 4}));
  EXPECT_EQ(file.matrix.column_indices, (Buffer<std::int32_t>{0, 1}));
}

TEST(Npz, TakesTheFormatAsUnicodeAndRoomBehindTheEntries) {
  Members members = diagonal();
  members[2].second = npy("<U3", "()", std::string("c\0\0\0s\0\0\0r\0\0\0", 12));
  members[1].second = npy("<i4", "(3,)", bytes_of(std::vector<std::int32_t>{0, 1, 1}));
  EXPECT_EQ(parse_bytes(zip(members)).matrix.values, (Buffer<double>{3}));
}

TEST(Npz, NeverReadsPickles) {
  EXPECT_EQ(refusal_of_bytes(golden("objects.npz")),
            "m: data.npy: the array holds Python objects ('|O'); expected real numbers of 1 to 8 "
            "bytes");
}

TEST(Npz, RefusesComplexNumbers) {
  EXPECT_EQ(refusal_of_bytes(golden("complex.npz")),
            "m: data.npy: complex values are not supported ('<c16'); expected real ones");
}

TEST(Npz, RefusesRecordsAndOtherTypes) {
  EXPECT_TRUE(refusal_with("data.npy", npy("<f2", "(2,)", "1234"))
                  .starts_with("m: data.npy: the array holds numbers of half or extended"));
  EXPECT_TRUE(refusal_with("data.npy", npy("<M8[s]", "(2,)", std::string(16, 'x')))
                  .starts_with("m: data.npy: the array holds a type that is unknown here"));
  EXPECT_TRUE(refusal_with("indptr.npy", npy("<f4", "(3,)", std::string(12, '\0')))
                  .starts_with("m: indptr.npy: the array holds floating-point numbers"));
}

TEST(Npz, ComparesShapesWithSizes) {
  EXPECT_EQ(refusal_with("data.npy", npy("<f8", "(1000000000000,)", std::string(16, 'x'))),
            "m: data.npy: the array of 8000000000000 bytes takes 16; expected an array as "
            "numpy.save writes it");
  EXPECT_TRUE(refusal_with("data.npy", npy("<f8", "(4611686018427387904, 16)", "x"))
                  .starts_with("m: data.npy: the array is larger than any memory"));
  EXPECT_TRUE(refusal_with("data.npy", npy("<f8", "(-2,)", std::string(16, 'x')))
                  .starts_with("m: data.npy: a size in the header of the array is damaged"));
  EXPECT_TRUE(refusal_with("data.npy", npy("<f8", "(1,)", std::string(8, '\0')))
                  .starts_with("m: data.npy: 1 element; expected 2, as many as indices"));
  EXPECT_TRUE(refusal_with("indptr.npy", npy("<i4", "(2,)", std::string(8, '\0')))
                  .starts_with("m: indptr.npy: 2 elements; expected 3, one more than rows"));
}

TEST(Npz, NamesNumbersThatDoNotFit) {
  const auto integers = [](std::vector<std::int32_t> numbers) {
    return npy("<i4", "(" + std::to_string(numbers.size()) + ",)", bytes_of(numbers));
  };
  EXPECT_EQ(refusal_with("indices.npy", integers({0, 2})),
            "m: indices.npy: number 1 (from 0) is 2; expected 0 to 1");
  EXPECT_EQ(refusal_with("indices.npy", integers({-1, 1})),
            "m: indices.npy: number 0 (from 0) is -1; expected 0 to 1");
  EXPECT_EQ(refusal_with("indptr.npy", integers({0, 3, 2})),
            "m: indptr.npy: number 1 (from 0) is 3; expected 0 to 2");
  EXPECT_EQ(refusal_with("indptr.npy", integers({1, 1, 2})),
            "m: indptr.npy: number 0 (from 0) is 1; expected 0");
  EXPECT_EQ(refusal_with("indptr.npy", integers({0, 2, 1})),
            "m: indptr.npy: number 2 (from 0) is 1; expected offsets that do not fall");
  EXPECT_EQ(refusal_with("data.npy", npy("<f8", "(2,)", bytes_of(std::vector<double>{1, NAN}))),
            "m: data.npy: number 1 (from 0) is nan; expected a finite number");
  EXPECT_EQ(
      refusal_with("data.npy", npy("<u8", "(2,)", bytes_of(std::vector<std::uint64_t>{1, ~0ull}))),
      "m: data.npy: number 1 (from 0) is 18446744073709551615; expected at most 2^53 in "
      "magnitude, which a double holds exactly");
}

TEST(Npz, RefusesSizesThatItsEntriesDoNotFill) {
  const auto sizes = [](std::int64_t rows, std::int64_t columns) {
    return npy("<i8", "(2,)", bytes_of(std::vector<std::int64_t>{rows, columns}));
  };
  EXPECT_TRUE(refusal_with("shape.npy", sizes(2, 2147483647))
                  .starts_with("m: shape.npy: 2147483647 columns for 2 entries; expected"));
  EXPECT_TRUE(refusal_with("shape.npy", sizes(-2, 2))
                  .starts_with("m: shape.npy: number 0 (from 0) is -2; expected 0 to 2147483647"));
}

TEST(Npz, SaysWhichMemberIsMissing) {
  Members members = diagonal();
  members.pop_back();
  EXPECT_EQ(refusal_of_bytes(zip(members)),
            "m: the archive has no member data.npy; expected a sparse matrix as "
            "scipy.sparse.save_npz writes it");
  EXPECT_TRUE(refusal_with("format.npy", npy("|S3", "()", "lil"))
                  .starts_with("m: format.npy: the format is 'lil'; expected csr, csc, coo"));
}

TEST(Npz, RefusesArchivesThatContradictThemselves) {
  const std::string good = zip(diagonal());
  const auto changed = [&](std::size_t at, const std::string& bytes) {
    std::string archive = good;
    archive.replace(at, bytes.size(), bytes);
    return refusal_of_bytes(archive);
  };
  const std::size_t entry = good.find("PK\x01\x02");
  // Local header against directory; then an offset into another member.
  EXPECT_TRUE(
      changed(18, std::string(4, '\1')).starts_with("m: the header of 'indices.npy' differs"));
  EXPECT_NE(changed(entry + 42, std::string("\x08\0\0\0", 4)), "accepted");
  EXPECT_TRUE(changed(entry + 8, std::string("\x01\0", 2)).find("is encrypted") !=
              std::string::npos);
  EXPECT_TRUE(changed(good.size() - 2, std::string("\x05\0", 2)).find("comment") !=
              std::string::npos);
  Members twice = diagonal();
  twice.push_back(twice.back());
  EXPECT_TRUE(refusal_of_bytes(zip(twice)).starts_with("m: the zip archive has two members"));
}

}  // namespace
}  // namespace sparsecast
