"""Programs from PyPI, each in a virtual environment of its own below .build-peers."""

import os
import subprocess
import sys

from running import Missing

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Unreachable(Exception):
    """PyPI does not give what is wanted; the message says what pip said."""


def environment(name, *requirements):
    """The folder of the environment's programs, made once and again when a requirement changes."""
    folder = os.path.join(ROOT, ".build-peers", name)
    programs = os.path.join(folder, "bin")
    stamp = os.path.join(folder, "requirement.txt")
    wanted = "\n".join(requirements)
    if os.path.exists(stamp):
        with open(stamp, encoding="utf-8") as file:
            if file.read() == wanted:
                return programs
    made = subprocess.run(
        [sys.executable, "-m", "venv", "--clear", folder], capture_output=True, text=True
    )
    if made.returncode != 0:
        raise Missing("python3 cannot make a virtual environment: apt-get install python3-venv")
    pip = [os.path.join(programs, "python"), "-m", "pip", "install", "--quiet", *requirements]
    try:
        done = subprocess.run(pip, capture_output=True, text=True, timeout=600)
    except subprocess.TimeoutExpired:
        raise Unreachable("pip gave up after ten minutes") from None
    if done.returncode != 0:
        raise Unreachable((done.stderr.strip().splitlines() or ["pip failed"])[-1])
    with open(stamp, "w", encoding="utf-8") as file:
        file.write(wanted)
    return programs


def product(name, *requirements):
    """The same for a product that a check cannot do without: the Python that has it."""
    try:
        return os.path.join(environment(name, *requirements), "python")
    except Unreachable as problem:
        raise Missing(f"PyPI does not give {', '.join(requirements)}: {problem}") from None


def version(python, package):
    """What is installed, by its own metadata."""
    code = "import importlib.metadata, sys; print(importlib.metadata.version(sys.argv[1]))"
    done = subprocess.run(
        [python, "-c", code, package], capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout.strip()
