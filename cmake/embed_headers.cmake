# Writes headers into a source file, for kernels that are compiled at run time:
#   cmake -DROOT=... -DOUT=... "-DHEADERS=a;b" -P embed_headers.cmake
set(text "// Made by cmake/embed_headers.cmake.\n#include \"core/cuda/compile/device_headers.hpp\"\n\n")
string(APPEND text "namespace sparsecast::cuda {\n\nconst std::vector<DeviceHeader>& device_headers() {\n")
string(APPEND text "  static const std::vector<DeviceHeader> all = {\n")
foreach(header IN LISTS HEADERS)
  file(READ ${ROOT}/${header} content)
  string(APPEND text "      {\"${header}\", R\"header(${content})header\"},\n")
endforeach()
string(APPEND text "  };\n  return all;\n}\n\n}  // namespace sparsecast::cuda\n")
file(WRITE ${OUT} "${text}")
