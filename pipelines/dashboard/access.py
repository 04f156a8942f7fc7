# SPDX-License-Identifier: LGPL-2.1-or-later
"""Who may change settings: one password, sessions in a cookie, a token against forged requests, a limit on attempts."""
import collections
import hashlib
import hmac
import ipaddress
import secrets
import socket
import ssl
import time
import urllib.parse

COOKIE = "dashboard-session"
SESSION_SECONDS = 8 * 3600
MAX_SESSIONS = 64
ATTEMPTS, ALL_ATTEMPTS, WINDOW_SECONDS = 5, 30, 60  # of one address, of all, within so many seconds
MAX_ADDRESSES = 1024


def read_password(path, environment):
    """The first line of the file, else the environment's; None: no password, so the page is read-only."""
    if path:
        with open(path, encoding="utf-8") as file:
            password = file.readline().rstrip("\r\n")
    else:
        password = environment.get("DASHBOARD_PASSWORD")
        if password is None:
            return None
    if len(password) < 8:
        raise ValueError("the password has less than 8 characters: choose a longer one")
    return password


def tls_context(certificate, key):
    """Of a server. ValueError has the sentence for the user: the system does not say which file it means."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(certificate, key)
    except OSError as problem:
        raise ValueError(f"--tls-cert {certificate} and --tls-key {key} cannot be used: {problem.strerror or problem}") from None
    return context


def part_of(url, name):
    """A part of a URL that somebody has sent; empty where it is no URL."""
    try:
        return getattr(urllib.parse.urlsplit(url), name) or ""
    except ValueError:
        return ""


class Access:
    def __init__(self, password, hosts=()):
        self.digest = self._digest(password) if password is not None else None
        self.hosts = {"localhost", socket.gethostname().lower(), *(host.lower() for host in hosts)}
        self.sessions = collections.OrderedDict()  # id: (token, end)
        self.attempts = collections.OrderedDict()  # address: times of wrong passwords
        self.all_attempts = collections.deque()

    @staticmethod
    def _digest(password):
        return hashlib.sha256(password.encode()).digest()

    @property
    def read_only(self):
        return self.digest is None

    # -- where a request comes from

    def host_allowed(self, host):
        """Whether a request is for an address or one of our names. A foreign name that leads here is an attack by DNS."""
        name = part_of(f"//{host}", "hostname")
        try:
            ipaddress.ip_address(name)
            return True
        except ValueError:
            return name.lower() in self.hosts

    @staticmethod
    def same_origin(request):
        """Whether a page of this server sent the request; programs other than browsers send no origin."""
        origin = request.headers.get("Origin")
        return origin is None or part_of(origin, "netloc") == request.host

    # -- the password

    def seconds_to_wait(self, address):
        """How long this address has to wait before its next attempt; 0: not at all."""
        now = time.monotonic()
        own = self.attempts.get(address, collections.deque())
        for times in own, self.all_attempts:
            while times and now - times[0] > WINDOW_SECONDS:
                times.popleft()
        waits = [times[0] + WINDOW_SECONDS - now for times, most in ((own, ATTEMPTS), (self.all_attempts, ALL_ATTEMPTS))
                 if len(times) >= most]
        return max(waits, default=0)

    def log_in(self, password, address):
        """Returns the id and the token of a new session, or None for a wrong password."""
        # The comparison of digests takes the same time wherever they differ, and whatever the lengths.
        if self.digest is None or not hmac.compare_digest(self._digest(password), self.digest):
            now = time.monotonic()
            self.attempts.setdefault(address, collections.deque()).append(now)
            self.attempts.move_to_end(address)
            self.all_attempts.append(now)
            if len(self.attempts) > MAX_ADDRESSES:
                self.attempts.popitem(last=False)
            return None
        self.attempts.pop(address, None)
        session, token = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        self.sessions[session] = token, time.monotonic() + SESSION_SECONDS
        if len(self.sessions) > MAX_SESSIONS:
            self.sessions.popitem(last=False)
        return session, token

    def log_out(self, request):
        self.sessions.pop(request.cookies.get(COOKIE), None)

    def token_of(self, request):
        """The token of the request's session, which pages send back with each change; None: nobody is logged in."""
        token, end = self.sessions.get(request.cookies.get(COOKIE, ""), (None, 0))
        return token if time.monotonic() < end else None

    def may_change(self, request):
        token = self.token_of(request)
        sent = request.headers.get("X-Dashboard-Token", "")
        return token is not None and self.same_origin(request) and hmac.compare_digest(token.encode(), sent.encode(errors="surrogateescape"))
