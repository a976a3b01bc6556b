#include "core/engine/ranks/rank_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "cli/temporary_folder.hpp"
#include "core/base/files/file_output.hpp"
#include "core/engine/ranks/thread_ranks.hpp"
#include "core/refusal.hpp"

namespace sparsecast::testing {
namespace {

namespace fs = std::filesystem;

/// A rank that notes the longest message that it sends.
class NotingRank : public Communicator {
 public:
  explicit NotingRank(Communicator& rank) : rank_(rank) {}
  int rank() const override { return rank_.rank(); }
  int size() const override { return rank_.size(); }
  void exchange(std::span<const OutgoingBytes> out, std::span<const IncomingBytes> in) override {
    for (const OutgoingBytes& each : out) longest_ = std::max(longest_, each.bytes.size());
    rank_.exchange(out, in);
  }
  std::size_t longest() const { return longest_; }

 private:
  Communicator& rank_;
  std::size_t longest_ = 0;
};

/// While one of these lives, a limit of this process is lower.
class LowerLimit {
 public:
  LowerLimit(__rlimit_resource resource, rlim_t limit) : resource_(resource) {
    getrlimit(resource, &before_);
    const rlimit lower{limit, before_.rlim_max};
    setrlimit(resource, &lower);
  }
  ~LowerLimit() { setrlimit(resource_, &before_); }
  LowerLimit(const LowerLimit&) = delete;
  LowerLimit& operator=(const LowerLimit&) = delete;

 private:
  const __rlimit_resource resource_;
  rlimit before_{};
};

std::string random_text(std::size_t length, unsigned seed) {
  std::mt19937 random(seed);
  std::string text(length, '\0');
  for (char& each : text) each = static_cast<char>('a' + random() % 26);
  return text;
}

class ThreadedRankFile : public ::testing::Test {
 protected:
  /// Has as many ranks as there are texts write them. What they are refused with, by rank.
  std::vector<std::string> write(const fs::path& path, const std::vector<std::string>& texts,
                                 const std::function<void(int)>& before = {}) {
    std::vector<std::string> refusals(texts.size());
    std::atomic<std::size_t> longest = 0;
    ThreadRanks::run(static_cast<int>(texts.size()), [&](Communicator& ranks) {
      NotingRank noting(ranks);
      const auto rank = static_cast<std::size_t>(ranks.rank());
      if (before) before(ranks.rank());
      refusals[rank] = refusal_of([&] { write_together(noting, path, texts[rank]); });
      for (std::size_t so_far = longest; so_far < noting.longest();) {
        longest.compare_exchange_weak(so_far, noting.longest());
      }
    });
    longest_message_ = longest;
    return refusals;
  }
  /// Whether texts of so many bytes have come through rank 0.
  bool came_through_rank_0(std::size_t bytes) const { return longest_message_ >= bytes; }
  std::size_t files_in_folder() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_.path()), {}));
  }

  TemporaryFolder folder_;
  std::size_t longest_message_ = 0;
};

std::vector<std::string> texts_of_5000(int ranks) {
  std::vector<std::string> texts;
  for (int rank = 0; rank < ranks; ++rank) {
    texts.push_back(random_text(5000, static_cast<unsigned>(rank)));
  }
  return texts;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += text;
  return all;
}

TEST_F(ThreadedRankFile, IsWrittenByEachRankAtItsPlace) {
  write_file(folder_ / "x", "what was there before");
  for (const int ranks : {1, 2, 4, 7}) {
    const std::vector<std::string> texts = texts_of_5000(ranks);
    EXPECT_EQ(write(folder_ / "x", texts), std::vector<std::string>(texts.size(), "accepted"));
    EXPECT_EQ(read_file(folder_ / "x"), joined(texts));
    EXPECT_FALSE(came_through_rank_0(5000));
  }
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(ThreadedRankFile, TakesTextsOfAnyLength) {
  const std::vector<std::string> texts{"",
                                       "short",
                                       random_text((std::size_t{1} << 26) + 7, 1),
                                       "",
                                       random_text((std::size_t{1} << 25), 2),
                                       "end"};
  write(folder_ / "x", texts);
  EXPECT_TRUE(read_file(folder_ / "x") == joined(texts));
  EXPECT_LT(longest_message_, 5000u);
  write(folder_ / "x", {"", "", "z"});
  EXPECT_EQ(read_file(folder_ / "x"), "z");
  write(folder_ / "x", {"", ""});
  EXPECT_EQ(read_file(folder_ / "x"), "");
}

TEST_F(ThreadedRankFile, ComesThroughRank0WhereARankDoesNotSeeIt) {
  const std::vector<std::string> texts = texts_of_5000(4);
  const LowerLimit few_files(RLIMIT_NOFILE, 100);
  std::atomic<bool> blind = false;
  const auto refusals = write(folder_ / "x", texts, [&](int rank) {
    // A rank that has as many files open as it may opens no other one.
    if (rank != 2 || unshare(CLONE_FILES) != 0) return;
    while (open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0) {
    }
    blind = true;
  });
  if (!blind) GTEST_SKIP() << "threads cannot have files of their own here";
  EXPECT_EQ(refusals, std::vector<std::string>(4, "accepted"));
  EXPECT_EQ(read_file(folder_ / "x"), joined(texts));
  EXPECT_TRUE(came_through_rank_0(5000));
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(ThreadedRankFile, ComesThroughRank0WhereItIsNotReplaced) {
  const std::vector<std::string> texts = texts_of_5000(3);
  write_file(folder_ / "x", "old");
  fs::create_hard_link(folder_ / "x", folder_ / "other name");
  write(folder_ / "x", texts);
  EXPECT_EQ(read_file(folder_ / "other name"), joined(texts));
  EXPECT_TRUE(came_through_rank_0(5000));
  write("/dev/null", texts);
  EXPECT_TRUE(came_through_rank_0(5000));
}

TEST_F(ThreadedRankFile, IsLeftAsItWasWhenARankFails) {
  write_file(folder_ / "x", "old");
  const std::vector<std::string> texts = texts_of_5000(4);
  // A file may end within what rank 2 writes.
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  const auto write_too_much = [&] {
    const LowerLimit short_files(RLIMIT_FSIZE, 12000);
    return write(folder_ / "x", texts);
  };
  const std::string why = (folder_ / "x").string() + ": cannot write: File too large";
  EXPECT_EQ(write_too_much(), std::vector<std::string>(4, "rank 2: " + why));
  EXPECT_EQ(read_file(folder_ / "x"), "old");
  EXPECT_EQ(files_in_folder(), 1u);

  fs::create_hard_link(folder_ / "x", folder_ / "other name");
  EXPECT_EQ(write_too_much(), std::vector<std::string>(4, "rank 0: " + why));
  EXPECT_EQ(read_file(folder_ / "x"), "old");
  std::signal(SIGXFSZ, before);
}

TEST_F(ThreadedRankFile, RefusesAFolderThatIsNotThere) {
  const std::string path = (folder_ / "none") / "x";
  EXPECT_EQ(
      write(path, {"a", "b"}),
      std::vector<std::string>(2, "rank 0: " + path + ": cannot write: No such file or directory"));
}

}  // namespace
}  // namespace sparsecast::testing
