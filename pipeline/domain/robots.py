"""What a site's robots.txt says about one page (RFC 9309). It is noted with the page, never a refusal (ports/fetch.py).

The standard library's reader knows no wildcards and takes the first match instead of the longest; so this one.
"""

from __future__ import annotations

from dataclasses import dataclass

_MAX_RULES = 5_000
_MAX_PATTERN = 2_000  # code points


@dataclass(frozen=True)
class RobotsRule:
    allow: bool
    pattern: str  # with ``*`` anywhere and ``$`` at the end


def robots_rules(text: str, agent: str) -> tuple[RobotsRule, ...]:
    """Return the rules for the product token ``agent``: of all groups that name it, else of those for everybody."""
    named: list[RobotsRule] = []
    everybody: list[RobotsRule] = []
    is_named = False
    agents: set[str] = set()
    in_agents = False
    for line in text.splitlines():
        key, colon, value = line.partition("#")[0].partition(":")
        key, value = key.strip().lower(), value.strip()
        if not colon:
            continue
        if key == "user-agent":
            agents = agents if in_agents else set()
            agents.add(value.lower())
            is_named = is_named or value.lower() == agent.lower()
            in_agents = True
        elif key in ("allow", "disallow"):
            in_agents = False
            rule = RobotsRule(key == "allow", value[:_MAX_PATTERN])
            if agent.lower() in agents:
                named.append(rule)
            elif "*" in agents:
                everybody.append(rule)
    rules = named if is_named else everybody
    return tuple(rule for rule in rules if rule.pattern)[:_MAX_RULES]


def robots_allow(rules: tuple[RobotsRule, ...], target: str) -> bool:
    """Whether ``target`` (path and query) may be read: the longest match decides, and of two equal ones the kinder."""
    matching = [(len(rule.pattern), rule.allow) for rule in rules if _matches(rule.pattern, target)]
    return max(matching)[1] if matching else True


def _matches(pattern: str, target: str) -> bool:
    ends = pattern.endswith("$")
    first, *rest = pattern.removesuffix("$").split("*")
    if not target.startswith(first):
        return False
    at = len(first)
    for piece in rest[:-1] if ends else rest:
        found = target.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    if not ends:
        return True
    return len(target) - len(rest[-1]) >= at and target.endswith(rest[-1]) if rest else at == len(target)
