"""What is written to a client's connection during a stall, and after it."""

from thinkwire.exchange.delayed_writer import DelayedWriter


class Writer:
    """Notes its calls."""

    def __init__(self) -> None:
        self.calls: list[object] = []

    def write(self, data: bytes) -> None:
        self.calls.append(data)

    def write_eof(self) -> None:
        self.calls.append("eof")

    def close(self) -> None:
        self.calls.append("close")

    def is_closing(self) -> bool:
        return "close" in self.calls


def test_what_is_delayed_is_carried_out_in_order_after_the_last_stall() -> None:
    writer = Writer()
    delayed = DelayedWriter(writer)
    delayed.hold_until(2.0)
    delayed.write(b"a")
    delayed.hold_until(1.0)
    delayed.write(b"b")
    delayed.write_eof()
    delayed.close()
    delayed.write(b"lost, as on any connection that was closed")
    assert (writer.calls, delayed.is_closing(), delayed.until) == ([], False, 2.0)
    delayed.release()
    assert (writer.calls, delayed.is_closing()) == ([b"a", b"b", "eof", "close"], True)
