"""A client created from the description document at run time, like Python's generated clients.

Usage: client.py ADDRESS TOKEN. Runs a series of calls and exits with 0 if all of them worked.
"""

import json
import re
import sys
import urllib.error
import urllib.parse
import urllib.request

ADDRESS, TOKEN = sys.argv[1:]


def fetch(method, url, body=None, headers=None):
    request = urllib.request.Request(url, data=body, method=method, headers=headers or {})
    with urllib.request.urlopen(request) as response:
        return response.status, response.headers, response.read()


def document(address, name):
    _, _, text = fetch("GET", f"{address}/discovery/v1/apis?name={name}&preferred=true")
    (item,) = json.loads(text)["items"]
    assert item["id"] == f"{name}:{item['version']}"
    _, _, text = fetch("GET", item["discoveryRestUrl"])
    found = json.loads(text)
    for link in [*found["icons"].values(), found["documentationLink"]]:
        assert fetch("GET", link)[0] == 200, link
    return found


class ApiError(Exception):
    def __init__(self, status, detail):
        super().__init__(detail["message"])
        self.status, self.reason = status, detail["errors"][0]["reason"]


class Method:
    def __init__(self, api, spec):
        self.api, self.spec = api, spec
        self.parameters = {**api["parameters"], **spec.get("parameters", {})}

    def __call__(self, body=None, media=None, media_type="text/plain", resumable=False, **given):
        for name in given:
            assert name in self.parameters, f"{self.spec['id']} has no parameter {name}"
        for name in self.spec.get("parameterOrder", []):
            assert name in given, f"{self.spec['id']} needs {name}"
        path = re.sub(
            r"\{(\w+)\}",
            lambda match: urllib.parse.quote(str(given[match[1]]), safe="-._~"),
            self.spec["path"],
        )
        query = []
        for name, value in given.items():
            schema = self.parameters[name]
            if schema["location"] == "path":
                continue
            if "enum" in schema:
                assert value in schema["enum"], value
            for one in value if schema.get("repeated") else [value]:
                query.append((name, str(one).lower() if schema["type"] == "boolean" else one))
        base = self.api["rootUrl"]
        headers = {"Authorization": f"Bearer {TOKEN}"}
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body).encode()
        if media is not None:
            assert self.spec["supportsMediaUpload"]
            base += "upload/"
            if resumable:
                query.append(("uploadType", "resumable"))
                headers["X-Upload-Content-Type"] = media_type
            else:
                query.append(("uploadType", "multipart"))
                parts = [("application/json", data or b"{}"), (media_type, media)]
                data = b"".join(
                    b"--part\r\nContent-Type: " + kind.encode() + b"\r\n\r\n" + text + b"\r\n"
                    for kind, text in parts
                )
                data += b"--part--\r\n"
                headers["Content-Type"] = "multipart/related; boundary=part"
        url = base + self.api["servicePath"] + path
        if query:
            url += "?" + urllib.parse.urlencode(query)
        try:
            status, answer, text = fetch(self.spec["httpMethod"], url, data, headers)
            if media is not None and resumable:
                half = len(media) // 2 // 262144 * 262144
                total = len(media)
                for start, end in [(0, half), (half, total)]:
                    span = {"Content-Range": f"bytes {start}-{end - 1}/{total}"}
                    try:
                        _, _, text = fetch("PUT", answer["Location"], media[start:end], span)
                    except urllib.error.HTTPError as more:
                        assert more.code == 308, more
                        assert more.headers["Range"] == f"bytes=0-{end - 1}"
        except urllib.error.HTTPError as error:
            raise ApiError(error.code, json.loads(error.read())["error"]) from None
        if given.get("alt") == "media" or "response" not in self.spec:
            return text
        return self.check(json.loads(text), self.api["schemas"][self.spec["response"]["$ref"]])

    def check(self, value, schema):
        """Holds an answer against its schema."""
        if "$ref" in schema:
            return self.check(value, self.api["schemas"][schema["$ref"]])
        kinds = {"string": str, "integer": int, "boolean": bool, "array": list, "object": dict}
        kind = kinds.get(schema.get("type"))
        assert kind is None or isinstance(value, kind), (value, schema)
        for name, inner in value.items() if isinstance(value, dict) else ():
            known = schema.get("properties", {}).get(name, schema.get("additionalProperties"))
            assert known is not None, f"{name} is in no schema"
            self.check(inner, known)
        for inner in value if isinstance(value, list) else ():
            self.check(inner, schema["items"])
        return value


class Resource:
    def __init__(self, api, spec):
        for name, method in spec.get("methods", {}).items():
            setattr(self, name, Method(api, method))
        for name, resource in spec.get("resources", {}).items():
            setattr(self, name, Resource(api, resource))


drive = Resource(*[document(ADDRESS, "drive")] * 2)

assert drive.about.get()["user"]["isAuthenticatedUser"]
folder = drive.files.insert(
    body={"title": "From Python", "mimeType": "application/vnd.google-apps.folder"}
)
small = drive.files.insert(
    body={"title": "small.txt", "parents": [{"id": folder["id"]}]},
    media=b"some text",
    visibility="PRIVATE",
)
large = drive.files.insert(
    body={"title": "large.bin", "parents": [{"id": folder["id"]}]},
    media=bytes(range(256)) * 4096,
    media_type="application/octet-stream",
    resumable=True,
)
found = drive.files.list(q=f"'{folder['id']}' in parents", orderBy="title", maxResults=1)
assert [item["title"] for item in found["items"]] == ["large.bin"], found
rest = drive.files.list(
    q=f"'{folder['id']}' in parents", orderBy="title", maxResults=1, pageToken=found["nextPageToken"]
)
assert [item["title"] for item in rest["items"]] == ["small.txt"] and "nextPageToken" not in rest
assert drive.files.get(fileId=small["id"], alt="media") == b"some text"
large = drive.files.get(fileId=large["id"] if "id" in large else found["items"][0]["id"])
assert large["fileSize"] == str(256 * 4096), large
changed = drive.files.update(fileId=small["id"], media=b"other", newRevision=False, pinned=False)
assert drive.files.get(fileId=changed["id"], alt="media") == b"other"
permission = drive.permissions.insert(
    fileId=folder["id"],
    sendNotificationEmails=False,
    body={"role": "reader", "type": "user", "value": "friend@example.com"},
)
assert drive.permissions.get(fileId=folder["id"], permissionId=permission["id"])["role"] == "reader"
drive.files.trash(fileId=small["id"])
assert drive.files.delete(fileId=small["id"]) == b""
try:
    drive.files.get(fileId=small["id"])
    raise AssertionError("It is still there.")
except ApiError as error:
    assert (error.status, error.reason) == (404, "notFound"), error
