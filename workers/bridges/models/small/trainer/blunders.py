"""Bad proposals of the model's own, and what the runtime says to them: they are read and corrected, and never learned."""

import json
import random

WRONG_NAMES = ['calculator', 'search', 'convert', 'note', 'notes', 'calendar', 'table', 'read_file', 'date', 'calc', 'add_note', 'unit_converter', 'csv', 'count_words', 'find', 'file.read', 'math', 'memo', 'schedule']
OPENINGS = ['Sure!', 'Of course.', 'Let me see.', 'I will do that.', 'Here it is:', 'Okay,', 'I think', 'The answer is', "Let's work it out.", 'Certainly!', '```json', 'Thought: I need a tool.', 'Yes.', 'No problem.']
# a truth value is an int of Python
JSON_TYPES = {str: 'string', list: 'array', dict: 'object', bool: 'boolean', (int, float): 'number'}


def compact(value) -> str:
    return json.dumps(value, separators=(',', ':'), ensure_ascii=False)


class Blunders:
    """One bad proposal for a call that would be right, and the error that it meets."""

    def __init__(self, chance: random.Random, values, call):
        self.chance, self.values, self.call = chance, values, call
        of_arguments = [self.doubled, self.lacking, self.mistyped, self.miscopied]
        self.kinds = [self.truncated, self.truncated, self.chatty, self.chatty, self.doubled, self.formless, self.lacking, self.lacking, self.mistyped, self.mistyped, self.misnamed, self.misnamed, self.added, self.miscopied, self.miscopied]
        self.without_arguments = [kind for kind in self.kinds if kind not in of_arguments]

    def make(self, dialect, tool, args, goal):
        return self.chance.choice(self.kinds if args else self.without_arguments)(dialect, tool, args, goal)

    @staticmethod
    def place(dialect, name=''):
        return ('/next_step/arguments' if dialect == 'xct' else '/tool_call/args') + ('/' + name if name else '')

    def truncated(self, dialect, tool, args, goal):
        text = self.call(dialect, tool, args, goal)
        text = text[: -self.chance.choice([1, self.chance.randint(1, max(2, len(text) - 25))])]
        return text, ('json_syntax', 'Not JSON: line 1, column %d, found the end. Send exactly one JSON object and nothing else.' % (len(text) + 1))

    def chatty(self, dialect, tool, args, goal):
        words = self.chance.choice(OPENINGS + [self.values.salad(2, 6).capitalize() + '.'])
        text = words + self.chance.choice(['', '', ' ' + self.values.salad(1, 5), ' ' + self.call(dialect, tool, args, goal)])
        return text, ('json_syntax', 'Not JSON: line 1, column 1, found "%s". Send exactly one JSON object and nothing else.' % text[0])

    def doubled(self, dialect, tool, args, goal):
        text, name = self.call(dialect, tool, args, goal), self.chance.choice(list(args))
        member = '"%s":%s' % (name, compact(args[name]))
        return text.replace(member, member + ',' + member, 1), ('duplicate_member', 'Ambiguous: member "%s" appears twice at %s. Remove one.' % (name, self.place(dialect, name)))

    def formless(self, dialect, tool, args, goal):
        bad = self.chance.choice([{'tool': tool, **args}, {'tool': tool, 'arguments': args}, {'name': tool, 'arguments': args}, {'action': tool}])
        forms = 'next_step or done' if dialect == 'xct' else 'tool_call or message'
        return compact(bad), ('form_none', 'Valid JSON, but not a proposal: the top level has "%s" instead of %s. Send one of these forms.' % (next(iter(bad)), forms))

    def lacking(self, dialect, tool, args, goal):
        name = self.chance.choice(list(args))
        rest = {} if self.chance.random() < 0.3 else {key: value for key, value in args.items() if key != name}
        name = name if len(rest) else next(iter(args))
        return self.call(dialect, tool, rest, goal), ('arguments_schema', "Argument refused: must have required property '%s' at %s. Send arguments that match the schema." % (name, self.place(dialect)))

    def added(self, dialect, tool, args, goal):
        name = self.chance.choice(['limit', 'note', 'unit', 'format', 'lang', self.values.noun()])
        return self.call(dialect, tool, {**args, name: self.values.noun()}, goal), ('arguments_schema', 'Argument refused: must NOT have additional properties at %s. Send arguments that match the schema.' % self.place(dialect))

    def mistyped(self, dialect, tool, args, goal):
        name = self.chance.choice(list(args))
        wrong = self.values.whole(0, 9999) if isinstance(args[name], str) else self.values.noun()
        type_ = next(word for of, word in JSON_TYPES.items() if isinstance(args[name], of))
        if self.chance.random() < 0.2:
            wrong = self.chance.choice([None, True, [], {}])
        return self.call(dialect, tool, {**args, name: wrong}, goal), ('arguments_schema', 'Argument refused: must be %s at %s. Send arguments that match the schema.' % (type_, self.place(dialect, name)))

    def miscopied(self, dialect, tool, args, goal):
        """A value that the tool refuses, though its type is right."""
        name = self.chance.choice(list(args))
        wrong = self.values.salad(1, 3) if isinstance(args[name], str) else -self.values.whole(1, 9999)
        said = compact(wrong).replace('"', '')
        return self.call(dialect, tool, {**args, name: wrong}, goal), self.chance.choice([
            ('arguments_schema', 'Argument refused: must match pattern at %s. Send arguments that match the schema.' % self.place(dialect, name)),
            ('arguments_schema', 'Argument refused: must be equal to one of the allowed values at %s. Send arguments that match the schema.' % self.place(dialect, name)),
            ('capability_threw', "Not a %s: '%s'. Change the arguments." % (name, said)),
            ('capability_threw', "No %s '%s'. Change the arguments." % (name, said)),
        ])

    def misnamed(self, dialect, tool, args, goal):
        name = self.chance.choice([tool.replace('.', '_'), tool.split('.')[-1], tool.split('.')[0], self.values.noun(), tool.upper(), tool.title(), tool.replace('.', '/'), tool + 's'] + [self.chance.choice(WRONG_NAMES)] * 4)
        at = '/next_step/tool' if dialect == 'xct' else '/tool_call/tool'
        return self.call(dialect, name, args, goal), ('unknown_capability', 'No capability "%s" at %s. Names are exact and case-sensitive; use a listed one.' % (name, at))
