"""Builds the preloaded shim and keeps, around one data folder, what a disk would hold."""

import contextlib
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "Tests", "Peers"))

from running import need  # noqa: E402

BUILT = os.path.join(ROOT, ".build-powercut")


def library(name):
    """The shared library of the sources in the folder NAME, built when it is older than them."""
    compiler = need("gcc", "gcc libc6-dev")
    folder = os.path.join(HERE, name)
    files = [os.path.join(folder, file) for file in sorted(os.listdir(folder))]
    target = os.path.join(BUILT, f"{name}.so")
    newest = max(os.path.getmtime(file) for file in files)
    if os.path.exists(target) and os.path.getmtime(target) > newest:
        return target
    os.makedirs(BUILT, exist_ok=True)
    fresh = f"{target}.{os.getpid()}"
    subprocess.run(
        [
            compiler,
            "-std=gnu11",
            "-O2",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-fPIC",
            "-shared",
            "-o",
            fresh,
            *[file for file in files if file.endswith(".c")],
            "-ldl",
            "-lpthread",
        ],
        check=True,
        timeout=120,
    )
    os.replace(fresh, target)
    return target


class Disk:
    """A data folder and its shadow. `environment` is what a program to be cut needs."""

    def __init__(self, data, shadow, synchronous_off=False):
        self.data = data
        self.shadow = shadow
        self.preloaded = [library("synced-only")]
        if synchronous_off:
            self.preloaded.append(library("synchronous-off"))
        self.settle()

    def settle(self):
        """What is in the folder now counts as durable: the state before a start."""
        os.makedirs(self.data, exist_ok=True)
        shutil.rmtree(self.shadow, ignore_errors=True)
        os.makedirs(self.shadow)
        shutil.copytree(self.data, os.path.join(self.shadow, "tree"))

    def environment(self, base=None):
        environment = dict(base or os.environ)
        environment["LD_PRELOAD"] = " ".join(self.preloaded)
        environment["SYNCED_ONLY_OF"] = self.data
        environment["SYNCED_ONLY_TO"] = self.shadow
        return environment

    def lose_power(self):
        """Call after SIGKILL: the folder becomes what was durable, and that is settled."""
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(self.data)
        os.rename(os.path.join(self.shadow, "tree"), self.data)
        self.settle()
