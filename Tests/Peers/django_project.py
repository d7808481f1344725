"""A Django project as `startproject` makes it, with what `--for` prints pasted where it says."""

import json
import os
import shutil
import subprocess
import urllib.parse

from running import Running
from steps import expect
from web import form_with

HERE = os.path.dirname(os.path.abspath(__file__))
SITE = "site_of_ours"
SETTINGS = "settings.py, at its end"
URLS = "urls.py, at its end"


class Project:
    """One project with a server and a database in a folder of its own."""

    def __init__(self, python, folder, port):
        self.python, self.folder, self.port = python, os.path.join(folder, "project"), port
        self.base = f"http://127.0.0.1:{port}"
        self.running = None
        os.makedirs(self.folder)
        self._call("-m", "django", "startproject", SITE, self.folder)
        # Pages that show who is signed in: a real project has its own, this one would have none.
        shutil.copy(os.path.join(HERE, "django_pages.py"), self.folder)
        self._append("urls.py", "import django_pages\n\nurlpatterns += django_pages.urls\n")

    def paste(self, made):
        """What is to be typed in a terminal is what the check's virtual environment has."""
        for place, text in made.files.items():
            if place == SETTINGS or place == URLS:
                self._append(place.split(",")[0], text)
            elif not place.startswith("Terminal"):
                self._write(place.split(",")[0], text)
        return self

    def add(self, settings):
        """What the check adds to the settings; the caller says why."""
        self._append("settings.py", settings)

    def _write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def _append(self, name, text):
        with open(os.path.join(self.folder, SITE, name), "a", encoding="utf-8") as file:
            file.write(f"\n{text}")

    def _environment(self):
        kept = ("PATH", "HOME", "LANG")
        environment = {name: os.environ[name] for name in kept if name in os.environ}
        return environment | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1"}

    def _call(self, *arguments):
        done = subprocess.run(
            [self.python, *arguments],
            capture_output=True,
            text=True,
            timeout=120,
            cwd=self.folder,
            env=self._environment(),
        )
        if done.returncode != 0:
            raise RuntimeError(f"python {' '.join(arguments[:2])}: {done.stderr[-2000:]}")
        return done.stdout

    def shell(self, code):
        """What a piece of Python within the project says, as JSON on its last line."""
        return json.loads(self._call("manage.py", "shell", "-c", code).splitlines()[-1])

    def __enter__(self):
        self._call("manage.py", "migrate", "--verbosity", "0")
        self.running = Running(
            [self.python, "manage.py", "runserver", "--noreload", f"127.0.0.1:{self.port}"],
            os.path.join(self.folder, "django.log"),
            self._environment(),
            self.folder,
        )
        self.running.serving(self.port)
        return self

    def __exit__(self, *_):
        self.running.stop()

    def who(self, visitor):
        """The person the project finds signed in, or None. Follows no redirect."""
        return self.person(visitor.get(f"{self.base}/"))

    def person(self, answer):
        """The same of an answer that should be such a page."""
        expect(answer.status == 200, f"{answer.status} at {answer.url}: {self.running.tail(1500)}")
        return answer.json() or None

    def press(self, visitor, path):
        """Posts to an address of the project, by a form with Django's token."""
        page = visitor.get(f"{self.base}/button?{urllib.parse.urlencode({'to': path})}")
        action, fields, _ = form_with(page, "csrfmiddlewaretoken")
        return visitor.post(action, fields)

    def session(self, visitor):
        """What the project keeps of the visitor, read where it keeps it."""
        (key,) = (cookie.value for cookie in visitor.cookies if cookie.name == "sessionid")
        return self.shell(
            "import json; from django.contrib.sessions.backends.db import SessionStore;"
            f"print(json.dumps(dict(SessionStore({key!r}).items()), default=str))"
        )
