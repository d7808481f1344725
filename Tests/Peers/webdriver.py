"""A headless Chromium by WebDriver: plain HTTP and JSON, no library (W3C WebDriver)."""

import base64
import os
import time

from running import Running, free_port, need
from web import Visitor

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Chromium:
    """One browser with a fresh profile; the session is always deleted, or Chromium is orphaned."""

    def __init__(self, folder, scripts=True):
        self.folder = folder
        self.scripts = scripts

    def __enter__(self):
        driver = need("chromedriver", "chromium-driver")
        browser = need("chromium", "chromium")
        port = free_port()
        environment = dict(os.environ, HOME=self.folder)
        for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
            environment.pop(name, None)
        self.running = Running(
            [driver, f"--port={port}"],
            os.path.join(self.folder, "chromedriver.log"),
            environment,
        )
        self.http = Visitor(timeout=60)
        self.base = f"http://127.0.0.1:{port}"
        try:
            self.running.wait_for_port(port)
            preferences = (
                {} if self.scripts else {"profile.managed_default_content_settings.javascript": 2}
            )
            options = {
                "binary": browser,
                "prefs": preferences,
                "args": [
                    "--headless=new",
                    "--no-sandbox",
                    "--disable-gpu",
                    "--disable-dev-shm-usage",
                    "--no-first-run",
                    "--disable-background-networking",
                    "--no-proxy-server",
                    f"--user-data-dir={os.path.join(self.folder, 'profile')}",
                ],
            }
            value = self._send(
                "POST",
                "/session",
                {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}},
            )
            self.session = f"/session/{value['sessionId']}"
        except BaseException:
            self.running.stop()
            raise
        return self

    def __exit__(self, *_):
        try:
            self._send("DELETE", self.session)
        finally:
            self.running.stop()

    def _send(self, method, path, document=None):
        answer = self.http.send(method, self.base + path, document=document)
        value = answer.json()["value"]
        if answer.status != 200:
            raise RuntimeError(f"WebDriver: {value.get('error')}: {value.get('message', '')[:300]}")
        return value

    def open(self, url):
        self._send("POST", f"{self.session}/url", {"url": url})

    @property
    def url(self):
        return self._send("GET", f"{self.session}/url")

    @property
    def title(self):
        return self._send("GET", f"{self.session}/title")

    @property
    def source(self):
        return self._send("GET", f"{self.session}/source")

    def text(self, element=None):
        element = element or self.wait_for("body")
        return self._send("GET", f"{self.session}/element/{element}/text")

    def find(self, selector):
        """The elements that match a CSS selector, now."""
        found = self._send(
            "POST", f"{self.session}/elements", {"using": "css selector", "value": selector}
        )
        return [element[ELEMENT] for element in found]

    def wait_for(self, selector, limit=20.0):
        """The first element that matches, as soon as there is one that can be seen."""
        end = time.monotonic() + limit
        while time.monotonic() < end:
            for element in self.find(selector):
                if self._displayed(element):
                    return element
            time.sleep(0.05)
        raise AssertionError(f"nothing matches {selector} at {self.url}: {self.source[:2000]}")

    def _displayed(self, element):
        try:
            return self._send("GET", f"{self.session}/element/{element}/displayed")
        except RuntimeError:  # the page replaced it in the meantime
            return False

    def wait_until(self, question, what, limit=20.0):
        end = time.monotonic() + limit
        while time.monotonic() < end:
            if question():
                return
            time.sleep(0.05)
        raise AssertionError(f"{what} did not happen; at {self.url}: {self.source[:2000]}")

    def type(self, selector, text):
        element = self.wait_for(selector)
        self._send("POST", f"{self.session}/element/{element}/clear", {})
        self._send("POST", f"{self.session}/element/{element}/value", {"text": text})

    def click(self, selector):
        self.click_element(self.wait_for(selector))

    def click_text(self, selector, text, limit=20.0):
        """The first element that matches and reads so."""
        end = time.monotonic() + limit
        while time.monotonic() < end:
            for element in self.find(selector):
                if self._displayed(element) and self.text(element).strip() == text:
                    return self.click_element(element)
            time.sleep(0.05)
        raise AssertionError(f"no {selector} reads {text} at {self.url}: {self.source[:2000]}")

    def click_element(self, element):
        self._send("POST", f"{self.session}/element/{element}/click", {})

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self._send("GET", f"{self.session}/screenshot")))
