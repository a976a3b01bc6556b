#pragma once

#include "core/workload/layout.hpp"

/// @file
/// `uncached-LAYOUT`: LAYOUT on a GPU, stored as ever, with products that load the multiplied
/// vector past the L1 cache. Bell and Garland 2008 (section 4.7) measured their kernels with the
/// vector read through a cache and without: this is without.

namespace sparsecast {

/// Whether products in this layout load the multiplied vector past the L1 cache.
bool loads_past_l1(const Layout& layout);

/// LAYOUT of `uncached-LAYOUT`.
Layout cached_layout(const Layout& layout);

}  // namespace sparsecast
