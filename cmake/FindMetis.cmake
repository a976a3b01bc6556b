# Finds METIS 5, which gives no CMake package in Debian: target Metis::Metis. Used by this build and
# by the installed package. The names of its variables are not those of Ceres's own search.
find_path(SPARSECAST_METIS_INCLUDE_DIR metis.h)
find_library(SPARSECAST_METIS_LIBRARY metis)
mark_as_advanced(SPARSECAST_METIS_INCLUDE_DIR SPARSECAST_METIS_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Metis REQUIRED_VARS SPARSECAST_METIS_LIBRARY
                                  SPARSECAST_METIS_INCLUDE_DIR)
if(Metis_FOUND AND NOT TARGET Metis::Metis)
  add_library(Metis::Metis UNKNOWN IMPORTED)
  set_target_properties(Metis::Metis PROPERTIES
    IMPORTED_LOCATION ${SPARSECAST_METIS_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${SPARSECAST_METIS_INCLUDE_DIR})
endif()
