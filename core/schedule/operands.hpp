#pragma once

/// @file
/// How the steps of a schedule refer to its vectors and scalars.

namespace sparsecast {

/// Index of a vector in `Schedule::vectors`, of a scalar in `Schedule::scalars`.
using VectorSlot = int;
using ScalarSlot = int;

/// What a step does with a vector: a step that updates reads and writes every value once.
enum class VectorAccess { read, write, update };

}  // namespace sparsecast
