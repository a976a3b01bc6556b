#include "core/engine/ranks/rank_file.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/files/file_output.hpp"
#include "core/base/files/shared_output.hpp"
#include "core/engine/ranks/rank_errors.hpp"
#include "core/engine/ranks/rank_lists.hpp"
#include "core/engine/ranks/rank_part.hpp"

namespace sparsecast {
namespace {

namespace fs = std::filesystem;

/// What a rank writes between two meetings: none waits for another one's whole text, which may
/// take longer than ranks are waited for.
constexpr std::int64_t piece_bytes = std::int64_t{1} << 25;

/// Each rank writes its own text.
void write_at_once(Communicator& ranks, const SharedOutput& file, const fs::path& path,
                   std::string_view own) {
  const std::vector<std::int64_t> lengths = gather(ranks, std::int64_t{std::ssize(own)});
  const std::int64_t begin =
      std::accumulate(lengths.begin(), lengths.begin() + ranks.rank(), std::int64_t{0});
  const std::int64_t longest = *std::ranges::max_element(lengths);
  for (std::int64_t written = 0; written < longest; written += piece_bytes) {
    do_together(ranks, [&] {
      if (written >= std::ssize(own)) return;
      file.write(begin + written, own.substr(static_cast<std::size_t>(written), piece_bytes), path);
    });
  }
}

/// Rank 0, which has the file, writes all texts.
void write_in_turn(Communicator& ranks, std::optional<OutputFile>& file, std::string_view own) {
  std::string failure;
  gather_texts_in_turn(ranks, own, [&](std::string_view theirs) {
    if (failure.empty()) failure = failure_of([&] { file->write(theirs); });
  });
  do_together(ranks, [&] {
    if (!failure.empty()) throw Error(failure);
  });
}

}  // namespace

void write_together(Communicator& ranks, const fs::path& path, std::string_view own) {
  std::optional<OutputFile> file;  // rank 0's
  SharedName name;
  do_together(ranks, [&] {
    if (ranks.rank() != 0) return;
    file.emplace(path);
    name = file->share();
  });
  const SharedOutput shared(
      {gather_texts(ranks, name.path).front(), gather_texts(ranks, name.token).front()});
  const bool all_see_it = !ranks.any(!shared.found());
  do_together(ranks, [&] {
    if (!name.path.empty()) file->clear();
  });
  if (all_see_it) {
    write_at_once(ranks, shared, path, own);
  } else {
    write_in_turn(ranks, file, own);
  }
  do_together(ranks, [&] {
    if (file) file->commit();
  });
}

}  // namespace sparsecast
