"""Prompts and tokens for the test in TypeScript: `python3 vectors.py table.json > prompts.json`."""

import json
import sys

import prompt
from episodes import Episodes
from table import Table

RESULTS = [
    {'exact': True, 'value': 425},
    {'value': 1.70478375, 'unit': 'l'},
    {'value': 99329.4},
    {'value': 0.00001234567, 'more': [], 'deep': {'b': None, 'a': 'two\n lines  and "quotes"'}},
    {'hits': [{'path': 'a.md', 'line': 3, 'excerpt': 'x' * 100}, {'path': 'b.md', 'line': 4, 'excerpt': 'y'}, {'path': 'c.md', 'line': 5, 'excerpt': 'z'}]},
]
ERRORS = [['capability_threw', 'No file "notes/x.md". The files are: a, b.'], ['no_grant', 'Valid, but not permitted: csv.query has no grant in this run. Continue without it.'], ['other', 'w' * 120]]
KINDS = {'bad': 'call', 'led': 'call'}


def main():
    table = Table(sys.argv[1])
    tokens, episodes = table.tokens(), Episodes(table, 3)
    made = [episodes.episode() for _ in range(20)]
    print(json.dumps({
        'results': [[result, prompt.flat(result)] for result in RESULTS],
        'errors': [[code, message, prompt.error(code, message)] for code, message in ERRORS],
        'prompts': [{'dialect': dialect, 'turns': [[KINDS.get(kind, kind), text] for kind, text in turns], 'tokens': tokens.episode(dialect, turns)[0]} for dialect, turns in made if len(tokens.episode(dialect, turns)[0]) < 400],
    }, ensure_ascii=False))


main()
