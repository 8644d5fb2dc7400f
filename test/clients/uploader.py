"""Uploads in the X-Goog-Upload protocol with Python's own HTTP client, over connections that break.

Usage: uploader.py ADDRESS TOKEN. Runs a series of calls and exits with 0 if all of them worked.
"""

import hashlib
import http.client
import json
import sys
import time
import urllib.parse

ADDRESS, TOKEN = sys.argv[1:]
HOST = urllib.parse.urlsplit(ADDRESS).netloc
FILES = "/upload/drive/v2/files"


def send(method, url, headers=None, body=b""):
    connection = http.client.HTTPConnection(HOST)
    connection.request(method, url.removeprefix(ADDRESS), body, headers or {})
    response = connection.getresponse()
    text = response.read()
    connection.close()
    assert response.status == 200, (response.status, text)
    return {name.lower(): value for name, value in response.getheaders()}, text


def signed(headers):
    return {"Authorization": f"Bearer {TOKEN}", **headers}


def command(url, name, **headers):
    return send("POST", url, {"X-Goog-Upload-Command": name, **headers})


def break_off(url, offset, chunk, sent):
    """Promises a chunk, sends the first bytes of it, and hangs up."""
    connection = http.client.HTTPConnection(HOST)
    connection.putrequest("POST", url.removeprefix(ADDRESS))
    connection.putheader("X-Goog-Upload-Command", "upload, finalize")
    connection.putheader("X-Goog-Upload-Offset", str(offset))
    connection.putheader("Content-Length", str(len(chunk)))
    connection.endheaders(chunk[:sent])
    connection.close()


def upload(path, method, metadata, content):
    headers, text = send(
        method,
        path,
        signed(
            {
                "Content-Type": "application/json",
                "X-Goog-Upload-Protocol": "resumable",
                "X-Goog-Upload-Command": "start",
                "X-Goog-Upload-Header-Content-Length": str(len(content)),
                "X-Goog-Upload-Header-Content-Type": "application/x-mine",
            }
        ),
        json.dumps(metadata).encode(),
    )
    assert text == b"" and headers["x-goog-upload-status"] == "active", headers
    url = headers["x-goog-upload-url"]
    unit = int(headers["x-goog-upload-chunk-granularity"])
    # The first chunk arrives, the rest breaks off somewhere in its second unit.
    send(
        "POST",
        url,
        {"X-Goog-Upload-Command": "upload", "X-Goog-Upload-Offset": "0"},
        content[:unit],
    )
    break_off(url, unit, content[unit:], unit + 5)
    for _ in range(100):
        headers, _ = command(url, "query")
        assert headers["x-goog-upload-status"] == "active", headers
        received = int(headers["x-goog-upload-size-received"])
        if received > unit:
            break
        time.sleep(0.05)
    assert received == 2 * unit, received
    headers, text = send(
        "POST",
        url,
        {"X-Goog-Upload-Command": "upload, finalize", "X-Goog-Upload-Offset": str(received)},
        content[received:],
    )
    assert headers["x-goog-upload-status"] == "final", headers
    # The answer was lost: a client asks for it, and nothing happens twice.
    again, same = command(url, "query")
    assert again["x-goog-upload-status"] == "final" and same == text
    file = json.loads(text)
    assert file["md5Checksum"] == hashlib.md5(content).hexdigest(), file
    assert file["mimeType"] == "application/x-mine", file
    return file


content = bytes(range(256)) * 4096 + b"the end"
made = upload(FILES, "POST", {"title": "broken off.bin"}, content)
assert made["title"] == "broken off.bin"
changed = upload(f"{FILES}/{made['id']}", "PUT", {"title": "again.bin"}, content[::-1])
assert (changed["id"], changed["title"]) == (made["id"], "again.bin"), changed
_, text = send("GET", f"/drive/v2/files/{made['id']}?alt=media", signed({}))
assert text == content[::-1]
query = urllib.parse.urlencode({"q": "title contains 'broken' or title contains 'again'"})
_, text = send("GET", f"/drive/v2/files?{query}", signed({}))
assert len(json.loads(text)["items"]) == 1, text
