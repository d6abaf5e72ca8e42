"""A request's body as the rules send it up. It reads the requests of mitmproxy, and changes none."""

from dataclasses import dataclass, field

from mitmproxy import http

from thinkwire.proxy.recollection import Recollection
from thinkwire.proxy.signature import is_signed
from thinkwire.rewrite.history import Refused
from thinkwire.wire.json_tree import Unreadable

__all__ = ["EditedRequest", "edit_request"]


@dataclass(frozen=True, slots=True)
class EditedRequest:
    """What the rules do to the body of a request."""

    before: bytes = b""
    """In no content coding."""
    after: bytes = b""
    notes: list[str] = field(default_factory=list)
    """What the log says of it."""
    refusal: str = ""
    """Why it must not be sent; empty where it may be."""

    @property
    def is_changed(self) -> bool:
        return self.after != self.before


def edit_request(request: http.Request, recollection: Recollection) -> EditedRequest:
    """The body before and after all that the rules do with it; the request itself stays as it is."""
    if is_signed(request):
        return EditedRequest(notes=["request left alone: it is signed (AWS SigV4)"])
    try:
        before = request.get_content(strict=True) or b""
        mapped = recollection.rewrite_request(before) if before else None
    except Refused as refused:
        return EditedRequest(refusal=str(refused))
    except (ValueError, Unreadable) as error:
        return EditedRequest(notes=[f"request left alone: its body cannot be read ({error})"])
    if mapped is None:
        return EditedRequest()
    edited = ["request edited"] if mapped.raw != before else []
    return EditedRequest(before, mapped.raw, [*mapped.notes, *edited])
