#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/network/network.hpp"

namespace sparsecast {

/// One measured number of seconds of ranks that do something together.
struct LinkSample {
  enum class Kind {
    message,   ///< one way, between two ranks that do nothing else
    exchange,  ///< with neighbours, both ways at once; until the slowest rank is through
    sum,       ///< over all of the ranks
    work,      ///< of a rank alone, some 50 us; `noise` is how far its times lie apart
  };

  Kind kind = Kind::message;
  Transport transport = Transport::mpi;
  /// Of the ranks that are furthest from each other.
  LinkClass of_class = LinkClass::same_host;
  int ranks = 2;           ///< that take part
  int hosts = 1;           ///< that these ranks are on
  int ranks_per_host = 2;  ///< of these ranks, where most of them are
  // Of an exchange or a message; else 0. Where ranks differ, that of the rank, or host, with most.
  int neighbours = 0;       ///< of a rank
  int near_neighbours = 0;  ///< those of them on its host
  int far_neighbours = 0;   ///< and on others
  int leaving = 0;          ///< messages that leave a host at once
  double bytes = 0;         ///< of each message, or what a sum is of
  double seconds = 0;       ///< median, of one
  double noise = 0;         ///< half width of the median's 95 % interval over the median

  friend bool operator==(const LinkSample&, const LinkSample&) = default;
};

/// The raw data of a network: `NAME.links.csv.gz` beside `NAME.network.json`.
struct LinkSampleFile {
  std::string description;                         ///< of the network
  int adapters_per_host = 1;                       ///< as the user says
  std::map<std::string, std::string> environment;  ///< MPI, NCCL, devices, date, ...
  std::vector<LinkSample> samples;

  friend bool operator==(const LinkSampleFile&, const LinkSampleFile&) = default;
};

/// CSV text: comment lines `# key: value` with schema version and origin, a header line, one line a
/// sample. Numbers are written such that reading gives the same bits.
std::string link_samples_to_csv(const LinkSampleFile& file);

/// The inverse. `name` is used in errors, which are "NAME:LINE: what is wrong; what was expected".
LinkSampleFile parse_link_samples(std::string_view text, const std::string& name);

/// A file that is plain or compressed by gzip.
LinkSampleFile read_link_samples(const std::filesystem::path& path);

}  // namespace sparsecast
