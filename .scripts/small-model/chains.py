"""Episodes of more than one call, of a tool of another page, and of no call."""

import prompt
from phrases import expand, with_kinds

ENDINGS = ['', '', '', '', '.', ', please', ' please', ', thanks', '?']
DO = ['please ', 'can you ', 'could you ', 'now ', 'hey, ', 'ok, ', 'please first ', 'would you ']


class Chains:
    """The kinds of episodes that are not one call of the table."""

    def chain(self, dialect):
        """Works out a value, then keeps it in a note."""
        chain, task = self.table.chains['keep'], self.chance.choice(self.chainable)
        template, kinds, mood = self.phrase(task)
        drawn, own = self.fill(task, kinds), {'n': self.values.draw('slug')}
        first = self.words(template + self.chance.choice(['?', '', '', '.'] if mood == 'ask' else ['', '', '.']), drawn)
        said = self.kept(expand(self.chance.choice(chain['say']), self.chance), first, own, mood)
        turns = [self.asked(said)]
        answer = self.steps(dialect, task, drawn, self.arguments(task['args'], drawn), turns)
        if turns[-1][0] == 'error':
            return turns + [self.done(dialect, answer)]
        drawn = {**own, 'answer': (answer, answer)}
        args = self.arguments(chain['args'], drawn)
        turns.append(('call', self.call(dialect, chain['tool'], args, chain['goal'])))
        if self.chance.random() < 0.15:
            turns += [('error', prompt.error('approval_denied', 'A person said no. Continue without it.')), self.done(dialect, self.answer(chain['denied'], drawn, {}))]
        else:
            result = {'kept_in': 'receipt', 'note': {'lines': 1, 'name': args['name'], 'text': answer}}
            turns += [('result', prompt.flat(result)), self.done(dialect, self.answer(chain['answer'], drawn, {}))]
        return turns

    def kept(self, say, first, own, mood):
        """The first task and what is kept of it, in one task."""
        begins = say.startswith('{first}')
        if begins and first[-1] in '?.' and say[7:8] in '.,?;' or not begins and first[-1] == '.':
            first = first[:-1]
        said = self.words(say.replace('{first}', '\0'), own).replace('\0', first)
        r = self.chance.random()
        if begins and r < 0.2:
            said = (self.chance.choice(DO) if mood == 'do' else self.speech.one('ask')) + said
        elif r < 0.26:
            said = self.speech.one('scenes') + said
        elif r < 0.3:
            said = said.lower() if said.lower().count('{') == 0 and own['n'][0].islower() and first == first.lower() else said
        said = said[0].upper() + said[1:] if self.chance.random() < 0.5 else said
        return self.filled(said if said[-1] in '?.' else said + self.chance.choice(ENDINGS))

    def filled(self, said):
        """Carriers have slots of their own."""
        return self.words(said, {})

    def read(self, dialect):
        """Searches, then reads at the first hit; a slice beyond the end is asked for from the end."""
        chain = self.table.chains['read']
        template, kinds = with_kinds(expand(self.chance.choice(chain['say']), self.chance), {'q': 'query'})
        q = self.values.draw('query')
        said = self.words(self.speech.spoken(template, 'ask' if template.startswith('wh') else 'do', kinds), {'q': q})
        turns = [self.asked(said), ('call', self.call(dialect, chain['search'], {'query': q[1]}, chain['goals'][0]))]
        if self.chance.random() < 0.12:
            return turns + [('result', prompt.flat({'hits': [], 'more': 0})), self.done(dialect, 'Nothing holds these words.')]
        hits = self.values.hits()[0]
        path, line = hits[0]['path'], hits[0]['line']
        args = {'path': path, 'slice': 'lines[%d:%d]' % (line, line + 5)}
        turns += [('result', prompt.flat({'hits': hits, 'more': self.values.whole(0, 9)})), ('call', self.call(dialect, chain['tool'], args, chain['goals'][1]))]
        if self.chance.random() < 0.25:
            turns.append(('error', prompt.error('capability_threw', '%s is not within %s: it has %d lines.' % (args['slice'], path, line + self.values.whole(1, 4)))))
            args = {'path': path, 'slice': 'tail(5)'}
            turns.append(('call', self.call(dialect, chain['tool'], args, chain['goals'][1])))
        text = self.values.sentence()[0]
        result = prompt.flat({**args, 'text': text})
        return turns + [('result', result), self.done(dialect, 'It says: ' + self.visible(prompt.short(text), result))]

    def other(self, dialect):
        """A task of two numbers for a tool of another page: any name, any two members, the numbers in
        the order of the phrase's family. The form of a request leads the model to names that it has never met."""
        others, numbers = self.table.source['others'], {'a': self.values.number(), 'b': self.values.number()}
        family = self.chance.choice(list(others['tools']))
        like = next(task for task in self.table.tasks if task['name'] == family)
        template, kinds, mood = self.phrase(like)
        if self.chance.random() < 0.5 and family == 'sum':
            tool, names = self.chance.choice(others['known'])
        else:
            tool, names = self.chance.choice(others['tools'][family]), self.chance.choice(others['members'])
            tool = self.chance.choice([tool, tool, self.chance.choice(others['spaces']) + '.' + tool, self.values.noun().lower() + '.' + tool])
        said = self.words(self.speech.spoken(template, mood, kinds), numbers)
        result = self.chance.choice(others['results'] + [self.values.noun().lower()])
        outcome = {'result': {result: '~value'}, 'answer': 'The answer is {result.%s}.' % result}
        task = {'tool': tool, 'name': tool, 'goal': like['goal'], 'outcomes': [outcome], 'led': True}
        turns = [self.asked(said)]
        ending = self.steps(dialect, task, numbers, {names[0]: numbers['a'][1], names[1]: numbers['b'][1]}, turns)
        return turns + [self.done(dialect, ending)]

    def unknown(self, dialect):
        template, kinds = with_kinds(expand(self.chance.choice(self.table.unknown), self.chance), {})
        mood = self.chance.choice(['ask', 'do']) if self.chance.random() < 0.4 else 'plain'
        said = self.words(self.speech.spoken(template, mood, kinds), {})
        return [self.asked(said), self.done(dialect, self.table.source['decline'])]
