# Bullet's collision detection in double precision. Only src/collide links it; its headers count as the system's, so that their
# warnings are not ours.
find_path(BULLET_INCLUDE btBulletCollisionCommon.h PATH_SUFFIXES bullet REQUIRED)
find_library(BULLET_COLLISION_LIBRARY BulletCollision-float64 REQUIRED)
find_library(BULLET_MATH_LIBRARY LinearMath-float64 REQUIRED)
add_library(catena_bullet INTERFACE)
target_include_directories(catena_bullet SYSTEM INTERFACE ${BULLET_INCLUDE})
target_compile_definitions(catena_bullet INTERFACE BT_USE_DOUBLE_PRECISION)
target_link_libraries(catena_bullet INTERFACE ${BULLET_COLLISION_LIBRARY} ${BULLET_MATH_LIBRARY})
