"""What the model is told, shortened: the same as workers/bridges/models/small/prompt.ts, and a test compares them."""

import json

TASK, TEXT, RESULT, ERROR, PROPOSAL = 200, 70, 130, 90, 300


def cut(text: str, most: int) -> str:
    return text[:most]


def line(text: str) -> str:
    """White space becomes one space, and a double quote a single one: a proposal then copies it without escapes."""
    return ' '.join(text.split()).replace('"', "'").replace('\\', '/')


def short(value) -> str:
    if isinstance(value, str):
        return cut(line(value), TEXT)
    if isinstance(value, float):
        return number(value)
    return json.dumps(value)


def number(value: float) -> str:
    """Six digits, without an exponent."""
    rounded = float('%.6g' % value)
    if rounded == int(rounded):
        return repr(int(rounded))
    return ('%.12f' % rounded).rstrip('0') if 'e' in repr(rounded) else repr(rounded)


def flat(result) -> str:
    """`key=value` of every leaf: the members of an object by name, scalars first; at most two items of a list."""
    parts = []

    def walk(key, value):
        if isinstance(value, list):
            if not value:
                parts.append(key + '=none')
            for item in value[:2]:
                walk(key, item)
        elif isinstance(value, dict):
            for name in sorted(value, key=lambda name: (isinstance(value[name], (dict, list)), name)):
                walk(name, value[name])
        else:
            parts.append(key + '=' + short(value))

    walk('result', result)
    return cut(' '.join(parts), RESULT)


def error(code: str, message: str) -> str:
    sentence = line(message).split('. ')[0]
    return cut(code + ': ' + (sentence[:-1] if sentence.endswith('.') else sentence), ERROR)
