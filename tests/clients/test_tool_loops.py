"""Tool loops at providers that insist on their thoughts, by clients that forget them: what the shipped rules are for.

The providers are in `enforcing.py`, the clients in `forgetful.py`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, replace

import pytest

from tests.e2e.bodies import STRIP
from tests.e2e.fixtures import StartMitmdump
from tests.e2e.mitmdump import PROJECT, Mitmdump
from tests.e2e.upstream import Upstream

from .enforcing import (
    CIPHER,
    FINAL,
    LOOP,
    SECRET,
    Anthropic,
    ChatProvider,
    DeepSeek,
    DeepSeekR1,
    Gemini,
    GeminiWithoutIds,
    Kimi,
    Provider,
    Responses,
    Step,
)
from .forgetful import (
    QUESTION,
    Asking,
    ChatClient,
    Client,
    GeminiClient,
    MessagesClient,
    ResponsesClient,
    Turn,
)


@dataclass(frozen=True)
class Family:
    """A provider, who asks it, and how the shipped rules know it."""

    rules: str
    provider: type[Provider]
    client: type[Client]
    model: str
    host: str = "gateway.example"


DEEPSEEK = Family("deepseek", DeepSeek, ChatClient, "deepseek-v4-flash")
KIMI = Family("kimi", Kimi, ChatClient, "kimi-k3")
ANTHROPIC = Family("anthropic", Anthropic, MessagesClient, "claude-think")
GEMINI = Family("gemini", Gemini, GeminiClient, "gemini-3-pro")
RESPONSES = Family("openai-responses", Responses, ResponsesClient, "gpt-5")
FAMILIES = {
    "deepseek by model": DEEPSEEK,
    "deepseek by host": replace(DEEPSEEK, model="deepseek-chat", host="api.deepseek.com"),
    "kimi by model": KIMI,
    "kimi by host": replace(KIMI, model="kimi-k2-thinking", host="api.moonshot.ai"),
    "anthropic": ANTHROPIC,
    "gemini": GEMINI,
    "gemini without ids": replace(GEMINI, provider=GeminiWithoutIds),
    "responses": RESPONSES,
}
each_family = pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
each_api = pytest.mark.parametrize("family", [DEEPSEEK, KIMI, ANTHROPIC, GEMINI, RESPONSES], ids=lambda one: one.rules)
each_chat = pytest.mark.parametrize("family", [DEEPSEEK, KIMI], ids=lambda one: one.rules)
streamed_or_not = pytest.mark.parametrize("streams", [True, False], ids=["stream", "body"])
stripped_or_not = pytest.mark.parametrize("wish", [STRIP, {}], ids=["strip", "as it comes"])


class Party:
    """Clients of one provider, through mitmdumps. No key is used by two tests, as all share a mitmdump's memory."""

    def __init__(self, upstream: Upstream, start: StartMitmdump, test: str, opened: contextlib.ExitStack) -> None:
        self._upstream = upstream
        self._start = start
        self._test = test
        self._opened = opened

    def provider(self, family: Family, *script: Step) -> Provider:
        provider = family.provider(*script)
        self._upstream.respond_with(provider.respond)
        return provider

    def with_rules(self, family: Family) -> Mitmdump:
        """The family's own rules, in front of its host."""
        return self._start(
            {"thinkwire_rules": str(PROJECT / "rules" / f"{family.rules}.yaml"), "keep_host_header": "true"}
        )

    def with_default_rules(self) -> Mitmdump:
        return self._start({})

    def client(
        self,
        family: Family,
        mitmdump: Mitmdump,
        wish: dict[str, str],
        *,
        streams: bool = True,
        returns: str | None = None,
        name: str = "a",
    ) -> Client:
        headers = {"Host": family.host, **wish}
        key = f"{name}-{self._test}".encode("ascii", "replace").decode()
        client = family.client(Asking(mitmdump.port, key, family.model, streams, headers, returns))
        self._opened.callback(client.close)
        return client


@pytest.fixture
def party(upstream: Upstream, mitmdump_with: StartMitmdump, request: pytest.FixtureRequest) -> Iterator[Party]:
    with contextlib.ExitStack() as opened:
        yield Party(upstream, mitmdump_with, request.node.name, opened)


def loop(client: Client, question: str = QUESTION) -> list[Turn]:
    """Ask, and look where the provider wants it, until it calls no more."""
    turns = [client.ask(question)]
    while turns[-1].calls:
        assert len(turns) <= len(LOOP)
        turns.append(client.look(turns[-1].calls))
    return turns


def assert_thoughts(turns: list[Turn], *, hidden: bool) -> None:
    if hidden:
        assert not [turn for turn in turns if turn.thought or SECRET in turn.shown or CIPHER in turn.shown]
    else:
        assert len({turn.thought for turn in turns}) == len(turns)
        assert all(turn.thought.startswith(SECRET) for turn in turns)


# --- the loop -----------------------------------------------------------------------------------------------------


@each_family
@stripped_or_not
@streamed_or_not
def test_a_long_loop_ends_well(party: Party, family: Family, wish: dict[str, str], streams: bool) -> None:
    provider = party.provider(family)
    client = party.client(family, party.with_rules(family), wish, streams=streams)
    turns = loop(client)
    assert [len(turn.calls) for turn in turns] == [1] * len(LOOP) + [0]
    assert turns[-1].text == FINAL
    assert_thoughts(turns, hidden=bool(wish))
    assert provider.filled == set()
    assert client.ask("And now?").text == FINAL


@each_family
@streamed_or_not
def test_without_the_rules_it_ends_at_the_second_turn(party: Party, family: Family, streams: bool) -> None:
    provider = party.provider(family)
    client = party.client(family, party.with_default_rules(), {}, streams=streams)
    first = client.ask(QUESTION)
    with pytest.raises(client.refusal) as caught:
        client.look(first.calls)
    assert provider.missing in str(caught.value)


@each_family
@stripped_or_not
def test_parallel_calls_share_a_thought(party: Party, family: Family, wish: dict[str, str]) -> None:
    provider = party.provider(family, Step(calls=2), Step(calls=3, says=True), Step())
    turns = loop(party.client(family, party.with_rules(family), wish))
    assert [len(turn.calls) for turn in turns] == [2, 3, 1, 0]
    assert_thoughts(turns, hidden=bool(wish))
    assert provider.filled == set()


@each_chat
@stripped_or_not
def test_what_never_was_is_filled(party: Party, family: Family, wish: dict[str, str]) -> None:
    provider = party.provider(family, Step(), Step(thinks=False), Step())
    assert loop(party.client(family, party.with_rules(family), wish))[-1].text == FINAL
    assert provider.filled == {"call_1-0"}


# --- clients that forget nothing -----------------------------------------------------------------------------------


@each_api
@streamed_or_not
@pytest.mark.parametrize("ruled", [True, False], ids=["rules", "default"])
def test_what_comes_back_is_not_put_back_again(party: Party, family: Family, streams: bool, ruled: bool) -> None:
    party.provider(family)
    mitmdump = party.with_rules(family) if ruled else party.with_default_rules()
    client = party.client(family, mitmdump, {}, streams=streams, returns="")
    assert loop(client)[-1].text == FINAL


@each_api
def test_a_changed_thought_is_refused(party: Party, family: Family) -> None:
    provider = party.provider(family)
    client = party.client(family, party.with_default_rules(), {}, returns="!")
    first = client.ask(QUESTION)
    with pytest.raises(client.refusal) as caught:
        client.look(first.calls)
    assert provider.changed in str(caught.value)


# --- several callers -----------------------------------------------------------------------------------------------


@each_api
def test_each_caller_gets_back_its_own_thoughts_and_a_stranger_none(party: Party, family: Family) -> None:
    """All their calls have the same ids. Where a rule would fill, the strip of the default rules stands in for it."""
    provider = party.provider(family)
    fills = issubclass(family.provider, ChatProvider)
    mitmdump = party.with_default_rules() if fills else party.with_rules(family)
    first, second, stranger = (party.client(family, mitmdump, STRIP, name=name) for name in ("a", "b", "c"))
    turns = [first.ask(QUESTION), second.ask(QUESTION)]
    assert turns[0].calls == turns[1].calls
    for _ in LOOP:
        stranger.history = deepcopy(first.history)
        with pytest.raises(stranger.refusal) as caught:
            stranger.look(turns[0].calls)
        assert provider.missing in str(caught.value)
        turns = [first.look(turns[0].calls), second.look(turns[1].calls)]
    assert [turn.text for turn in turns] == [FINAL, FINAL]


@each_chat
def test_what_others_thought_is_filled_like_what_never_was(party: Party, family: Family) -> None:
    provider = party.provider(family)
    first, stranger = (party.client(family, party.with_rules(family), STRIP, name=name) for name in ("a", "c"))
    calls = first.ask(QUESTION).calls
    stranger.history = deepcopy(first.history)
    stranger.look(calls)
    assert provider.filled == {"call_0-0"}


# --- those who want none -------------------------------------------------------------------------------------------

R1 = Family("deepseek", DeepSeekR1, ChatClient, "deepseek-r1")


@pytest.mark.parametrize("host", ["api.deepseek.com", "gateway.example"])
@stripped_or_not
@streamed_or_not
def test_r1_gets_no_thoughts(party: Party, upstream: Upstream, host: str, wish: dict[str, str], streams: bool) -> None:
    family = replace(R1, host=host)
    party.provider(family)
    client = party.client(family, party.with_rules(family), wish, streams=streams, returns="")
    turns = loop(client)
    assert turns[-1].text == FINAL
    assert_thoughts(turns, hidden=bool(wish))
    assert not [request for request in upstream.requests if b"reasoning" in request.body]


def test_without_the_rules_r1_refuses_a_thought(party: Party) -> None:
    provider = party.provider(R1)
    client = party.client(R1, party.with_default_rules(), {}, returns="")
    first = client.ask(QUESTION)
    with pytest.raises(client.refusal) as caught:
        client.look(first.calls)
    assert provider.changed in str(caught.value)
