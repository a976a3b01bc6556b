#include "core/matrix/files/file_kind.hpp"

#include <gtest/gtest.h>

#include <string>

namespace sparsecast::testing {
namespace {

TEST(FileKind, IsToldByEndingsOfTextsAlsoCompressed) {
  for (const char* text : {".mtx", ".rb", ".rua", ".rsa", ".hb"}) {
    for (const char* compressed : {"", ".gz", ".zst"}) {
      const std::string name = std::string("folder/box") + text + compressed;
      EXPECT_TRUE(has_matrix_ending(name)) << name;
      EXPECT_EQ(matrix_name(name), "box") << name;
    }
  }
}

TEST(FileKind, IsToldByEndingsOfArchivesAndBinaries) {
  for (const char* name : {"box.tar.zst", "box.tgz", "box.npz", "box.mat", "box.petsc"}) {
    EXPECT_TRUE(has_matrix_ending(name)) << name;
    EXPECT_EQ(matrix_name(name), "box") << name;
  }
  for (const char* name : {"box.npz.gz", "box.gz", "box.txt", "box.features.json"}) {
    EXPECT_FALSE(has_matrix_ending(name)) << name;
  }
}

TEST(FileKind, NamesAllEndingsInMessages) {
  EXPECT_EQ(matrix_endings(),
            ".mtx, .rb, .hb, .rua, .rsa, .rza, .rra, .pua, .psa, .pza, .pra (also with .gz or "
            ".zst), .tar, .tar.gz, .tgz, .tar.zst, .npz, .mat or .petsc");
}

}  // namespace
}  // namespace sparsecast::testing
