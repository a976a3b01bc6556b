#pragma once

namespace sparsecast {

/// The size of one device's segment, in the layout that it is stored in.
struct SegmentShape {
  double unknowns = 0;        ///< rows of the segment
  double total_unknowns = 0;  ///< rows of the whole system
  double elements = 0;        ///< matrix values stored, zeros in blocks and padding included
  double blocks = 0;          ///< stored blocks
  double block_rows = 0;
  double index_bytes = 4;   ///< of a stored column index; 0: none is stored
  double offset_bytes = 8;  ///< of a stored row offset; 0: none is stored
};

}  // namespace sparsecast
