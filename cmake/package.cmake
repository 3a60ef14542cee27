# `make package`: one .deb with the program, the library and its headers, the Python module, the examples and the documentation.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME catena)
set(CPACK_PACKAGE_VENDOR "The catena authors")
set(CPACK_PACKAGE_CONTACT "The catena authors <catena@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION "Simulates robots, linkages and other mechanisms with hard joints, closed loops and
frictional contact, and shows what it has done: a program, a C++ library and a Python module.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR})
set(CPACK_STRIP_FILES ON)

# The parts are components, all in one file.
set(CPACK_COMPONENTS_ALL program library headers python examples docs)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
# Debian's Python looks below /usr in lib/python3, not in the folder of a version.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package_python.cmake)

# dpkg-shlibdeps finds the packages of the libraries that the files are linked with; libcatena itself is in this one.
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/src)
# The module is built for one version of Python (python/CMakeLists.txt).
get_property(minor GLOBAL PROPERTY CATENA_PYTHON_MINOR)
if(minor)
  math(EXPR next "${minor} + 1")
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "python3 (>= 3.${minor}), python3 (<< 3.${next}), python3-numpy")
endif()
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libeigen3-dev")   # the headers include it
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "chromium, ffmpeg")  # catena render
include(CPack)
