"""The compiled modules. The walk has a plain form and may fail to build; the others need a C compiler, from which wheels spare users."""

import sysconfig
from pathlib import Path
from shutil import which

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import PlatformError


class Build(build_ext):
    """Says what to install where a C compiler or Python's headers are missing."""

    def build_extensions(self) -> None:
        """Build, or end with one sentence instead of what each module lacks."""
        compiler = (getattr(self.compiler, "compiler_so", None) or [None])[0]
        missing = [f"a C compiler ({compiler})"] if compiler and not which(compiler) else []
        if compiler and not any(
            Path(folder, "Python.h").exists() for folder in (sysconfig.get_path("include"), *self.compiler.include_dirs)
        ):
            missing.append("the headers of Python (Python.h)")
        if missing:
            raise PlatformError(
                f"tamis is built with {' and '.join(missing)}, which this machine lacks. A wheel of tamis needs neither. "
                "On Debian and Ubuntu: apt-get install gcc libc6-dev python3-dev; on Fedora: dnf install gcc python3-devel; on macOS: "
                "xcode-select --install."
            )
        self.parallel = self.parallel or True  # as many compilers as there are processors
        super().build_extensions()


setup(
    cmdclass={"build_ext": Build},
    ext_modules=[
        Extension(
            f"tamis.native.{name}",
            [f"src/tamis/native/{source}.c" for source in ([name, "words"] if name == "evidence" else [name])],
            depends=["src/tamis/native/native.h", "src/tamis/native/evidence.h"],
            optional=name == "walk",
        )
        for name in ("walk", "markup", "columns", "evidence", "network", "candidates", "shingles", "outline", "places")
    ],
)
