"""pip install . : the library, the program and the module are built by CMake (packages.txt says what is needed) and put into the package."""

import os
import subprocess

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        source = os.path.dirname(os.path.abspath(__file__))
        target = os.path.dirname(os.path.abspath(self.get_ext_fullpath(extension.name)))
        build = os.path.join(os.path.abspath(self.build_temp), "cmake")
        subprocess.check_call(
            ["cmake", "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCATENA_TESTS=OFF",
             "-DCMAKE_BUILD_WITH_INSTALL_RPATH=ON", "-DCMAKE_INSTALL_RPATH=$ORIGIN", "-DCATENA_PYTHON_RPATH=$ORIGIN",
             "-DCATENA_PROGRAM_RPATH=$ORIGIN"])
        subprocess.check_call(["cmake", "--build", build, "--target", "catena_python", "catena_cli"])
        os.makedirs(target, exist_ok=True)
        built = os.path.join(build, "python", "catena")
        for name in os.listdir(built):
            if name.startswith("_catena"):
                self.copy_file(os.path.join(built, name), os.path.join(target, name))
        # The program draws films (catena/program.py); it finds the library beside itself.
        self.copy_file(os.path.join(build, "catena"), os.path.join(target, "catena-program"))
        library = [name for name in os.listdir(os.path.join(build, "src")) if name.startswith("libcatena.so.")]
        for name in library:
            if not os.path.islink(os.path.join(build, "src", name)) or name.count(".") == 2:
                self.copy_file(os.path.realpath(os.path.join(build, "src", name)), os.path.join(target, name))


setup(ext_modules=[Extension("catena._catena", [])], cmdclass={"build_ext": CMakeBuild})
