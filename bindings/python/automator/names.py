"""Names: ``snake_case`` here, ``camelCase`` in the core."""

from __future__ import annotations

import re
from collections.abc import Iterable

_EXCEPTIONS = {
    "remote_session_id": "remoteSessionID",
    "remote_base_url": "remoteBaseURL",
    "ignore_https_errors": "ignoreHTTPSErrors",
    "base_url": "baseURL",
    # `from` is a word of the language.
    "from_": "from",
}

_ORIGINS = {camel: name for name, camel in _EXCEPTIONS.items()}

# Options whose members are named by the caller, or by the platform.
_FREE = {"variables", "headers", "cdpHeaders", "remoteSessionCreateParams"}

# All options that have another name in the core, as alternatives; its messages name them alone, too.
OPTIONS = (
    "acceptDownloads|allRequests|allowedDomains|apiKey|baseURL|blockedDomains|cacheDir|cdpHeaders|cdpUrl|"
    "chromiumSandbox|clickCount|connectTimeoutMs|contextWindow|deviceScaleFactor|disableLogBackend|"
    "domSettleTimeout|domSettleTimeoutMs|downloadsPath|durationMs|excludeTools|executablePath|executionModel|"
    "fullPage|hasTouch|highlightCursor|httpOnly|ignoreCache|ignoreDefaultArgs|ignoreHTTPSErrors|"
    "ignoreSelectors|includeIframes|keepAlive|llmClient|localBrowserLaunchOptions|logInferenceToFile|"
    "maskColor|maxCost|maxOutputTokens|maxSteps|maxTokens|modelClientOptions|modelName|omitBackground|"
    "openaiEndpointFormat|pierceShadow|preserveUserDataDir|reasoningEffort|remoteBaseURL|remotePlatform|"
    "remoteSessionCreateParams|remoteSessionID|returnXpath|sameSite|selfHeal|serverCache|systemPrompt|"
    "timeoutMs|toolTimeout|useSearch|userDataDir|waitUntil|withMistakes"
)

# Where a message of the core names options: by their path, and those that it names alone. What stands in quotes was
# written by the caller, or by a page.
_NAMED = re.compile(
    r"\b(?:options|config)(?:\.\w+)+"
    rf"|(?:^|(?<=[\s(`]))(?:model\.)?(?:{OPTIONS})(?:\.\w+)*(?=[\s,;:.)]|$)"
    rf"|(?<=did you mean \")(?:{OPTIONS})(?=\")"
)

_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def to_camel(name: str) -> str:
    """The name that the core has for ``name``."""
    first, *others = name.split("_")
    return _EXCEPTIONS.get(name) or first + "".join(word.capitalize() for word in others)


def to_snake(name: str) -> str:
    """The name that Python has for a member of an answer."""
    return _WORD.sub("_", name).lower()


def in_snake(text: str) -> str:
    """A message of the core with the names that Python has for options; what else it says stays as it is."""

    def renamed(found: re.Match[str]) -> str:
        words = found[0].split(".")
        free = next((place for place, word in enumerate(words) if word in _FREE), len(words))
        ours = [_ORIGINS.get(word) or to_snake(word) for word in words[: free + 1]]
        return ".".join(ours + words[free + 1 :])

    return _NAMED.sub(renamed, text)


def nearest(name: str, known: Iterable[str]) -> str:
    """What to say about a name that nobody knows: the one that is meant, when at most a third of its letters differ."""
    names = sorted(known)
    given = to_snake(name)
    ranked = [(_distance(given, candidate), candidate) for candidate in names]
    distance, found = min(ranked, default=(0, ""))
    if found and 3 * distance <= max(len(given), len(found)):
        return f"did you mean {found!r}?"
    return f"known are {', '.join(names)}" if names else "there are none"


def _distance(one: str, other: str) -> int:
    """How many letters have to be put in, left out or exchanged."""
    row = list(range(len(other) + 1))
    for place, letter in enumerate(one):
        following = [place + 1]
        for index, theirs in enumerate(other):
            exchanged = row[index] + (letter != theirs)
            following.append(min(exchanged, row[index + 1] + 1, following[index] + 1))
        row = following
    return row[-1]
