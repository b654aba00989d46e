"""A client of the Company Data Service, made of its OpenAPI document.

It knows no path: operations are called by their operationId, and the document says how they are sent. What it does know is what the
document explains in words: how to get a token, what to do after a 401, 421, 429 or 503, and how to open a sealed value.
"""

import base64
import json
import time
import urllib.error
import urllib.parse
import urllib.request

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import load_pem_private_key

PATIENCE_SECONDS = 60


class Refused(Exception):
    """A refusal: branch on `key`, log `message`."""

    def __init__(self, status, body, retry_after):
        self.status = status
        self.key = body.get("error_key", "unknown")
        self.message = body.get("error_description") or body.get("error", "")
        self.api_url = body.get("api_url")
        self.retry_after = retry_after
        super().__init__(f"{status} {self.key}: {self.message}")


class Unreadable(Exception):
    """A value that does not open with the key of the service."""


class CompanyData:
    """The API as one service client sees it."""

    def __init__(self, front_door, client_id, client_secret):
        self.front_door = front_door.rstrip("/")
        self.credentials = {"client_id": client_id, "client_secret": client_secret}
        self.token = None
        self.token_ends = 0.0
        self.base = None
        document = self._send("GET", f"{self.front_door}/openapi.json")
        self.operations = {
            operation["operationId"]: {**operation, "method": method.upper(), "path": path}
            for path, methods in document["paths"].items()
            for method, operation in methods.items()
        }

    def call(self, operation_id, params=None, query=None, body=None):
        """Calls an operation in the client's home region. Waits where it is asked to, and follows one 421."""
        operation = self.operations[operation_id]
        deadline = time.monotonic() + PATIENCE_SECONDS
        followed = renewed = False
        while True:
            self._need_token()
            try:
                return self._send(operation["method"], self._address(operation, params, query), body, self.token)
            except Refused as refused:
                if refused.status == 421 and not followed:
                    followed, self.base = True, refused.api_url.rstrip("/")
                elif refused.status == 401 and not renewed:
                    renewed, self.token = True, None
                elif refused.status in (429, 503) and time.monotonic() + (refused.retry_after or 1) < deadline:
                    time.sleep(refused.retry_after or 1)
                else:
                    raise

    def _address(self, operation, params, query):
        path = operation["path"]
        for name, value in (params or {}).items():
            path = path.replace("{" + name + "}", urllib.parse.quote(value, safe=""))
        known = {parameter["name"] for parameter in operation["parameters"] if parameter["in"] == "query"}
        unknown = set(query or {}) - known
        if unknown:
            raise TypeError(f"{operation['operationId']} has no parameter {', '.join(sorted(unknown))}")
        return f"{self.base}{path}" + (f"?{urllib.parse.urlencode(query)}" if query else "")

    def _need_token(self):
        """A token lives for an hour; a new one is asked for five minutes before its end."""
        if self.token and time.monotonic() < self.token_ends:
            return
        form = urllib.parse.urlencode({"grant_type": "client_credentials", **self.credentials}).encode()
        answer = self._send("POST", self.front_door + self.operations["issue_token"]["path"], form)
        self.token = answer["access_token"]
        self.token_ends = time.monotonic() + answer["expires_in"] - 300
        self.base = answer["api_url"].rstrip("/")

    @staticmethod
    def _send(method, url, body=None, token=None):
        headers = {"accept": "application/json"}
        if token:
            headers["authorization"] = f"Bearer {token}"
        if isinstance(body, bytes):
            headers["content-type"] = "application/x-www-form-urlencoded"
        elif body is not None:
            headers["content-type"] = "application/json"
            body = json.dumps(body).encode()
        request = urllib.request.Request(url, data=body, headers=headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                text = answer.read()
                return json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            retry_after = error.headers.get("retry-after")
            text = error.read()
            body = json.loads(text) if text.startswith(b"{") else {}
            raise Refused(error.code, body, int(retry_after) if retry_after else None) from None


class ServiceKey:
    """The private key of a service: an encrypted PKCS#8 PEM and its passphrase."""

    OAEP = padding.OAEP(mgf=padding.MGF1(hashes.SHA256()), algorithm=hashes.SHA256(), label=None)

    def __init__(self, pem, passphrase):
        self.key = load_pem_private_key(pem, passphrase)

    def open(self, wrapper):
        """The plaintext of a sealed value, which is JSON text. Customers seal values themselves, so one may not open."""
        try:
            members = json.loads(wrapper)
            if members["_enc"] != 1:
                raise ValueError("this is a sealed value of another kind")
            wrapped_key, iv, sealed = (base64.b64decode(members[name], validate=True) for name in ("k", "iv", "d"))
            return AESGCM(self.key.decrypt(wrapped_key, self.OAEP)).decrypt(iv, sealed, None).decode()
        except (ValueError, TypeError, LookupError, RecursionError, InvalidTag):
            raise Unreadable from None  # the error of a library may quote the value
