# mypy: ignore-errors
"""asyncio.StreamReader and StreamWriter on a UART: what the port's asyncio does not have."""

import asyncio
from asyncio import core


class Stream:
    """Reads wait until there is something; drain() waits until all has been taken."""

    def __init__(self, stream, extra=None):
        self.s = stream
        self._extra = extra or {}
        self._out = b""

    def get_extra_info(self, name):
        return self._extra[name]

    def close(self):
        pass

    async def wait_closed(self):
        self.s.close()

    async def read(self, size=-1):
        while True:
            yield core._io_queue.queue_read(self.s)
            data = self.s.read() if size < 0 else self.s.read(size)
            if data is not None:
                return data

    async def readinto(self, buffer):
        while True:
            yield core._io_queue.queue_read(self.s)
            count = self.s.readinto(buffer)
            if count is not None:
                return count

    async def readexactly(self, size):
        data = b""
        while len(data) < size:
            data += await self.read(size - len(data))
        return data

    async def readline(self):
        line = b""
        while not line.endswith(b"\n"):
            line += await self.read(1)
        return line

    def write(self, data):
        if not self._out:
            count = self.s.write(data) or 0
            data = data[count:]
        self._out += data

    async def drain(self):
        while self._out:
            yield core._io_queue.queue_write(self.s)
            count = self.s.write(self._out) or 0
            self._out = self._out[count:]


asyncio.Stream = asyncio.StreamReader = asyncio.StreamWriter = Stream
