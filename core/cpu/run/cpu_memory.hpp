#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/matrix/csr.hpp"
#include "core/matrix/segment.hpp"
#include "core/workload/layout.hpp"

namespace sparsecast {

/// Throws `Error` with what is needed and what is free when the segments of matrices in a layout
/// and vectors of so many bytes do not fit into the machine's memory; `schedule` is a name for the
/// message.
template <class T>
void require_memory(const std::string& schedule, std::span<const CsrView<T>* const> matrices,
                    const Layout& layout, std::span<const Segment> segments,
                    std::int64_t vector_bytes);

}  // namespace sparsecast
