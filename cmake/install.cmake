# What `make install` puts where: the library, its public headers (include/catena), the program, and what find_package and
# pkg-config need to find them.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS catena EXPORT catenaTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT headers
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET catena_cli)
  file(RELATIVE_PATH to_library /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
  set(CATENA_PROGRAM_RPATH "$ORIGIN/${to_library}" CACHE STRING "Where the installed program finds libcatena, from where it lies")
  set_target_properties(catena_cli PROPERTIES INSTALL_RPATH "${CATENA_PROGRAM_RPATH}")
  install(TARGETS catena_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
endif()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/catena DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT headers
  FILES_MATCHING PATTERN *.h)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/catena COMPONENT examples
  PATTERN __pycache__ EXCLUDE)
# Two pages are links to files of the root folder: the files themselves are installed in their place.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT docs
  PATTERN changelog.md EXCLUDE PATTERN contributing.md EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/develop RENAME changelog.md COMPONENT docs)
install(FILES ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/develop RENAME contributing.md COMPONENT docs)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/CITATION.cff
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT docs)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT docs)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/catena)
install(EXPORT catenaTargets NAMESPACE catena:: DESTINATION ${package_dir} COMPONENT headers)
configure_package_config_file(cmake/catenaConfig.cmake.in ${PROJECT_BINARY_DIR}/catenaConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/catenaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/catenaConfig.cmake ${PROJECT_BINARY_DIR}/catenaConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT headers)

# The prefix is taken from where catena.pc lies, so the installed tree may be moved.
file(RELATIVE_PATH CATENA_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" CATENA_PC_TO_PREFIX "${CATENA_PC_TO_PREFIX}")
configure_file(cmake/catena.pc.in ${PROJECT_BINARY_DIR}/catena.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/catena.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT headers)

# The manual page and the completions of shells, written by the program itself.
if(TARGET catena_cli)
  set(written ${PROJECT_BINARY_DIR}/written)
  install(CODE "
    file(MAKE_DIRECTORY ${written})
    execute_process(COMMAND $<TARGET_FILE:catena_cli> man OUTPUT_FILE ${written}/catena.1 COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND $<TARGET_FILE:catena_cli> completion bash OUTPUT_FILE ${written}/catena COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND $<TARGET_FILE:catena_cli> completion zsh OUTPUT_FILE ${written}/_catena COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND $<TARGET_FILE:catena_cli> completion fish OUTPUT_FILE ${written}/catena.fish COMMAND_ERROR_IS_FATAL ANY)"
    COMPONENT program)
  install(FILES ${written}/catena.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
  install(FILES ${written}/catena DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
  install(FILES ${written}/_catena DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT program)
  install(FILES ${written}/catena.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
endif()
