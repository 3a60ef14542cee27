// Compiled with the include folders of one room or another; it builds where the room `model` is in sight.
#include "catena/model/model.h"

int main() { return 0; }
