# Run by cpack on the folder that becomes the package: the Python module goes where Debian's Python looks below /usr.
file(GLOB_RECURSE found LIST_DIRECTORIES true ${CPACK_TEMPORARY_DIRECTORY}/*)
foreach(folder ${found})
  if(folder MATCHES "/usr/lib/python3\\.[0-9]+$")
    cmake_path(GET folder PARENT_PATH lib)
    file(RENAME ${folder} ${lib}/python3)
  endif()
endforeach()
