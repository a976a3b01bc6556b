#include "core/engine/ranks/rank_errors.hpp"

#include <new>
#include <vector>

#include "core/base/error.hpp"
#include "core/engine/ranks/rank_lists.hpp"

namespace sparsecast {

std::optional<RankError> first_error(Communicator& ranks, const std::string& error) {
  if (!ranks.any(!error.empty())) return std::nullopt;
  std::optional<RankError> first;
  bool of_all = true;
  int rank = 0;
  for (const std::string& text : gather_texts(ranks, error)) {
    of_all = of_all && text == error;
    if (!first && !text.empty()) first = RankError{rank, text, false};
    ++rank;
  }
  // A rank that says something else may not be the first one.
  first->of_all = !ranks.any(!of_all);
  return first;
}

std::string failure_of(const std::function<void()>& part) {
  try {
    part();
  } catch (const Error& error) {
    return error.what();
  } catch (const std::bad_alloc&) {
    return "out of memory; use more hosts, or a smaller matrix";
  }
  return {};
}

void do_together(Communicator& ranks, const std::function<void()>& part) {
  if (const auto first = first_error(ranks, failure_of(part))) {
    throw Error(first->of_all ? first->text
                              : "rank " + std::to_string(first->rank) + ": " + first->text);
  }
}

}  // namespace sparsecast
