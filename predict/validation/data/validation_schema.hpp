#pragma once

namespace sparsecast {

/// The version of raw data that this program writes. It reads version 1 too, which says nothing of
/// schedules, launch modes, shapes and access patterns (there all cases are of Algorithm 1), 2,
/// which says nothing of several GPUs, 3, which counts no visits, 4, which has a column "block"
/// with N of `block_layout` in the place of "layout", 5, which has one baseline, and 6, which
/// knows no times to solution.
inline constexpr int validation_schema_version = 7;

}  // namespace sparsecast
