#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/buffer.hpp"
#include "core/engine/ranks/communicator.hpp"

namespace sparsecast {

/// A list for each rank, each in one allocation. `visit(take)` calls `take(rank, item)` for every
/// item; it is called twice, to count them and to list them.
template <class T, class Visit>
std::vector<Buffer<T>> lists_for_ranks(const Communicator& ranks, const Visit& visit) {
  std::vector<std::size_t> counts(static_cast<std::size_t>(ranks.size()), 0);
  visit([&](int rank, const T&) { ++counts[static_cast<std::size_t>(rank)]; });
  std::vector<Buffer<T>> lists(counts.size());
  for (std::size_t rank = 0; rank < counts.size(); ++rank) lists[rank].reserve(counts[rank]);
  visit([&](int rank, const T& item) { lists[static_cast<std::size_t>(rank)].push_back(item); });
  return lists;
}

/// Sends every rank its list and returns what each of them has for this one, by rank. The lists may
/// differ in length. All ranks call it.
template <class T>
std::vector<Buffer<T>> exchange_lists(Communicator& ranks, std::vector<Buffer<T>> lists) {
  const int size = ranks.size();
  std::vector<std::int64_t> lengths_out;
  std::vector<std::int64_t> lengths_in(static_cast<std::size_t>(size));
  for (const Buffer<T>& list : lists) lengths_out.push_back(std::ssize(list));
  std::vector<OutgoingBytes> out;
  std::vector<IncomingBytes> in;
  for (int rank = 0; rank < size; ++rank) {
    if (rank == ranks.rank()) continue;
    const auto place = static_cast<std::size_t>(rank);
    out.push_back({rank, std::as_bytes(std::span(lengths_out).subspan(place, 1))});
    in.push_back({rank, std::as_writable_bytes(std::span(lengths_in).subspan(place, 1))});
  }
  ranks.exchange(out, in);

  std::vector<Buffer<T>> received(static_cast<std::size_t>(size));
  out.clear();
  in.clear();
  for (int rank = 0; rank < size; ++rank) {
    const auto place = static_cast<std::size_t>(rank);
    if (rank == ranks.rank()) {
      received[place] = std::move(lists[place]);
      continue;
    }
    received[place].resize(static_cast<std::size_t>(lengths_in[place]));
    if (!lists[place].empty()) out.push_back({rank, std::as_bytes(std::span(lists[place]))});
    if (lengths_in[place] > 0) {
      in.push_back({rank, std::as_writable_bytes(std::span(received[place]))});
    }
  }
  ranks.exchange(out, in);
  return received;
}

/// What every rank says, by rank. All ranks call it.
template <class T>
std::vector<T> gather(Communicator& ranks, const T& mine) {
  std::vector<T> all;
  std::vector<Buffer<T>> lists(static_cast<std::size_t>(ranks.size()), Buffer<T>{mine});
  for (const Buffer<T>& each : exchange_lists(ranks, std::move(lists))) {
    all.push_back(each.front());
  }
  return all;
}

/// The same of texts. All ranks call it.
inline std::vector<std::string> gather_texts(Communicator& ranks, const std::string& mine) {
  const std::vector<Buffer<char>> lists(static_cast<std::size_t>(ranks.size()),
                                        Buffer<char>(mine.begin(), mine.end()));
  std::vector<std::string> all;
  for (const Buffer<char>& each : exchange_lists(ranks, lists)) {
    all.emplace_back(each.begin(), each.end());
  }
  return all;
}

}  // namespace sparsecast
