"""A browser without a window, driven by ChromeDriver (WebDriver is JSON over HTTP)."""

import base64
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the key that WebDriver has for elements

MISSING = 77  # exit status of tests that lack what they need, for ctest


def missing():
    """What is not installed that a browser needs; empty if nothing."""
    return ", ".join(name for name, found in (("chromium", CHROMIUM), ("chromedriver", DRIVER)) if not found)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Browser:
    """`with Browser() as browser:`; `scripts=False` runs no JavaScript of pages."""

    def __init__(self, scripts=True, width=1100, height=900):
        self.folder = tempfile.mkdtemp(prefix="sparsecast-browser-")
        port = free_port()
        self.address = f"http://127.0.0.1:{port}"
        self.driver = subprocess.Popen([DRIVER, f"--port={port}"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
        options = {
            "binary": CHROMIUM,
            "args": ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                     "--disable-background-networking", "--disable-component-update", "--disable-sync",
                     "--hide-scrollbars", f"--user-data-dir={self.folder}", f"--window-size={width},{height}"],
        }
        if not scripts:
            options["prefs"] = {"profile.managed_default_content_settings.javascript": 2}
        wanted = {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}}
        try:
            self.wait_for_driver()
            self.session = "/session/" + self.send("POST", "/session", wanted)["sessionId"]
        except Exception:
            self.end()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.send("DELETE", self.session)
        finally:
            self.end()

    def end(self):
        self.driver.terminate()
        self.driver.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def wait_for_driver(self):
        for _ in range(300):
            try:
                if self.send("GET", "/status")["ready"]:
                    return
            except OSError:
                pass
            time.sleep(0.1)
        raise RuntimeError("chromedriver does not answer")

    def send(self, method, path, body=None):
        data = None if body is None and method != "POST" else json.dumps(body or {}).encode()
        request = urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()) from None

    def open(self, file):
        self.send("POST", self.session + "/url", {"url": "file://" + os.path.abspath(file)})

    def run(self, script, *arguments):
        """What a script, the body of a function, returns."""
        return self.send("POST", self.session + "/execute/sync", {"script": script, "args": list(arguments)})

    def find(self, selector):
        """The elements of a CSS selector."""
        return self.send("POST", self.session + "/elements", {"using": "css selector", "value": selector})

    def text(self, element):
        return self.send("GET", f"{self.session}/element/{element[ELEMENT]}/text")

    def press(self, element, keys):
        """Types keys into an element, which gets the focus."""
        self.send("POST", f"{self.session}/element/{element[ELEMENT]}/value", {"text": keys})

    def point_at(self, x, y):
        """Moves the mouse to a place of the window."""
        moves = [{"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y), "origin": "viewport"}]
        self.send("POST", self.session + "/actions", {"actions": [
            {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": moves}]})

    def console(self):
        """What pages have said since it was last asked, errors of content security policies too."""
        entries = self.send("POST", self.session + "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries]

    def emulate(self, command, **settings):
        """A command of Chromium's own protocol."""
        return self.send("POST", self.session + "/goog/cdp/execute", {"cmd": command, "params": settings})

    def screenshot(self, file):
        with open(file, "wb") as out:
            out.write(base64.b64decode(self.send("GET", self.session + "/screenshot")))

    def pdf(self):
        return base64.b64decode(self.send("POST", self.session + "/print", {"background": True}))
