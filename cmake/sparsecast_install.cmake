# Installs program, libraries, headers, profiles, schedules, manual pages, completion and documents, so that find_package(sparsecast) works. The
# prefix may be moved afterwards: the program finds its profiles relative to itself. The Python module
# says itself where it goes (python/CMakeLists.txt).
include(CMakePackageConfigHelpers)
set(SPARSECAST_CMAKE_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sparsecast)
set(SPARSECAST_PROFILES_DESTINATION ${CMAKE_INSTALL_DATADIR}/sparsecast/profiles)

# All that is built to be installed.
add_custom_target(sparsecast_installed)
add_dependencies(sparsecast_installed sparsecast_program sparsecast_manual)
if(TARGET sparsecast_python)
  add_dependencies(sparsecast_installed sparsecast_python)
endif()

install(TARGETS sparsecast_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS sparsecast_schedule sparsecast_core sparsecast_model sparsecast_calibrate
                sparsecast_predict
        EXPORT sparsecastTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET sparsecast_mpi)
  add_dependencies(sparsecast_installed sparsecast_mpi)
  install(TARGETS sparsecast_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/sparsecast)
endif()
foreach(folder core model calibrate predict)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sparsecast
          FILES_MATCHING PATTERN "*.hpp")
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/profiles/ DESTINATION ${SPARSECAST_PROFILES_DESTINATION}
        FILES_MATCHING PATTERN "*.json" PATTERN "*.csv" PATTERN "*.csv.gz")
install(FILES ${PROJECT_SOURCE_DIR}/cli/html/web/dist/report.licences.txt
        DESTINATION ${CMAKE_INSTALL_DATADIR}/sparsecast/licences)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/schedules/
        DESTINATION ${CMAKE_INSTALL_DATADIR}/sparsecast/schedules FILES_MATCHING PATTERN "*.json")

install(DIRECTORY ${PROJECT_BINARY_DIR}/manual/man/ DESTINATION ${CMAKE_INSTALL_MANDIR})
install(DIRECTORY ${PROJECT_BINARY_DIR}/manual/bash-completion ${PROJECT_BINARY_DIR}/manual/zsh
        DESTINATION ${CMAKE_INSTALL_DATADIR})
# Pages with what they show and link to, and the schemas of what --json prints; not the raw data. They lie to each
# other as in the repository, so that links between them hold.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
        FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png" PATTERN "*.txt" PATTERN "*.json")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/sparsecastConfig.cmake.in
  ${PROJECT_BINARY_DIR}/sparsecastConfig.cmake
  INSTALL_DESTINATION ${SPARSECAST_CMAKE_DESTINATION}
  PATH_VARS SPARSECAST_PROFILES_DESTINATION)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sparsecastConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sparsecastConfig.cmake
              ${PROJECT_BINARY_DIR}/sparsecastConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindLibdeflate.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindMetis.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindZstd.cmake
        DESTINATION ${SPARSECAST_CMAKE_DESTINATION})
install(EXPORT sparsecastTargets NAMESPACE sparsecast:: DESTINATION ${SPARSECAST_CMAKE_DESTINATION})
