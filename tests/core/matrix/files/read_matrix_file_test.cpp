#include "core/matrix/files/read_matrix_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "cli/temporary_folder.hpp"
#include "core/base/archives/gzip.hpp"
#include "core/base/files/file_output.hpp"
#include "core/matrix/files/golden_files.hpp"
#include "core/matrix/files/market/matrix_market.hpp"
#include "fuzz/matrix_file_promise.hpp"
#include "sanitized.hpp"

namespace sparsecast {
namespace {

namespace fs = std::filesystem;

/// Of the bytes of a file so many are passed over, where each try takes long.
constexpr std::size_t byte_step = sanitized ? 37 : 1;

/// A file, and the Matrix Market file of the same matrix.
struct SameMatrix {
  const char* file;
  const char* market;
};

class MatrixFileKinds : public ::testing::TestWithParam<SameMatrix> {};

TEST_P(MatrixFileKinds, GiveTheMatrixOfTheMatrixMarketFileBitByBit) {
  const auto market = read_matrix_market(golden_folder() / GetParam().market);
  ASSERT_GT(market.matrix.nonzeros(), 0);
  for (const int threads : {1, 3}) {
    const auto file = read_matrix_file(golden_folder() / GetParam().file, {.threads = threads});
    EXPECT_TRUE(same_bytes(file.matrix, market.matrix));
    EXPECT_EQ(file.duplicates, market.duplicates);
    EXPECT_EQ(file.pattern, market.pattern);
  }
}

INSTANTIATE_TEST_SUITE_P(
    , MatrixFileKinds,
    ::testing::Values(
        SameMatrix{"general.mtx.gz", "general.mtx"}, SameMatrix{"general.mtx.zst", "general.mtx"},
        SameMatrix{"general.tar.gz", "general.mtx"}, SameMatrix{"only.tar.gz", "general.mtx"},
        SameMatrix{"long_name.tar.gz", "general.mtx"}, SameMatrix{"gnu_name.tar.gz", "general.mtx"},
        SameMatrix{"boeing.tar.gz", "general.mtx"}, SameMatrix{"csr.npz", "general.mtx"},
        SameMatrix{"csc.npz", "general.mtx"}, SameMatrix{"coo.npz", "general.mtx"},
        SameMatrix{"csr_stored.npz", "general.mtx"}, SameMatrix{"csc_stored.npz", "general.mtx"},
        SameMatrix{"coo_stored.npz", "general.mtx"}, SameMatrix{"wide_indices.npz", "general.mtx"},
        SameMatrix{"big_endian.npz", "general.mtx"}, SameMatrix{"unsorted.npz", "general.mtx"},
        SameMatrix{"single.npz", "single.mtx"}, SameMatrix{"integers.npz", "integers.mtx"},
        SameMatrix{"bsr.npz", "bsr.mtx"}, SameMatrix{"dia.npz", "dia.mtx"},
        SameMatrix{"duplicates.npz", "duplicates.mtx"}, SameMatrix{"general.petsc", "general.mtx"},
        SameMatrix{"wide.petsc", "general.mtx"}, SameMatrix{"single.petsc", "single.mtx"},
        SameMatrix{"with_vector.petsc", "general.mtx"}, SameMatrix{"plain.mat", "general.mtx"},
        SameMatrix{"compressed.mat", "general.mtx"}, SameMatrix{"problem.mat", "general.mtx"},
        SameMatrix{"big_endian.mat", "general.mtx"}, SameMatrix{"general.rua", "general.mtx"},
        SameMatrix{"general.rua.gz", "general.mtx"}, SameMatrix{"symmetric.rsa", "symmetric.mtx"},
        SameMatrix{"skew.rza", "skew.mtx"}, SameMatrix{"pattern.pua", "pattern.mtx"},
        SameMatrix{"general.rb", "general.mtx"}, SameMatrix{"integers.rb", "integers.mtx"}),
    [](const auto& instance) {
      std::string name = instance.param.file;
      for (char& c : name) c = c == '.' ? '_' : c;
      return name;
    });

TEST(MatrixFile, KnowsWhetherSymmetricStorageWasExpanded) {
  EXPECT_EQ(read_matrix_file(golden_folder() / "symmetric.rsa").symmetry,
            StoredSymmetry::symmetric);
  EXPECT_EQ(read_matrix_file(golden_folder() / "symmetric.mtx").symmetry,
            StoredSymmetry::symmetric);
  EXPECT_EQ(read_matrix_file(golden_folder() / "skew.rza").symmetry,
            StoredSymmetry::skew_symmetric);
  EXPECT_EQ(read_matrix_file(golden_folder() / "general.petsc").symmetry, StoredSymmetry::general);
}

TEST(MatrixFile, IsToldByContentAndNotByName) {
  const sparsecast::testing::TemporaryFolder folder;
  fs::copy(golden_folder() / "csr.npz", folder / "a.mtx");
  fs::copy(golden_folder() / "general.petsc", folder / "b.npz");
  const auto market = read_matrix_market(golden_folder() / "general.mtx");
  EXPECT_TRUE(same_bytes(read_matrix_file(folder / "a.mtx").matrix, market.matrix));
  EXPECT_TRUE(same_bytes(read_matrix_file(folder / "b.npz").matrix, market.matrix));
}

TEST(MatrixFile, LosesItsStoredZerosOnlyWhenAsked) {
  const std::string text = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 0\n2 2 1\n";
  EXPECT_EQ(parse_bytes(text).matrix.nonzeros(), 2);
  EXPECT_EQ(parse_bytes(text, {.drop_explicit_zeros = true}).matrix.nonzeros(), 1);
}

TEST(MatrixFile, SaysWhatIsReadWhereItIsNoMatrix) {
  EXPECT_EQ(refusal_of_bytes("hello\n"),
            "m:1: no Matrix Market banner, but 'hello'; expected a matrix as Matrix Market text "
            "('%%MatrixMarket matrix ...'), Harwell-Boeing, Rutherford-Boeing, .npz, PETSc binary "
            "or MATLAB .mat; texts also as .gz, .zst or .tar.gz");
  EXPECT_TRUE(refusal_of_bytes("").starts_with("m:1: the file is empty; expected a matrix as"));
  EXPECT_TRUE(refusal_of_bytes("BZh91AY").starts_with("m:1: this is bzip2 data, not a matrix"));
  EXPECT_TRUE(refusal_of_bytes(gzip_member(golden("general.mtx.gz")))
                  .starts_with("m:1: the file is compressed twice"));
}

TEST(MatrixFile, SaysThatBinaryKindsAreNotReadCompressed) {
  const std::string unpack =
      ", which is read as a matrix file of its own, not compressed (gunzip, unzstd or tar unpack "
      "it); expected a text";
  EXPECT_EQ(refusal_of_bytes(gzip_member(golden("csr.npz"))),
            "m:1: this is an .npz (or another zip archive)" + unpack);
  EXPECT_EQ(refusal_of_bytes(gzip_member(golden("general.petsc"))),
            "m:1: this is PETSc's binary format" + unpack);
  EXPECT_EQ(refusal_of_bytes(gzip_member(golden("plain.mat"))),
            "m:1: this is a MATLAB file" + unpack);
}

TEST(MatrixFile, NamesAMissingFileAndAFolder) {
  const sparsecast::testing::TemporaryFolder folder;
  EXPECT_EQ(refusal_of([&] { read_matrix_file(folder / "none"); }),
            (folder / "none").string() +
                ": cannot read it: No such file or directory; expected a matrix file");
  EXPECT_EQ(refusal_of([&] { read_matrix_file(folder / ""); }),
            (folder / "").string() + ": this is a folder; expected a matrix file");
}

/// A line of /proc/self/status in bytes.
std::int64_t memory_status(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key + ":")) return std::atoll(line.c_str() + key.size() + 1) * 1024;
  }
  return -1;
}

TEST(DamagedMatrixFiles, TakeNoMemoryForWhatTheyClaim) {
  if (sanitized) GTEST_SKIP() << "sanitizers use memory of their own";
  const auto with = [](const std::string& name, std::size_t at, const std::string& bytes) {
    std::string changed = golden(name);
    return changed.replace(at, bytes.size(), bytes);
  };
  const std::string text = golden("general.rua");
  std::string many = text;
  many.replace(many.find("            32"), 14, "    1000000000");
  const std::string claims[] = {
      with("general.petsc", 4, "\x7f\xff\xff\xff"),   // rows
      with("general.petsc", 12, "\x7f\xff\xff\xf0"),  // nonzeros
      with("wide.petsc", 8, std::string("\0\0\0\x7f\xff\xff\xff\xff", 8)),
      with("plain.mat", 132, std::string("\xf0\xff\xff\x7f", 4)),  // bytes of a variable
      many,
      // 100 MB of blank lines, and something behind them.
      gzip_member("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n" +
                  std::string(100'000'000, '\n') + "x\n")};
  std::ofstream("/proc/self/clear_refs") << "5";  // resets the peak
  const std::int64_t before = memory_status("VmRSS");
  for (const std::string& bytes : claims) EXPECT_NE(refusal_of_bytes(bytes), "accepted");
  EXPECT_LT(memory_status("VmHWM") - before, std::int64_t{80} << 20);
}

/// All files there, whether they are read or refused.
std::vector<fs::path> golden_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(golden_folder())) {
    if (entry.path().filename() != "make_files") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

TEST(DamagedMatrixFiles, ThatAreCutAnywhereAreRefusedInOneLineOrRead) {
  for (const fs::path& file : golden_files()) {
    SCOPED_TRACE(file);
    const std::string bytes = read_file(file);
    for (std::size_t size = 0; size < bytes.size(); size += byte_step) {
      EXPECT_EQ(broken_promise(std::string_view(bytes).substr(0, size)), "") << size;
    }
  }
}

/// Of these every byte matters: cut anywhere, they are no matrix.
TEST(DamagedMatrixFiles, ThatAreBinaryAreNeverTakenForWholeWhenCut) {
  for (const char* name :
       {"csr.npz", "coo_stored.npz", "general.petsc", "wide.petsc", "plain.mat", "compressed.mat",
        "problem.mat", "big_endian.mat", "general.mtx.gz", "general.tar.gz", "general.mtx.zst"}) {
    SCOPED_TRACE(name);
    const std::string bytes = golden(name);
    for (std::size_t size = 0; size < bytes.size(); size += byte_step) {
      // A file of MATLAB ends between any two variables.
      const std::string refusal = refusal_of_bytes(std::string_view(bytes).substr(0, size));
      if (refusal == "accepted" && std::string(name).ends_with(".mat")) continue;
      // Half of PETSc's values are all of them in single precision.
      const std::size_t values_bytes = 8 * 32;
      if (std::string(name).ends_with(".petsc") && size == bytes.size() - values_bytes / 2) {
        continue;
      }
      EXPECT_NE(refusal, "accepted") << size;
    }
  }
}

TEST(DamagedMatrixFiles, WithAnyByteChangedAreRefusedInOneLineOrRead) {
  for (const fs::path& file : golden_files()) {
    SCOPED_TRACE(file);
    const std::string bytes = read_file(file);
    for (std::size_t at = 0; at < bytes.size(); at += byte_step) {
      for (const char change : {'\x01', '\x80'}) {
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ change);
        EXPECT_EQ(broken_promise(damaged), "") << at;
        EXPECT_EQ(broken_promise(with_right_checksums(damaged)), "") << at;
      }
    }
  }
}

TEST(DamagedMatrixFiles, ChangedAtRandomAreRefusedInOneLineOrRead) {
  constexpr unsigned seed = 7;
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  const auto below = [&](std::size_t size) {
    return std::uniform_int_distribution<std::size_t>(0, size - 1)(random);
  };
  constexpr int changes_of_a_file = sanitized ? 12 : 400;
  // Numbers that programs forget.
  const std::vector<std::string> numbers{std::string(4, '\0'),
                                         std::string(4, '\xff'),
                                         "\x7f\xff\xff\xff",
                                         "\xff\xff\xff\x7f",
                                         "\x80",
                                         std::string("\0\0\0\x80", 4),
                                         "99999999999",
                                         "-1"};
  for (const fs::path& file : golden_files()) {
    SCOPED_TRACE(file);
    const std::string bytes = read_file(file);
    if (bytes.empty()) continue;
    for (int k = 0; k < changes_of_a_file; ++k) {
      std::string changed = bytes;
      for (std::size_t times = 1 + below(3); times > 0; --times) {
        const std::size_t at = below(changed.size());
        switch (below(5)) {
          case 0:
            changed[at] = static_cast<char>(random());
            break;
          case 1: {
            const std::string& number = numbers[below(numbers.size())];
            changed.replace(at, std::min(number.size(), changed.size() - at), number);
            break;
          }
          case 2:
            changed.erase(at, 1 + below(8));
            break;
          case 3:
            changed.insert(at, changed.substr(below(changed.size()), 1 + below(16)));
            break;
          case 4:
            changed.replace(at, std::min<std::size_t>(4, changed.size() - at),
                            changed.substr(below(changed.size()), 4));
            break;
        }
        if (changed.empty()) changed = bytes;
      }
      EXPECT_EQ(broken_promise(changed), "");
      EXPECT_EQ(broken_promise(with_right_checksums(changed)), "");
      if (::testing::Test::HasFailure()) {
        std::ofstream(fs::temp_directory_path() / "sparsecast_broken_promise", std::ios::binary)
            << changed;
        return;
      }
    }
  }
}

}  // namespace
}  // namespace sparsecast
