"""Errors that a rule would have avoided: each row with a body as providers send it."""

import json
from pathlib import PurePosixPath

import pytest

from thinkwire.dialects.core.provider_errors import MAX_CHARACTERS, PROVIDER_ERRORS, advice_for

DEEPSEEK = (
    "DeepSeek refused: add `history: reasoning_content` and `restore: true`, see rules/deepseek.yaml",
    "DeepSeek refused: add `restore: true`, see rules/anthropic.yaml",
    "DeepSeek R1 refused: add `history: drop`",
)
KIMI = "Kimi refused: add `history: reasoning_content` and `restore: true`, see rules/kimi.yaml"
ANTHROPIC = (
    "Anthropic refused: add `restore: true`, see rules/anthropic.yaml",
    "Anthropic refused: add `history: {unsigned: drop}`, see rules/anthropic.yaml",
    "Anthropic refused: add `history: keep`",
)
GEMINI = "Gemini refused: add `restore: true`, see rules/gemini.yaml"
RESPONSES = "The Responses API refused: add `restore: true`, see rules/openai-responses.yaml"
SGLANG = "SGLang refused: add `history: drop`"


def openai_error(message: str) -> str:
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": "invalid_request_error"}
    return json.dumps({"error": error})


def anthropic_error(message: str) -> str:
    return json.dumps({"type": "error", "error": {"type": "invalid_request_error", "message": message}})


def google_error(message: str) -> str:
    return json.dumps({"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}, indent=2)


V4 = "The `reasoning_content` in the thinking mode must be passed back to the API."
MODIFIED = (
    "messages.1.content.9: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be "
    "modified. These blocks must remain as they were in the original response."
)

BODIES = [
    # each row, in their order
    (openai_error(V4), DEEPSEEK[0]),
    (openai_error("The `content[].thinking` in the thinking mode must be passed back to the API."), DEEPSEEK[1]),
    (openai_error("Missing `reasoning_content` field in the assistant message at message index 3."), DEEPSEEK[0]),
    (
        openai_error(
            "The reasoning_content is an intermediate result for display purposes only and will not be included in "
            "the context for inference."
        ),
        DEEPSEEK[2],
    ),
    (
        openai_error("thinking is enabled but reasoning_content is missing in assistant tool call message at index 2"),
        KIMI,
    ),
    (
        anthropic_error(
            "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When "
            "`thinking` is enabled, a final `assistant` message must start with a thinking block."
        ),
        ANTHROPIC[0],
    ),
    (anthropic_error("messages.1.content.0: Invalid `signature` in `thinking` block"), ANTHROPIC[1]),
    (anthropic_error(MODIFIED), ANTHROPIC[2]),
    (
        google_error(
            "Function call is missing a thought_signature in functionCall parts. This is required for tools to work "
            "correctly, and missing thought_signature may lead to degraded model performance."
        ),
        GEMINI,
    ),
    (google_error("Corrupted thought signature."), GEMINI),
    (
        openai_error(
            "Item 'fc_0c38' of type 'function_call' was provided without its required 'reasoning' item: 'rs_0c38'."
        ),
        RESPONSES,
    ),
    (openai_error("Item 'rs_0c38' of type 'reasoning' was provided without its required following item."), RESPONSES),
    (anthropic_error("redacted_thinking content blocks are not supported"), SGLANG),
]
VARIANTS = [
    # other words for the same
    (openai_error("Please remove the reasoning_content from your message to reduce network traffic."), DEEPSEEK[2]),
    (anthropic_error("messages.1.content.0.thinking.signature: Field required"), ANTHROPIC[1]),
    (
        anthropic_error(
            "messages.3.content.10: When providing `thinking` or `redacted_thinking` blocks, the blocks must match "
            "the parameters during the original request."
        ),
        ANTHROPIC[2],
    ),
    (google_error("Function call `x` in the 2. content block is missing a `thought_signature`."), GEMINI),
    (google_error("Invalid thought signature."), GEMINI),
    (google_error("Invalid/Corrupted thought signature."), GEMINI),
    (google_error("Thought signature is not valid."), GEMINI),
    (anthropic_error("Unsupported content block: redacted_thinking"), SGLANG),
    # marks and escapes
    (openai_error(V4.replace("`", "")), DEEPSEEK[0]),
    (openai_error(V4).replace("`", "\\u0060"), DEEPSEEK[0]),
    (openai_error(V4.replace("`", "'").replace(" in ", "\n in ")), DEEPSEEK[0]),
    # wrapped: a list of errors, a body in a body, a stream's event, a body cut short, a text
    (f"[{google_error('Corrupted thought signature.')}]", GEMINI),
    (
        json.dumps({"error": {"message": "Provider error", "metadata": {"raw": anthropic_error(MODIFIED)}}}),
        ANTHROPIC[2],
    ),
    (
        json.dumps({"error": {"metadata": {"raw": openai_error(V4).replace("`", "\\u0060")}}}).replace("/", "\\/"),
        DEEPSEEK[0],
    ),
    (f"event: error\ndata: {openai_error(V4)}\n\n", DEEPSEEK[0]),
    (openai_error(V4)[:-20], DEEPSEEK[0]),
    (f"litellm.BadRequestError: DeepseekException - {V4}", DEEPSEEK[0]),
    (json.dumps(V4), DEEPSEEK[0]),
    (f"\ufffd{openai_error(V4)}", DEEPSEEK[0]),
]


@pytest.mark.parametrize(("body", "advice"), BODIES + VARIANTS)
def test_a_refusal_is_answered_by_advice(body: str, advice: str) -> None:
    assert advice_for(body) == advice


def test_each_row_is_what_its_body_finds_first() -> None:
    found = [next(row for row in PROVIDER_ERRORS if row.pattern.search(body)) for body, _ in BODIES]
    assert found == list(PROVIDER_ERRORS)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "null",
        "{}",
        "400",
        openai_error("Incorrect API key provided: sk-***."),
        openai_error("Thinking mode does not support this tool_choice"),
        openai_error("This model does not support the parameter `reasoning_content`."),
        openai_error("Item with id 'rs_0c38' not found. Items are not persisted when `store` is set to false."),
        anthropic_error("`max_tokens` must be greater than `thinking.budget_tokens`."),
        anthropic_error("messages.1.content.0: Invalid `data` in `redacted_thinking` block"),
        anthropic_error("Overloaded"),
        google_error("Please use a valid role: user, model."),
        "<html><head><title>502 Bad Gateway</title></head></html>",
        json.dumps({V4: 1}),
    ],
)
def test_for_other_errors_no_advice_is_known(body: str) -> None:
    assert advice_for(body) is None


@pytest.mark.parametrize(
    "body",
    [
        "{" * 100_000,
        "[" * 100_000 + "]" * 100_000,
        "[" * 30_000 + "]" * 30_000,
        f"[{'9' * 5_000}]",
        '{"error":',
        "\x00\ufffd\ud800",
        "redacted_thinking " * 10_000,
        "unsupported " * 10_000,
        "missing " + " " * 60_000,
        json.dumps({"detail": [{"input": "x" * 10_000_000}]}),
    ],
    ids=["open", "deep", "deep and short", "number", "cut", "odd", "names", "verbs", "blanks", "huge"],
)
def test_no_body_is_too_odd(body: str) -> None:
    assert advice_for(body) is None


def test_of_a_huge_body_the_beginning_is_read() -> None:
    error = openai_error(V4)
    assert advice_for(error[:-1] + ',"request":"' + "x" * MAX_CHARACTERS + '"}') == DEEPSEEK[0]
    assert advice_for(json.dumps({"request": "x" * MAX_CHARACTERS, "error": V4})) is None


def test_advice_is_one_line_that_names_files_of_the_folder_of_rules() -> None:
    for row in PROVIDER_ERRORS:
        assert row.setting.startswith("`")
        path = PurePosixPath(row.shown_in)
        assert not row.shown_in or (path.parent.name, path.suffix) == ("rules", ".yaml")
    assert not any("\n" in (advice_for(body) or "") for body, _ in BODIES)
