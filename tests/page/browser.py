"""A headless Chromium that a test drives by its DevTools protocol, with the standard library alone."""
import base64
import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import urllib.request

NAMES = ("chromium", "chromium-browser", "google-chrome")


def program():
    """The path of the browser, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Socket:
    """A WebSocket (RFC 6455) of a client: whole texts only."""

    def __init__(self, host, port, path):
        self.socket = socket.create_connection((host, port))
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\n"
                             f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
                             "Sec-WebSocket-Version: 13\r\n\r\n").encode())
        self.rest = b""
        while b"\r\n\r\n" not in self.rest:
            self.rest += self._some()
        self.rest = self.rest.split(b"\r\n\r\n", 1)[1]

    def _some(self):
        data = self.socket.recv(1 << 16)
        if not data:
            raise EOFError("the browser has closed the connection")
        return data

    def _take(self, count):
        while len(self.rest) < count:
            self.rest += self._some()
        taken, self.rest = self.rest[:count], self.rest[count:]
        return taken

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        size = len(data)
        head = (bytes([0x81, 0x80 | size]) if size < 126 else
                struct.pack(">BBH", 0x81, 0xfe, size) if size < 65536 else struct.pack(">BBQ", 0x81, 0xff, size))
        self.socket.sendall(head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(data)))

    def receive(self):
        text = b""
        while True:
            first, second = self._take(2)
            size = second & 0x7f
            if size == 126:
                size, = struct.unpack(">H", self._take(2))
            elif size == 127:
                size, = struct.unpack(">Q", self._take(8))
            data = self._take(size)
            if first & 0xf in (0, 1):
                text += data
                if first & 0x80:
                    return text.decode()


class Browser:
    """One page in a browser of its own. What its console says, and what it loads, is kept."""

    def __init__(self, width=1300, height=900, dark=False):
        self.directory = tempfile.mkdtemp(prefix="ovni-browser-")
        words = [program(), "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
                 "--no-first-run", "--disable-background-networking", "--disable-dev-shm-usage",
                 f"--user-data-dir={self.directory}", f"--window-size={width},{height}", "about:blank"]
        self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        start_new_session=True)
        self.number, self.messages, self.requests = 0, [], []
        self.socket = self._connect()
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        if dark:
            self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])

    def _connect(self):
        path = os.path.join(self.directory, "DevToolsActivePort")
        while not (os.path.exists(path) and open(path).read().count("\n") >= 1):
            if self.process.poll() is not None:
                raise RuntimeError(f"{program()} has ended with {self.process.returncode}")
            time.sleep(0.05)
        port = int(open(path).read().split()[0])
        while True:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json") as answer:
                pages = [page for page in json.load(answer) if page["type"] == "page"]
            if pages:
                address = pages[0]["webSocketDebuggerUrl"]
                return Socket("127.0.0.1", port, "/" + address.split("/", 3)[3])
            time.sleep(0.05)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
        except (EOFError, OSError):
            pass
        self.process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)

    def _event(self, message):
        method, values = message["method"], message["params"]
        if method == "Runtime.consoleAPICalled":
            self.messages.append(" ".join(str(a.get("value", a.get("description"))) for a in values["args"]))
        elif method == "Runtime.exceptionThrown":
            details = values["exceptionDetails"]
            self.messages.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded":
            self.messages.append(values["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(values["request"]["url"])

    def _next(self):
        message = json.loads(self.socket.receive())
        if "method" in message:
            self._event(message)
        return message

    def call(self, method, **values):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": values}))
        while True:
            message = self._next()
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]

    def open(self, path):
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        while self.run("document.readyState") != "complete" or self.run("location.protocol") != "file:":
            time.sleep(0.05)

    def run(self, script):
        """The value of an expression in the page."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def settle(self):
        """Waits until what was to be drawn is drawn."""
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)
        self.settle()

    def press(self, key):
        for kind in ("keyDown", "keyUp"):
            more = {"text": key} if len(key) == 1 and kind == "keyDown" else {}
            if key == "Enter" and kind == "keyDown":
                more = {"text": "\r"}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, **more)
        self.settle()

    def screenshot(self, path, whole=False):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(data["data"]))
