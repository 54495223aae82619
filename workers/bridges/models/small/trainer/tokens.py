"""Tokens: structure in one piece, everything else character by character. Joined, they are the proposal byte for byte."""

import re

CONTROL = ['<end>', '<xct>', '<femtoclaw>', '<task>', '<call>', '<result>', '<error>']
CHARACTERS = [chr(code) for code in range(32, 127)] + list('£°’€½×÷éèêëíïñóöüäåçáàûøœß–—“”‘…')
UNKNOWN = '~'
FRAMES = ['{"next_step":{"tool":"', '","arguments":{', '},"goal":"', '"},"goal":"', '"}}', '{"done":true,"message":"', '"}', '{"tool_call":{"tool":"', '","args":{', '}}}', '"}}}', '{"message":{"content":"']
# the name of a tool, and the members whose values are numbers
GIVEN = re.compile(r'(?:(?<="tool":")|(?<=[{,])(?="[^"]*":-?\d))([^":]+|"[^"]*":)')
WORD = re.compile(r'^[a-z]{2,6}$')


def constants(template: str):
    """The parts of a template between its slots that are worth a token."""
    parts = re.split(r'\{[^{}]*\}|<[^<>]*>', template)
    return [part for part in parts if len(part) > 1 and re.search('[A-Za-z]', part)]


def structure(args: str):
    """The parts of arguments in compact JSON that stand between the values."""
    parts = re.sub(r'(?<=:")[^"]*(?=")|(?<=:)-?[\d.]+', '\0', args[1:-1]).split('\0')
    return [part for part in parts if len(part) > 1]


class Tokens:
    """The vocabulary of a table's pieces."""

    def __init__(self, pieces: list, tools: list, copying: dict):
        self.tools, self.copying = tools, copying
        self.texts = list(dict.fromkeys(CONTROL + FRAMES + pieces + CHARACTERS))
        self.ids = {text: at for at, text in enumerate(self.texts)}
        self.pieces = {}
        for text in self.texts[len(CONTROL) :]:
            if len(text) > 1:
                self.pieces.setdefault(text[0], []).append(text)
        for of in self.pieces.values():
            of.sort(key=len, reverse=True)
        self.words = {text for of in self.pieces.values() for text in of if WORD.match(text)}

    def characters(self, text: str):
        unknown = self.ids[UNKNOWN]
        return [self.ids.get(character, unknown) for character in text]

    def proposal(self, text: str):
        """The longest piece first. A word is a piece only as a whole string."""
        ids, at = [], 0
        while at < len(text):
            piece = next((piece for piece in self.pieces.get(text[at], ()) if text.startswith(piece, at) and self.stands(piece, text, at)), text[at])
            ids.append(self.ids.get(piece, self.ids[UNKNOWN]))
            at += len(piece)
        return ids

    def stands(self, piece, text, at):
        return piece not in self.words or (text[at - 1 : at] == '"' and text[at + len(piece) : at + len(piece) + 1] == '"')

    def episode(self, dialect: str, turns: list):
        """Ids of an episode, and which of them the model learns to say: its own turns, unless they are bad ones."""
        ids, learned = [self.ids['<%s>' % dialect]], [False]
        for kind, text in turns:
            own = kind in ('call', 'bad', 'led')
            part = self.proposal(text) + [0] if own else self.characters(text)
            ids += [self.ids['<%s>' % ('call' if own else kind)]] + part
            learned += [False] + (self.led(text, part) if kind == 'led' else [kind == 'call'] * len(part))
        return ids, learned

    def led(self, text, part):
        """All but the name of the tool and of its members, which the form of a request gives."""
        given, learned, at = [found.span(1) for found in GIVEN.finditer(text)], [], 0
        for one in part:
            size = len(self.texts[one]) if one else 0
            learned.append(not any(begin < at + size and at < end for begin, end in given))
            at += size
        return learned
