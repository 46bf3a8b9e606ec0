"""Has the warm server run a command: ``client.py ADDRESS FILE ...`` or ``client.py ADDRESS -m MODULE ...``.

Imports as little as can be, as it is started for every command of a page.
"""

import json
import os
import socket
import sys

with socket.socket(socket.AF_UNIX) as server:
    server.connect(f"\0{sys.argv[1]}")
    socket.send_fds(server, [b"."], [0, 1, 2])
    given = {"arguments": sys.argv[2:], "folder": os.getcwd(), "environment": dict(os.environ)}
    server.sendall(json.dumps(given).encode())
    server.shutdown(socket.SHUT_WR)
    code = server.recv(8)
sys.exit(int(code or 70))
