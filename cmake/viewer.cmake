# The page (viewer/), bundled by esbuild from the packages of its lock file and compiled into the room `record`.
find_program(NODE_PROGRAM NAMES node nodejs)
find_program(NPM_PROGRAM npm)
if(NOT NODE_PROGRAM OR NOT NPM_PROGRAM)
  message(FATAL_ERROR "The page that shows runs is bundled with node and npm, and they are not here: "
    "apt-get install nodejs npm (`make` does it by itself)")
endif()

set(viewer ${PROJECT_SOURCE_DIR}/viewer)
set(bundle ${PROJECT_BINARY_DIR}/viewer)
file(GLOB viewer_sources CONFIGURE_DEPENDS ${viewer}/src/*.ts ${viewer}/src/*.css)

add_custom_command(OUTPUT ${bundle}/packages.stamp
  COMMAND ${NPM_PROGRAM} ci --no-audit --no-fund --loglevel=error
  COMMAND ${CMAKE_COMMAND} -E make_directory ${bundle}
  COMMAND ${CMAKE_COMMAND} -E touch ${bundle}/packages.stamp
  DEPENDS ${viewer}/package.json ${viewer}/package-lock.json
  WORKING_DIRECTORY ${viewer}
  COMMENT "Fetching the packages of the page" VERBATIM)
add_custom_command(OUTPUT ${bundle}/page.cpp
  COMMAND ${NODE_PROGRAM} build.mjs ${bundle}
  DEPENDS ${bundle}/packages.stamp ${viewer}/build.mjs ${viewer}/tsconfig.json ${viewer_sources}
  WORKING_DIRECTORY ${viewer}
  COMMENT "Bundling the page" VERBATIM)
target_sources(catena_record PRIVATE ${bundle}/page.cpp)
