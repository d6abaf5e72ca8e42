"""How secrets are recognised: names of what holds them, and what they look like. `redactor.py` applies the tables."""

import re
from collections.abc import Callable, Iterable
from typing import Final
from urllib.parse import unquote

NAMES: Final = (
    # Of headers, members of the query and members of JSON, in any case. `-` matches `-`, `_` or nothing, `*` anything.
    # --- credentials
    "authorization",
    "*-authorization",
    "*-auth",
    "api-key",
    "*-api-key",
    "*-api-token",
    "*-subscription-key",
    "*-functions-key",
    "*-virtual-key",
    "*-litellm-key",
    "*-access-key",
    "*-access-key-id",
    "*-access-token",
    "*-auth-token",
    "*-authorization-token",
    "*-bearer-token",
    "*-id-token",
    "*-refresh-token",
    "*-security-token",
    "*-session-token",
    "*-csrf-token",
    "*-xsrf-token",
    "*-private-token",
    "*-private-key",
    "*-secret",
    "*-secret-key",
    "*-password",
    "*-passwd",
    "*-jwt",
    "*-credentials",
    "cookie",
    "set-cookie",
    # --- signatures of AWS and of Google's storage
    "x-amz-content-sha256",
    "x-amz-credential",
    "x-amz-date",
    "x-amz-region-set",
    "x-amz-signature",
    "x-goog-credential",
    "x-goog-signature",
    # --- whose account it is
    "organization",
    "*-organization",
    "*-organization-id",
    "*-org-id",
    "openai-project",
    "x-goog-user-project",
    "*-account-id",
    "*-project-id",
    "*-tenant-id",
    "*-workspace-id",
    "*-user-id",
    "safety-identifier",
    # --- whose machine it is
    "cf-connecting-ip",
    "forwarded",
    "*-client-ip",
    "*-forwarded-for",
    "x-envoy-external-address",
    "x-real-ip",
)
"""The values are secret wherever they are."""

NAMES_OUTSIDE_OF_JSON: Final = (
    *("key", "x-*-key", "ephemeral-key", "token", "*-token", "sig", "*-signature", "code", "bearer", "assertion"),
    *("*-client-id", "*-email", "*-workspace", "x-forwarded-user"),
)
"""Names of headers and members of the query; in JSON these are everyday words."""

NAMES_IN_ERRORS: Final = (
    "consumer",
    "*-email",
    "*-subscription-id",
    "*-team-id",
    "*-key-name",
    "*-key-alias",
    "caller-ip",
)
"""Names of members of JSON that identify the caller in an error."""

LOOKALIKES: Final = re.compile(
    rb"""(?<![A-Za-z0-9])(
        (?:sk|csk|pplx|xai|nvapi|sess|tpsg|glpat|xox[a-z])-[\w*.-]{4,}  # OpenAI, Anthropic and those that follow them
      | (?:gsk|hf|r8|fw|tgp_v1|gh[a-z]|github_pat|ek|vck|jina|[sr]k_live)_\w{8,}  # Groq, Hugging Face, Replicate, ...
      | AIza[\w-]{4,} | ya29\.[\w-]{4,}                     # Google
      | (?:AKIA|ASIA|ABSK)[A-Z0-9a-z+/=]{12,}               # AWS
      | (?<![\w-])eyJ[\w-]{8,}+\.[\w-]++\.[\w-]*            # JSON web tokens
      | (?:org|proj|user|ws|acct)[-_](?=[A-Za-z]*[0-9])[\w-]{12,}  # whose account it is
    )""",
    re.VERBOSE,
)
"""What looks like a key, wherever it is."""
TELLTALES: Final = re.compile(
    rb"""(?<![A-Za-z0-9])(
        arn:aws[\w-]{0,20}:[\w-]{0,40}:[\w-]{0,40}:[0-9]{12}:[\w/+=,.@:*-]*
      | (?<=projects/)[\w-]{4,} | (?<=project[ =/])[0-9]{6,}     # Google
      | [\w.-]{1,64}@[\w.-]+\.gserviceaccount\.com
      | [\w.-]{0,64}\*{3}[\w.*-]*                           # a key that its provider has masked, but for its ends
    )""",
    re.VERBOSE,
)
"""What identifies the caller in an error. In a path it stays: a replay finds the exchange by its path."""


def fitting(names: Iterable[str]) -> Callable[[bytes], bool]:
    """A test for names; `names` are written as in the tables."""
    pattern = re.compile("|".join(_pattern(name) for name in names if name.strip()), re.IGNORECASE)
    known: dict[bytes, bool] = {}

    def fits(name: bytes) -> bool:
        if name not in known:
            if len(known) > 1000:  # members may have any name
                known.clear()
            known[name] = pattern.fullmatch(unquote(name.decode("latin-1"))) is not None
        return known[name]

    return fits


def _pattern(name: str) -> str:
    """`*-api-key` also fits `api-key`."""
    name = name.strip().lower()
    return "".join("[-_]?" if one in "-_" else r"[\w.-]*" if one == "*" else re.escape(one) for one in name)
