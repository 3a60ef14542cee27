# The page (viewer/), bundled by esbuild from the packages of its lock file and compiled into the room `record`. The packages are fetched once;
# with viewer/node_modules in place, or with a page that was bundled elsewhere (-DCATENA_PAGE=…/viewer/page.cpp of another build), a build needs
# no network, and in the latter case no node either.
set(CATENA_PAGE "" CACHE FILEPATH "page.cpp of another build: the page is not bundled again")
if(CATENA_PAGE)
  target_sources(catena_record PRIVATE ${CATENA_PAGE})
  return()
endif()

find_program(NODE_PROGRAM NAMES node nodejs)
find_program(NPM_PROGRAM npm)
if(NOT NODE_PROGRAM OR NOT NPM_PROGRAM)
  message(FATAL_ERROR "The page that shows runs is bundled with node and npm, which were not found: apt-get install nodejs npm "
    "(`make` does it by itself), or give a bundled page with -DCATENA_PAGE=page.cpp")
endif()

set(viewer ${PROJECT_SOURCE_DIR}/viewer)
set(bundle ${PROJECT_BINARY_DIR}/viewer)
file(GLOB viewer_sources CONFIGURE_DEPENDS ${viewer}/src/*.ts ${viewer}/src/*.css)

add_custom_command(OUTPUT ${bundle}/packages.stamp
  COMMAND ${NODE_PROGRAM} packages.mjs ${NPM_PROGRAM}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${bundle}
  COMMAND ${CMAKE_COMMAND} -E touch ${bundle}/packages.stamp
  DEPENDS ${viewer}/package.json ${viewer}/package-lock.json ${viewer}/packages.mjs
  WORKING_DIRECTORY ${viewer}
  COMMENT "Looking for the packages of the page" VERBATIM)
add_custom_command(OUTPUT ${bundle}/page.cpp
  COMMAND ${NODE_PROGRAM} build.mjs ${bundle}
  DEPENDS ${bundle}/packages.stamp ${viewer}/build.mjs ${viewer}/tsconfig.json ${viewer_sources}
  WORKING_DIRECTORY ${viewer}
  COMMENT "Bundling the page" VERBATIM)
target_sources(catena_record PRIVATE ${bundle}/page.cpp)
