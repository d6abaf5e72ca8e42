"""The YAML reader's complaints -> problems in the user's words.

Knows ruamel.yaml's messages; does not know what a rule is.
"""

from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.reader import ReaderError

from thinkwire.ruleset.problem import Code, Problem, Source, Span

WORDINGS: tuple[tuple[str, str, str], ...] = (
    # what ruamel.yaml's message contains, what we say, what to do
    ("mapping values are not allowed", "a `:` does not belong here", "check the indentation, or add quotes"),
    ("could not find expected ':'", "this line has no `:` after its key", "write `key: value`"),
    ("but found '?'", "this key is not in line with the ones before it", "give all keys of a mapping one indentation"),
    ("expected <block end>", "this does not belong to what comes before it", "check indentation, quotes and brackets"),
    ("expected ',' or ']'", "the list that begins here is not closed", "add `]`, or a comma between two entries"),
    ("expected ',' or '}'", "the mapping that begins here is not closed", "add `}`, or a comma between two keys"),
    ("unexpected end of stream", "the text that begins here is not closed", "add the closing quote"),
    ("unknown escape character", "this `\\` escape does not exist", "write `\\\\`, or use single quotes"),
    ("that cannot start any token", "text cannot begin with this character", "put the text in quotes"),
    ("expected the node content", "a value is missing here", "remove the extra comma, or write a value"),
    ("special characters are not allowed", "this character cannot be in a text file", "remove it"),
)
NOT_CLOSED = ("expected ',' or", "unexpected end of stream")
"""Best shown at the beginning of the list, mapping or text."""
OTHERWISE = ("this is not valid YAML", "check indentation, quotes and brackets around here")


def translate_syntax(error: Exception, source: Source) -> Problem:
    """One problem for the first place at which the text stops being YAML."""
    # The problem alone: str(error) quotes the file, which may contain anything.
    text = str(getattr(error, "problem", None) or getattr(error, "reason", ""))
    start = _start(error, source, opened=any(fragment in text for fragment in NOT_CLOSED))
    span = Span(start, start + 1)
    if "found character '\\t'" in text:
        return source.problem(Code.TAB, span, "a tab cannot be used for indentation", "use spaces")
    for fragment, message, hint in WORDINGS:
        if fragment in text:
            return source.problem(Code.SYNTAX, span, message, hint)
    return source.problem(Code.SYNTAX, span, *OTHERWISE)


def _start(error: Exception, source: Source, *, opened: bool) -> int:
    if isinstance(error, ReaderError):
        return int(error.position)
    if not isinstance(error, MarkedYAMLError):
        return 0
    mark = error.context_mark if opened else error.problem_mark
    index = int(mark.index) if mark is not None else 0
    # What is missing at the end of a file is best shown in its last line with text.
    return min(index, max(0, len(source.text.rstrip()) - 1))
