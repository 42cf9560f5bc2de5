#!/usr/bin/env python3
"""A caching proxy for Debian repositories: the practice hosts' only way out.

usage: pkgcache.py ADDRESS PORT DIR [--allow HOST]... [--proxy URL]

Indices (/dists/) are always asked for upstream, so a host never sees an old InRelease beside newer
Packages ("Hash Sum mismatch"); the last good copy answers when upstream can't be reached. Packages and
by-hash files never change under their name and are kept. Only GET and HEAD, only the repositories' hosts.
"""
import argparse, hashlib, http.client, http.server, os, re, socketserver, sys, threading, urllib.parse

p = argparse.ArgumentParser()
p.add_argument("address"); p.add_argument("port", type=int); p.add_argument("dir")
p.add_argument("--allow", action="append", default=[]); p.add_argument("--proxy", default="")
o = p.parse_args()

FOREVER = re.compile(r"(/by-hash/[A-Za-z0-9]+/[0-9a-f]+|\.u?deb)$")
KNOWN = re.compile(r"/dists/|\.u?deb$|/(Packages|Release|InRelease|Sources)(\.[a-z0-9]+)*$")
PASS = ("Content-Type", "Content-Length", "Last-Modified", "ETag")
locks, locks_of = {}, threading.Lock()
here = threading.local()


class Upstream(Exception):
    pass


def ask(method, url, headers, hops=3):
    """One request upstream, over this thread's open connection where there is one."""
    u = urllib.parse.urlsplit(url)
    if u.hostname not in o.allow:
        raise Upstream("redirected to %s" % u.hostname)
    via = urllib.parse.urlsplit(o.proxy) if o.proxy else u
    key = (via.hostname, via.port or 80)
    pool = here.__dict__.setdefault("pool", {})
    target = url if o.proxy else urllib.parse.urlunsplit(("", "", u.path, u.query, ""))
    for fresh in (False, True):
        c = pool.pop(key, None)
        if c is None:
            c, fresh = http.client.HTTPConnection(*key, timeout=60), True
        try:
            c.request(method, target, headers=dict(headers, Host=u.netloc))
            r = c.getresponse()
        except (OSError, http.client.HTTPException) as e:
            c.close()
            if fresh:
                raise Upstream("%s: %s" % (u.netloc, e))
            continue                            # an idle connection that upstream had closed
        if r.status in (301, 302, 303, 307, 308) and hops:
            to = urllib.parse.urljoin(url, r.getheader("Location", ""))
            r.read(); pool[key] = c
            return ask(method, to, headers, hops - 1)
        return r, lambda: pool.__setitem__(key, c)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 120
    wbufsize = 1 << 16

    def do_HEAD(self): self.answer()
    def do_GET(self): self.answer()
    def log_message(self, *a): pass

    def note(self, what):
        print(self.client_address[0], what, self.path, flush=True)

    def fail(self, status, text):
        self.note(str(status))
        body = (text + "\n").encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain"); self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD": self.wfile.write(body)

    def answer(self):
        u = urllib.parse.urlsplit(self.path)
        if u.scheme != "http" or u.hostname not in o.allow or not KNOWN.search(u.path):
            return self.fail(403, "practice hosts reach Debian repositories only")
        name = hashlib.sha256(self.path.encode()).hexdigest()
        at = os.path.join(o.dir, name[:2], name)
        try:
            if not FOREVER.search(u.path):
                return self.fetch(at)
            with locks_of: lock = locks.setdefault(at, threading.Lock())
            with lock:                          # one download, the others wait for it
                if not os.path.exists(at): return self.fetch(at)
            self.serve(at, "hit")
        except Upstream as e:
            if os.path.exists(at): return self.serve(at, "offline")
            self.fail(502, "upstream: %s" % e)

    def serve(self, at, what):
        self.note(what)
        with open(at, "rb") as f:
            self.send_response(200)
            self.send_header("Content-Type", "application/octet-stream")
            self.send_header("Content-Length", str(os.fstat(f.fileno()).st_size))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.flush(); self.connection.sendfile(f)

    def fetch(self, at):
        ask_for = {k: self.headers[k] for k in ("If-Modified-Since", "If-None-Match", "Cache-Control", "User-Agent") if k in self.headers}
        r, keep = ask(self.command, self.path, ask_for)
        if r.status >= 500:
            r.close(); raise Upstream("status %d" % r.status)
        self.note(str(r.status))
        self.send_response(r.status)
        for k in PASS:
            if r.getheader(k): self.send_header(k, r.getheader(k))
        length = r.getheader("Content-Length")
        if length is None and self.command != "HEAD" and r.status != 304:
            self.send_header("Connection", "close"); self.close_connection = True
        self.end_headers()
        if self.command == "HEAD" or r.status != 200:
            while data := r.read(1 << 16): self.wfile.write(data)
            return keep()
        os.makedirs(os.path.dirname(at), exist_ok=True)
        tmp, size, client = "%s.%d" % (at, threading.get_ident()), 0, True
        try:
            with open(tmp, "wb") as f:
                while data := r.read(1 << 17):
                    f.write(data); size += len(data)
                    if client:
                        try: self.wfile.write(data)
                        except OSError: client = False   # it went away; the next one has it
            if length is not None and size != int(length): raise OSError("short answer: %s" % self.path)
            os.replace(tmp, at)
        except (OSError, http.client.HTTPException) as e:
            self.close_connection = True        # the client sees a short body and asks again
            return self.note("broken: %s" % e)
        finally:
            if os.path.exists(tmp): os.unlink(tmp)
        keep()
        if not client: self.close_connection = True


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads, request_queue_size = True, 128

    def handle_error(self, request, client):
        e = sys.exc_info()[1]
        if not isinstance(e, (ConnectionError, TimeoutError)): super().handle_error(request, client)


Server((o.address, o.port), Handler).serve_forever()
