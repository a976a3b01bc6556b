#pragma once

#include <string_view>

#include "model/network/network.hpp"
#include "model/profile/profile_fields.hpp"

/// @file
/// What files and tables call the parts of a network.

namespace sparsecast {

inline constexpr NamedValues<Transport, 4> transport_names{{{"mpi", Transport::mpi},
                                                            {"staged", Transport::staged},
                                                            {"nccl", Transport::nccl},
                                                            {"gpu-aware", Transport::gpu_aware}}};
inline constexpr NamedValues<LinkClass, 2> link_class_names{
    {{"same_host", LinkClass::same_host}, {"other_host", LinkClass::other_host}}};

/// "same host", "other host": in a sentence.
constexpr std::string_view link_class_text(LinkClass of_class) {
  return of_class == LinkClass::same_host ? "same host" : "other host";
}

}  // namespace sparsecast
