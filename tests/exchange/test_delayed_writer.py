"""What is kept from a client's connection while a stall lasts."""

from thinkwire.exchange.delayed_writer import HeldWriter


class Writer:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.told: list[object] = []

    def write(self, data: bytes) -> None:
        self.told.append(data)

    def write_eof(self) -> None:
        self.told.append("eof")

    def close(self) -> None:
        self.told.append("close")

    def is_closing(self) -> bool:
        return "close" in self.told


def test_what_is_held_is_carried_out_in_order_when_the_last_stall_is_over() -> None:
    writer = Writer()
    held = HeldWriter(writer)
    held.hold_until(2.0)
    held.write(b"a")
    held.hold_until(1.0)
    held.write(b"b")
    held.write_eof()
    held.close()
    held.write(b"lost, as on any connection that was closed")
    assert (writer.told, held.is_closing(), held.until) == ([], False, 2.0)
    held.release()
    assert (writer.told, held.is_closing()) == ([b"a", b"b", "eof", "close"], True)
