# Reads an HTTP answer up to a byte, with a receive buffer of a given size, and cuts the connection there. Node cannot set that size.
# One line of JSON for each: {"port", "request", "bytes", "buffer", "how": "reset" | "close"}; answers {"read"}: how many bytes came.
import json
import socket
import struct
import sys

for line in sys.stdin:
    task = json.loads(line)
    reader = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if task["buffer"]:
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, task["buffer"])
    reader.connect(("127.0.0.1", task["port"]))
    reader.sendall(task["request"].encode())
    read = 0
    while read < task["bytes"]:
        part = reader.recv(min(65536, task["bytes"] - read))
        if not part:
            break
        read += len(part)
    if task["how"] == "reset":
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    reader.close()
    print(json.dumps({"read": read}), flush=True)
