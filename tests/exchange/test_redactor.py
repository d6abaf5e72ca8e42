"""What is a secret, and that it is removed from a recorded flow wherever it is; what is around it stays."""

import base64
import gzip
import json
import time

import pytest
from mitmproxy import flow, http
from mitmproxy.net import encoding
from mitmproxy.test import tflow
from mitmproxy.websocket import WebSocketData, WebSocketMessage
from wsproto.frame_protocol import Opcode

from thinkwire.exchange.redactor import MARKER, Redactor
from thinkwire.exchange.request_headers import is_signed
from thinkwire.exchange.secret_patterns import NAMES, NAMES_OUTSIDE_OF_JSON
from thinkwire.wire.codings import decoder_for

SECRET = "s3cr3t/of+the=client"
CHAT = "/v1/chat/completions"


def headers(*pairs: tuple[str, str]) -> http.Headers:
    return http.Headers([(name.encode(), value.encode()) for name, value in pairs])


def exchange(
    *sent: tuple[str, str],
    path: str = CHAT,
    asked: bytes = b"{}",
    status: int = 200,
    answered: bytes = b"{}",
    came: tuple[tuple[str, str], ...] = (),
) -> http.HTTPFlow:
    flow = tflow.tflow(resp=True)
    flow.request = http.Request.make("POST", f"https://api.example{path}", asked, headers(*sent))
    flow.response = http.Response.make(status)
    # `make` would encode the body, or drop a coding that it does not know
    flow.response.headers = headers(*came, ("content-length", str(len(answered))))
    flow.response.raw_content = answered
    return flow


def redacted(flow: http.HTTPFlow, *further: str) -> http.HTTPFlow:
    Redactor(further).redact(flow)
    return flow


def answer_of(flow: http.HTTPFlow) -> bytes:
    assert flow.response is not None
    assert flow.response.raw_content is not None
    return flow.response.raw_content


def decoded(flow: http.HTTPFlow) -> bytes:
    assert flow.response is not None
    decoder = decoder_for(flow.response.headers.get("content-encoding", ""))
    assert decoder is not None
    return decoder.decode(answer_of(flow))


# --- names --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*NAMES, *NAMES_OUTSIDE_OF_JSON])
def test_every_name_of_the_table_is_one_of_headers_and_queries(name: str) -> None:
    name = name.replace("*", "x")
    flow = redacted(exchange((name, SECRET), ("accept", "*/*"), path=f"{CHAT}?a=b&{name}=abc123&c=d"))
    assert flow.request.headers.fields[:2] == ((name.encode(), MARKER.encode()), (b"accept", b"*/*"))
    assert flow.request.path == f"{CHAT}?a=b&{name}={MARKER}&c=d"


@pytest.mark.parametrize(
    "name",
    [
        *("authorization", "Proxy-Authorization", "X-API-Key", "api-key", "x-goog-api-key", "cookie", "Set-Cookie"),
        *("x-amz-security-token", "X-Amz-Date", "x-amz-content-sha256", "cf-aig-authorization", "helicone-auth"),
        *("OpenAI-Organization", "openai-project", "anthropic-organization-id", "ocp-apim-subscription-key"),
    ],
)
def test_these_headers_are_secrets_on_both_sides(name: str) -> None:
    flow = redacted(exchange((name, SECRET), came=((name, SECRET),)))
    assert flow.request.headers[name] == MARKER
    assert flow.response is not None
    assert flow.response.headers[name] == MARKER


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("accept-encoding", "gzip"), ("x-thinkwire", "strip"), ("content-type", "application/json")),
        *(
            ("x-ratelimit-remaining-tokens", "149984"),
            ("anthropic-version", "2023-06-01"),
            ("x-request-id", "req_011a"),
        ),
        ("user-agent", "OpenAI/Python 1.60.0"),
    ],
)
def test_these_headers_are_not_secrets(name: str, value: str) -> None:
    assert redacted(exchange((name, value))).request.headers[name] == value


@pytest.mark.parametrize(
    ("value", "left"),
    [
        ("Bearer " + SECRET, "Bearer [removed]"),
        ("Basic dXNlcjpodW50ZXIyaHVudGVyMg==", "Basic [removed]"),
        ("my own secret", "[removed]"),
        ("", ""),
    ],
)
def test_the_scheme_of_a_credential_stays(value: str, left: str) -> None:
    assert redacted(exchange(("authorization", value))).request.headers["authorization"] == left


def test_a_signed_request_still_shows_that_it_is_signed() -> None:
    value = (
        "AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE/20260101/us/bedrock/aws4_request, SignedHeaders=host, Signature=0a1b"
    )
    flow = redacted(exchange(("authorization", value)))
    assert flow.request.headers["authorization"] == (
        "AWS4-HMAC-SHA256 Credential=[removed], SignedHeaders=host, Signature=[removed]"
    )
    assert is_signed(flow.request)


def test_a_signed_address_still_shows_that_it_is_signed() -> None:
    query = (
        "X-Amz-Algorithm=A&X-Amz-Credential=AKIA%2Fx&X-Amz-Security-Token=t&X-Amz-SignedHeaders=host&X-Amz-Signature=0"
    )
    flow = redacted(exchange(path=f"/model/m/invoke?{query}"))
    assert flow.request.path == (
        "/model/m/invoke?X-Amz-Algorithm=A&X-Amz-Credential=[removed]&X-Amz-Security-Token=[removed]"
        "&X-Amz-SignedHeaders=host&X-Amz-Signature=[removed]"
    )
    assert is_signed(flow.request)


@pytest.mark.parametrize(
    ("path", "left"),
    [
        (
            "/v1beta/m:streamGenerateContent?alt=sse&key=AIzaSy123",
            "/v1beta/m:streamGenerateContent?alt=sse&key=[removed]",
        ),
        ("/v1?api_key=abc", "/v1?api_key=[removed]"),
        ("/v1?access_token=abc&access%5Ftoken=def", "/v1?access_token=[removed]&access%5Ftoken=[removed]"),
        ("/v1?monkey=a&keys=b", "/v1?monkey=a&keys=b"),
        ("/sk-proj-abcdef123456/v1/chat", "/[removed]/v1/chat"),
    ],
)
def test_a_query_loses_its_secrets(path: str, left: str) -> None:
    assert redacted(exchange(path=path)).request.path == left


def test_an_address_in_a_header_loses_its_secrets() -> None:
    flow = redacted(exchange(came=(("location", "https://a.example/v1?key=abc&b=c"),)))
    assert flow.response is not None
    assert flow.response.headers["location"] == "https://a.example/v1?key=[removed]&b=c"


def test_a_key_in_the_protocol_of_a_web_socket_is_removed() -> None:
    flow = redacted(exchange(("sec-websocket-protocol", "realtime, openai-insecure-api-key.sk-abc123def")))
    assert flow.request.headers["sec-websocket-protocol"] == "realtime, openai-insecure-api-key.[removed]"


@pytest.mark.parametrize("name", ["x-our-ticket", "X_Our_Ticket", "x-our-*", " x-our-ticket "])
def test_further_names_are_removed_everywhere(name: str) -> None:
    asked = b'{"x_our_ticket": "abc", "n": 1}'
    flow = redacted(exchange(("X-Our-Ticket", "abc"), path=f"{CHAT}?x-our-ticket=abc", asked=asked), name)
    assert flow.request.headers["x-our-ticket"] == MARKER
    assert flow.request.path == f"{CHAT}?x-our-ticket={MARKER}"
    assert flow.request.raw_content == b'{"x_our_ticket": "---", "n": 1}'


def test_further_names_that_are_empty_remove_nothing() -> None:
    assert redacted(exchange(("accept", "a")), "", " ").request.headers["accept"] == "a"


# --- bodies -------------------------------------------------------------------------------------------------------


def test_members_of_a_request_are_removed_and_what_a_user_says_stays() -> None:
    asked = (
        b'{ "api_key" : "abc\\"def-ghi-jkl","messages":[{"content":"my key: sk-abc123456, \\"api_key\\": \\"b\\""}]}'
    )
    flow = redacted(exchange(asked=asked))
    assert flow.request.raw_content == asked.replace(rb"abc\"def-ghi-jkl", b"[removed]-------")


@pytest.mark.parametrize(
    "said",
    [
        '{"error": {"message": "Incorrect API key provided: %s."}}',
        '{"error": {"message": "bad header", "headers": {"authorization": ["Bearer %s"]}}}',
        '{"error": {"message": "x"}, "request": {"api_key": "%s"}}',
        '{"error": {"metadata": {"raw": "{\\"error\\":{\\"access_token\\":\\"%s\\"}}"}}}',
        '{"error": "cannot fetch https://a.example/v1?alt=sse&key=%s"}',
        "<html>Forbidden: %s</html>",
    ],
)
@pytest.mark.parametrize("coding", ["", "gzip", "br", "zstd", "deflate", "x-gzip"])
@pytest.mark.parametrize("echoed", [SECRET, "short", "sk-another-0123456789abcdef"])
def test_an_error_loses_what_it_echoes(said: str, coding: str, echoed: str) -> None:
    body = (said % echoed).encode()
    raw = encoding.encode(body, coding.removeprefix("x-")) if coding else body
    came = (("content-encoding", coding),) if coding else ()
    sent = (("authorization", "Bearer " + echoed),) if echoed == "short" else (("authorization", SECRET),)
    flow = redacted(exchange(*sent, status=401, answered=raw, came=came))
    assert flow.response is not None
    left = decoded(flow)
    assert echoed.encode() not in left
    assert len(left) == len(body)
    assert flow.response.headers.get("content-encoding", "") == coding
    assert flow.response.headers["content-length"] == str(len(answer_of(flow)))


@pytest.mark.parametrize(
    "token",
    [
        *(
            "sk-abc123",
            "sk-ant-api03-Ab_c-1",
            "sk-proj-ab***********xyz1",
            "AIzaSyA1b2C3",
            "gsk_abcdefgh1234",
            "xai-12345678",
        ),
        *("hf_abcdefgh12", "AKIAABCDEFGHIJKLMNOP", "eyJhbGciOiJIUzI1.eyJzdWIiOiIx.abc-_1", "org-A1b2C3d4E5f6G7h8"),
    ],
)
def test_what_looks_like_a_key_leaves_an_error(token: str) -> None:
    flow = redacted(exchange(status=429, answered=b'{"error":"no: %b in use"}' % token.encode()))
    assert token.encode() not in answer_of(flow)
    assert json.loads(answer_of(flow))["error"].endswith(" in use")


@pytest.mark.parametrize(
    "said",
    [
        b'{"error":{"message":"The model `gpt-5` does not exist","type":"invalid_request_error","code":"risk-aware"}}',
        b'{"error":{"message":"This task-force is unknown, organization is required","param":null}}',
        b'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_011CSHoEeqs5C35K2UUqR7Fy"}',
    ],
)
def test_an_error_without_secrets_stays_as_it_is(said: bytes) -> None:
    assert answer_of(redacted(exchange(("authorization", "Bearer " + SECRET), status=400, answered=said))) == said


def test_an_error_that_cannot_be_decoded_is_left_out() -> None:
    for coding, body in {"gzip": b"no gzip at all", "lzma": b"whatever"}.items():
        flow = redacted(exchange(status=401, answered=body, came=(("content-encoding", coding),)))
        assert answer_of(flow) == b""


@pytest.mark.parametrize(
    "said", ["sk-abc123456 is a key, AIzaSy123, Bearer abcdefghijk", "?key=abc", '"api_key": "abc"']
)
def test_an_answer_of_a_model_stays_as_it_is(said: str) -> None:
    body = json.dumps({"choices": [{"message": {"content": said}}], "error": None}).encode()
    assert answer_of(redacted(exchange(("authorization", "Bearer " + SECRET), answered=body))) == body


@pytest.mark.parametrize(
    "spelling", [SECRET, json.dumps(SECRET)[1:-1].replace("/", "\\/"), "s3cr3t%2Fof%2Bthe%3Dclient"]
)
def test_an_answer_that_echoes_the_credential_loses_it(spelling: str) -> None:
    body = json.dumps({"seen": "X"}).replace("X", spelling).encode()
    for coding in ("", "gzip"):
        raw = gzip.compress(body) if coding else body
        flow = redacted(exchange(("x-api-key", SECRET), answered=raw, came=(("content-encoding", coding),)))
        left = decoded(flow)
        assert spelling.encode() not in left
        assert len(left) == len(body)


@pytest.mark.parametrize("word", ["EMPTY", "lm-studio", "ollama"])
def test_a_credential_that_is_a_word_stays_in_answers(word: str) -> None:
    body = b'{"owned_by":"%b"}' % word.encode()
    assert answer_of(redacted(exchange(("authorization", f"Bearer {word}"), answered=body))) == body


def test_parts_of_credentials_are_known() -> None:
    pair = base64.b64encode(b"me:hunter2hunter2").decode()
    for header, echoed in {
        ("authorization", f"Basic {pair}"): "hunter2hunter2",
        ("cookie", "a=1; session=0123456789abcdef"): "0123456789abcdef",
        ("authorization", "AWS4-HMAC-SHA256 Credential=AKID/2026/aws4_request, Signature=00ff00ff"): "AKID",
    }.items():
        flow = redacted(exchange(header, status=403, answered=f"who is {echoed}?".encode()))
        assert answer_of(flow).startswith(b"who is ")
        assert echoed.encode() not in answer_of(flow)


def test_an_error_within_a_stream_loses_what_it_echoes_and_the_stream_keeps_its_length() -> None:
    said = b'data: {"choices":[{"delta":{"content":"sk-abc123456"}}],"error":null}\n\n'
    error = b'event: error\ndata: {"type":"error","error":{"message":"bad key sk-abc123456"}}\n\n'
    left = answer_of(redacted(exchange(answered=said + error)))
    assert left == said + error.replace(b"sk-abc123456", b"[removed]---")


def test_messages_of_a_web_socket_and_the_text_of_an_error_lose_the_credential() -> None:
    one = exchange(("authorization", "Bearer " + SECRET))
    one.websocket = WebSocketData(close_reason=f"bad key {SECRET}")
    one.websocket.messages = [
        WebSocketMessage(Opcode.TEXT, True, b'{"api_key":"abc","input":"sk-abc123456"}'),
        WebSocketMessage(Opcode.TEXT, False, b'{"type":"error","error":{"message":"sk-abc123456"}}'),
        WebSocketMessage(Opcode.BINARY, False, SECRET.encode()),
    ]
    one.error = flow.Error(f"cannot reach ?key={SECRET}")
    redacted(one)
    assert [message.content for message in one.websocket.messages] == [
        b'{"api_key":"---","input":"sk-abc123456"}',
        b'{"type":"error","error":{"message":"[removed]---"}}',
        b"[removed]-----------",
    ]
    assert one.websocket.close_reason == "bad key [removed]-----------"
    assert SECRET not in one.error.msg


def test_a_large_body_is_searched_quickly() -> None:
    for body in (b'{"a":"' + b'\\"' * 500_000 + b'"}', b'"' * 500_000, b'{"' + b"a-" * 250_000, b"&" + b"a" * 500_000):
        redacted(exchange(asked=body, status=400, answered=body))


# --- what was found to be left ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        *(
            "x-vault-token",
            "hf-token",
            "x-groq-key",
            "x-portkey-provider-key",
            "cf-access-client-id",
            "x-forwarded-user",
        ),
        *("x-goog-authenticated-user-email", "fly-client-ip", "x-original-forwarded-for", "x-slack-signature"),
    ],
)
def test_tokens_and_callers_of_gateways_are_removed_from_headers(name: str) -> None:
    assert redacted(exchange((name, SECRET))).request.headers[name] == MARKER


def test_a_sub_protocol_of_a_websocket_loses_the_key_in_it() -> None:
    value = "realtime, openai-insecure-api-key.ek_abcdef123456, openai-beta.realtime-v1, my-secret.abcdef"
    flow = redacted(exchange(("sec-websocket-protocol", value), status=401, answered=b"no ek_abcdef123456"))
    assert flow.request.headers["sec-websocket-protocol"] == (
        f"realtime, openai-insecure-api-key.{MARKER}, openai-beta.realtime-v1, my-secret.{MARKER}"
    )
    assert b"ek_" not in answer_of(flow)


@pytest.mark.parametrize(
    ("asked", "left"),
    [
        (b'{"authorization_token": "abcdefghijkl"}', b'{"authorization_token": "[removed]---"}'),
        (b'{"api_key": ["abcdefghijkl", "x"]}', b'{"api_key": ["[removed]---", "-"]}'),
        (
            b'{"client_secret": {"value": "abcdefghijkl", "a": 1}}',
            b'{"client_secret": {"value": "[removed]---", "a": 1}}',
        ),
        (b'{"user_id": -12345}', b'{"user_id": -11111}'),
        (b'{"url": "https://x/mcp?a=b&apiKey=abcdefghij"}', b'{"url": "https://x/mcp?a=b&apiKey=[removed]-"}'),
        (b'{"url": "https:\\/\\/x\\u0026sig=abcdefghij"}', b'{"url": "https:\\/\\/x\\u0026sig=[removed]-"}'),
        (b'{"url": "https://me:abcdefghij@x/mcp"}', b'{"url": "https://me:[removed]-@x/mcp"}'),
        (b'{"properties": {"api_key": {"type": "string"}}}', b'{"properties": {"api_key": {"type": "string"}}}'),
    ],
)
def test_a_request_loses_what_it_holds_for_its_tools(asked: bytes, left: bytes) -> None:
    assert redacted(exchange(asked=asked)).request.raw_content == left


@pytest.mark.parametrize(
    "asked", [b'{"tools": [{"authorization": "Bearer abcdefghijkl"}]}', b'{"url": "https://x?api_key=abcdefghijkl"}']
)
def test_an_answer_that_repeats_the_tools_of_its_request_loses_their_keys(asked: bytes) -> None:
    flow = redacted(exchange(asked=asked, answered=b'data: {"tools": "abcdefghijkl"}\n\n'))
    assert answer_of(flow) == b'data: {"tools": "[removed]---"}\n\n'


@pytest.mark.parametrize(
    "said",
    [
        b"arn:aws:iam::123456789012:user/alice",
        b"arn:aws:sts::123456789012:assumed-role/Admin/alice@example.com",
        b"bot@my-project.iam.gserviceaccount.com",
        b"abcd****************wxyz",
        b"****wxyz",
        b"ghs_0123456789abcdef",
        b"vck_0123456789abcdef",
    ],
)
def test_an_error_does_not_identify_the_caller(said: bytes) -> None:
    text = answer_of(redacted(exchange(status=403, answered=b'{"message": "' + said + b' may not"}')))
    assert text.startswith(b'{"message": "[removed]' if len(said) > 8 else b'{"message": "--')
    assert text.endswith(b' may not"}')


def test_an_error_of_google_does_not_name_the_project() -> None:
    text = b'{"message": "not used in project 123456789012", "consumer": "projects/123456789012"}'
    assert b"123456789012" not in answer_of(redacted(exchange(status=403, answered=text)))
    path = "/v1/projects/my-project/locations/us/publishers/google/models/gemini:generateContent"
    assert redacted(exchange(path=path)).request.path == path  # a replay finds by it


@pytest.mark.parametrize(
    "answered",
    [
        b'[{\n "candidates": []\n}\n,\r\n{\n "error": {\n  "message": "sk-abcdef123456"\n }\n}\n]',
        b'event: error\r\ndata: {"message": "sk-abcdef123456"}\r\n\r\n',
        b'{"errors":\n [{"message": "sk-abcdef123456"}]}',
    ],
)
def test_an_error_inside_an_answer_is_read_to_the_end_of_its_event(answered: bytes) -> None:
    assert b"sk-" not in answer_of(redacted(exchange(answered=answered)))


@pytest.mark.parametrize("coding", ["gzip", "utf-8", "aws-chunked"])
def test_a_wrong_coding_hides_no_secret(coding: str) -> None:
    flow = exchange(answered=SECRET.encode(), came=(("content-encoding", coding),))
    flow.request.headers = headers(("x-api-key", SECRET), ("content-encoding", coding))
    flow.request.raw_content = b'{"api_key": "abcdefghijkl"}'
    assert redacted(flow).request.raw_content == b'{"api_key": "[removed]---"}'
    assert SECRET.encode() not in answer_of(flow)


def test_an_echo_in_base64_is_removed() -> None:
    echo = base64.b64encode(SECRET.encode())
    assert echo not in answer_of(redacted(exchange(("x-api-key", SECRET), status=401, answered=b"bad " + echo)))


def test_a_name_of_the_option_may_be_a_letter_and_have_dots() -> None:
    flow = redacted(exchange(path="/v1?k=abc", asked=b'{"my.own": "abc", "k": 5}'), "k", "my.own")
    assert (flow.request.path, flow.request.raw_content) == (f"/v1?k={MARKER}", b'{"my.own": "---", "k": 1}')


@pytest.mark.parametrize("piece", [b"eyJaaaaaaaaaaaa-", b"arn:aws-", b"*", b"user-", b"a-a@", b"://a:"])
@pytest.mark.no_cover
def test_an_error_that_begins_like_many_secrets_is_searched_quickly(piece: bytes) -> None:
    flow = exchange(status=400, answered=piece * (500_000 // len(piece)))
    before = time.process_time()
    redacted(flow)
    assert time.process_time() - before < 2.0
