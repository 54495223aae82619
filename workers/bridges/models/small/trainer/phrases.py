"""Templates of phrases: `[a|b]` is a choice, `{name}` a slot, `{name:kind}` a slot of another kind, `@part` a part of the table."""

import random
import re

SLOT = re.compile(r'\{(-?[\w$]+)\}')
OTHER = re.compile(r'\{([\w$]+):([\w.-]+)\}')
PART = re.compile(r'@([a-z]+)')
CHOICE = re.compile(r'\[([^\[\]]*)\]')


def taken(template: str, chance: random.Random) -> str:
    """Takes one of each choice, the innermost first."""
    while '[' in template:
        template = CHOICE.sub(lambda found: chance.choice(found.group(1).split('|')), template)
    return template


def expand(template: str, chance: random.Random) -> str:
    """One phrase of a template, without the spaces that empty choices leave."""
    return re.sub(r' +', ' ', taken(template, chance)).strip()


def with_parts(template: str, parts: dict) -> str:
    """The template with the parts that it names; a part may name parts."""
    while PART.search(template):
        template = PART.sub(lambda found: parts[found.group(1)], template)
    return template


def with_kinds(template: str, kinds: dict):
    """The template with plain slots, and the kinds of its slots: `{t:quoted}` is the slot in quotes."""
    own = {name: kind for name, kind in OTHER.findall(template) if kind != 'quoted'}
    return OTHER.sub(lambda slot: "'{%s}'" % slot.group(1) if slot.group(2) == 'quoted' else '{%s}' % slot.group(1), template), {**kinds, **own}
