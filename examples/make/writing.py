"""What the scripts of this folder share: bars between points of the x-z plane, and lines of YAML."""
import math


def number(x):
    """Ten digits are enough: assembly closes the joints to rounding."""
    return f"{x:.10g}" if abs(x) > 1e-12 else "0"


def vector(v):
    return "[" + ", ".join(number(x) for x in v) + "]"


def middle(a, b):
    return [(x + y) / 2 for x, y in zip(a, b)]


def along_z(a, b):
    """The rotation that turns z to the direction from a to b, and their distance."""
    d = [y - x for x, y in zip(a, b)]
    length = math.sqrt(sum(x * x for x in d))
    x, y, z = (value / length for value in d)
    if math.hypot(x, y) < 1e-12:
        return ([1, 0, 0, 0] if z > 0 else [0, 1, 0, 0]), length
    half = math.acos(max(-1.0, min(1.0, z))) / 2
    s = math.sin(half) / math.hypot(x, y)
    return [math.cos(half), -y * s, x * s, 0], length


def bracket(a, b, pin, width, depth):
    """A plate on the bar from a to b that carries a pin beside it, as a shape that is only drawn, in the bar's own coordinates."""
    along, up = (b[0] - a[0], b[2] - a[2]), (pin[0] - (a[0] + b[0]) / 2, pin[2] - (a[2] + b[2]) / 2)
    length = math.hypot(*along)
    x = (along[0] * up[0] + along[1] * up[1]) / length
    z = (along[0] * up[1] - along[1] * up[0]) / length
    tall = abs(z) + width / 2
    return f", {{box: [{number(width)}, {depth}, {number(tall)}], at: {vector([x, 0, z / 2 + math.copysign(width / 4, z)])}, collide: no}}"


class Writer:
    """Collects bodies and joints, and prints them."""

    def __init__(self, colors=()):
        """`colors`: pairs of a part of a name and the color of the bodies whose names have it; the first that fits counts."""
        self.bodies, self.joints, self.colors = [], [], colors

    def body(self, name, text):
        color = next((f", color: {color}" for part, color in self.colors if part in name), "")
        self.bodies.append(f"  {name}: {{{text}{color}}}")

    def rod(self, name, a, b, mass, radius, more="", collide="no"):
        """A round bar from a to b."""
        turn, length = along_z(a, b)
        self.body(name, f"mass: {number(mass)}, position: {vector(middle(a, b))}, orientation: {vector(turn)}, "
                        f"shapes: [{{cylinder: {{radius: {radius}, length: {number(length)}}}, collide: {collide}}}{more}]")

    def bar(self, name, a, b, mass, width, depth, more=""):
        """A bar of rectangular section from a to b, its width in the x-z plane and its depth along y. Shapes in `more` are only drawn: the inertia is
        the bar's."""
        length = math.hypot(b[0] - a[0], b[2] - a[2])
        angle = -math.atan2(b[2] - a[2], b[0] - a[0])
        moments = [mass / 12 * (p * p + q * q) for p, q in ((depth, width), (length, width), (length, depth))]
        inertia = f"inertia: {vector(moments)}, " if more else ""
        self.body(name, f"mass: {number(mass)}, {inertia}position: {vector(middle(a, b))}, orientation: {{axis: [0, 1, 0], angle: {number(angle)}}}, "
                        f"shapes: [{{box: [{number(length)}, {depth}, {width}], collide: no}}{more}]")

    def joint(self, name, kind, first, second, anchor, axis=None, more=""):
        axis = f", axis: {vector(axis)}" if axis else ""
        self.joints.append(f"  {name}: {{kind: {kind}, between: [{first}, {second}], anchor: {vector(anchor)}{axis}{more}}}")

    def cylinder(self, name, first, second, a, b, mass, radius, axis):
        """A hydraulic cylinder from a on `first` to b on `second`: tube and rod, pins at both ends about `axis`, and a slider between them."""
        near = [x + 0.55 * (y - x) for x, y in zip(a, b)]
        far = [x + 0.45 * (y - x) for x, y in zip(a, b)]
        self.rod(f"{name}_tube", a, near, 0.7 * mass, radius)
        self.rod(f"{name}_rod", far, b, 0.3 * mass, 0.55 * radius)
        self.joint(f"{name}_base", "hinge", first, f"{name}_tube", a, axis)
        self.joint(name, "slider", f"{name}_tube", f"{name}_rod", middle(a, b), [y - x for x, y in zip(a, b)])
        self.joint(f"{name}_head", "hinge", f"{name}_rod", second, b, axis)

    def print(self):
        print("bodies:", *self.bodies, "joints:", *self.joints, sep="\n")
