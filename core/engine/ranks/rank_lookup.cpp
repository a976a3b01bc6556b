#include "core/engine/ranks/rank_lookup.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/engine/ranks/rank_lists.hpp"

namespace sparsecast {

RankRows in_order_of_ranks(Communicator& ranks, std::int64_t mine) {
  RankRows items;
  items.begins.push_back(0);
  for (const std::int64_t count : gather(ranks, mine)) {
    items.begins.push_back(items.total() + count);
  }
  return items;
}

RankLookup::RankLookup(Communicator& ranks, const RankRows& items,
                       std::span<const std::int64_t> own, Buffer<std::int64_t> wanted)
    : own_(own), begin_(items.begin(ranks.rank())), foreign_(std::move(wanted)) {
  std::erase_if(foreign_, [this](std::int64_t item) { return owns(item); });
  std::ranges::sort(foreign_);
  foreign_.erase(std::unique(foreign_.begin(), foreign_.end()), foreign_.end());
  // They rise, and so do the owners: the answers follow each other in the order of the questions.
  std::vector<Buffer<std::int64_t>> lists(static_cast<std::size_t>(ranks.size()));
  for (const std::int64_t item : foreign_) {
    lists[static_cast<std::size_t>(items.owner(item))].push_back(item);
  }
  lists = exchange_lists(ranks, std::move(lists));
  for (Buffer<std::int64_t>& list : lists) {
    for (std::int64_t& item : list) item = own_[static_cast<std::size_t>(item - begin_)];
  }
  numbers_.reserve(foreign_.size());
  for (const Buffer<std::int64_t>& answers : exchange_lists(ranks, std::move(lists))) {
    numbers_.insert(numbers_.end(), answers.begin(), answers.end());
  }
}

bool RankLookup::owns(std::int64_t item) const {
  return item >= begin_ && item < begin_ + std::ssize(own_);
}

std::int64_t RankLookup::of(std::int64_t item) const {
  if (owns(item)) return own_[static_cast<std::size_t>(item - begin_)];
  const auto place = std::ranges::lower_bound(foreign_, item) - foreign_.begin();
  return numbers_[static_cast<std::size_t>(place)];
}

}  // namespace sparsecast
