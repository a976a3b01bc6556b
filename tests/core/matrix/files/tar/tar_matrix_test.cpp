#include "core/matrix/files/tar/tar_matrix.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/base/archives/byte_stream.hpp"
#include "core/base/archives/gzip.hpp"
#include "core/matrix/files/golden_files.hpp"

namespace sparsecast {
namespace {

std::string unpacked(const std::string& name) {
  const std::string compressed = golden(name);
  const MemoryBytes bytes(compressed);
  GzipReader reader(bytes);
  return read_all(reader, 1 << 20, "a test");
}

TEST(TarMatrix, ListsSeveralCandidates) {
  EXPECT_EQ(refusal_of_bytes(golden("several.tar.gz")),
            "m: the tar archive holds several matrices: a/a.mtx, b/b.mtx; expected one, as "
            "NAME/NAME.mtx (unpack it and name the one that is meant)");
}

TEST(TarMatrix, SaysWhatIsThereInPlaceOfAMatrix) {
  EXPECT_EQ(refusal_of_bytes(golden("none.tar.gz")),
            "m: the tar archive holds no .mtx or .rb file, but a/readme.txt; expected "
            "NAME/NAME.mtx");
}

TEST(TarMatrix, NeedsNoCompression) {
  const auto market = read_matrix_file(golden_folder() / "general.mtx");
  EXPECT_TRUE(same_bytes(parse_bytes(unpacked("general.tar.gz")).matrix, market.matrix));
}

TEST(TarMatrix, NamesMemberAndLineOfWhatIsWrong) {
  std::string archive = unpacked("general.tar.gz");
  const std::size_t at = archive.find("%%MatrixMarket", archive.find("general/general.mtx"));
  archive.replace(archive.find("\n12 9 ", at) + 1, 2, "1x");
  EXPECT_TRUE(
      refusal_of_bytes(archive).starts_with("m: general/general.mtx:3: the number of rows "
                                            "is '1x'"))
      << refusal_of_bytes(archive);
}

TEST(TarMatrix, ChecksTheHeadersOfMembers) {
  std::string archive = unpacked("general.tar.gz");
  archive[archive.find("general/general.mtx") + 3] = 'x';
  EXPECT_EQ(refusal_of_bytes(archive),
            "m: a header of the tar archive is damaged (checksum); expected an intact archive");
}

}  // namespace
}  // namespace sparsecast
