"""What AWS's signature covers, in a header or in the query."""

import pytest
from mitmproxy import http

from thinkwire.exchange.request_headers import is_signed, signs_header

HEADER = "AWS4-HMAC-SHA256 Credential=k/20260101/us-east-1/bedrock/aws4_request, SignedHeaders=%s, Signature=0a"


def request(authorization: str = "", query: str = "") -> http.Request:
    headers = http.Headers(authorization=authorization) if authorization else http.Headers()
    return http.Request.make("POST", f"https://bedrock.test/model/m/converse?{query}", b"{}", headers)


@pytest.mark.parametrize(
    "signed",
    [
        request(HEADER % "accept-encoding;host;x-amz-date"),
        request((HEADER % "Host;Accept-Encoding").replace("HMAC", "ECDSA-P256")),
        request((HEADER % "accept-encoding").replace(", ", ",")),
        request(query="X-Amz-SignedHeaders=host%3Baccept-encoding&X-Amz-Signature=0a"),
    ],
)
def test_headers_that_the_signature_names_are_signed(signed: http.Request) -> None:
    assert is_signed(signed)
    assert signs_header(signed, "accept-encoding")


@pytest.mark.parametrize(
    "signed",
    [
        request(HEADER % "host;x-amz-accept-encoding"),
        request("AWS4-HMAC-SHA256 nonsense"),
        request(query="X-Amz-SignedHeaders=host&X-Amz-Signature=0a"),
        request(query="X-Amz-Signature=0a"),
    ],
)
def test_other_headers_are_not_signed(signed: http.Request) -> None:
    assert is_signed(signed)
    assert not signs_header(signed, "accept-encoding")


@pytest.mark.parametrize("plain", [request(), request("Bearer AWS4-HMAC-SHA256 SignedHeaders=accept-encoding")])
def test_a_request_without_a_signature_signs_nothing(plain: http.Request) -> None:
    assert not is_signed(plain)
    assert not signs_header(plain, "accept-encoding")
