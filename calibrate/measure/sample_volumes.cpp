#include "calibrate/measure/sample_volumes.hpp"

#include <algorithm>

namespace sparsecast {

SegmentShape whole_of(const std::vector<SegmentShape>& segments) {
  SegmentShape whole;
  whole.index_bytes = 0;
  double offset_bytes = 0;
  for (const SegmentShape& segment : segments) {
    whole.index_bytes = std::max(whole.index_bytes, segment.index_bytes);
    whole.unknowns += segment.unknowns;
    whole.elements += segment.elements;
    whole.blocks += segment.blocks;
    whole.block_rows += segment.block_rows;
    offset_bytes += segment.offset_bytes * segment.block_rows;
  }
  if (whole.block_rows > 0) whole.offset_bytes = offset_bytes / whole.block_rows;
  whole.total_unknowns = whole.unknowns;
  return whole;
}

double transferred_elements(const Schedule& schedule, const SegmentShape& whole,
                            double vectors_exchanged) {
  double elements = 0;
  for (const Step& step : schedule.iteration) {
    if (step.kind == StepKind::exchange) {
      elements += step.traffic.exchanged_per_total_unknown * whole.unknowns * vectors_exchanged;
    } else {
      elements += evaluate(step.elements, whole);
    }
  }
  return elements;
}

BytesByKind bytes_of(const Schedule& schedule, const SegmentShape& whole, Precision precision) {
  BytesByKind sum;
  for (const Step& step : schedule.iteration) {
    if (step.guard) continue;  // CG2 and its reduction: never in a measured iteration
    const BytesByKind bytes = bytes_moved(step, whole, precision);
    sum.values += bytes.values;
    sum.indices += bytes.indices;
    sum.row_pointers += bytes.row_pointers;
    sum.vector_reads += bytes.vector_reads;
    sum.vector_writes += bytes.vector_writes;
    sum.exchanged += bytes.exchanged;
  }
  return sum;
}

}  // namespace sparsecast
