"""Episodes of more than one call, of a tool of another page, and of no call."""

import prompt
from amounts import same
from phrases import expand, with_kinds

ENDINGS = ['', '', '', '', '.', ', please', ' please', ', thanks', '?']
DENIED = 'approval_denied', 'A person said no. Continue without it.'
DO = ['please ', 'can you ', 'could you ', 'now ', 'hey, ', 'ok, ', 'please first ', 'would you ']


def at(result, place):
    """The value at a place of a result: `hits.0.path`."""
    for key in place.split('.'):
        result = result[int(key)] if isinstance(result, list) else result[key]
    return result


class Chains:
    """The kinds of episodes that are not one call of the table."""

    def chain(self, dialect):
        """Works out a value, then keeps it in a note."""
        chain, task = self.table.chains['keep'], self.chance.choice(self.table.chainable)
        template, kinds, mood = self.phrase(task)
        drawn, own = self.fill(task, kinds), self.fill(chain, chain['slots'])
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
            turns += [('error', prompt.error(*DENIED)), self.done(dialect, self.answer(chain['denied'], drawn, {}))]
        else:
            turns += [('result', prompt.flat(self.result(chain['result'], drawn, args))), self.done(dialect, self.answer(chain['answer'], drawn, {}))]
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
        """Searches, then reads at the first hit; a place beyond the end is asked for from the end."""
        chain = self.table.chains['read']
        template, kinds = with_kinds(expand(self.chance.choice(chain['say']), self.chance), chain['slots'])
        drawn = self.fill(chain, kinds)
        said = self.words(self.speech.spoken(template, 'ask' if template.startswith('wh') else 'do', kinds), drawn)
        query, nothing, beyond = self.arguments(chain['query'], drawn), chain['nothing'], chain['beyond']
        turns = [self.asked(said), ('call', self.call(dialect, chain['search'], query, chain['goals'][0]))]
        if self.chance.random() < nothing['share']:
            return turns + [('result', prompt.flat(nothing['result'])), self.done(dialect, nothing['answer'])]
        hits = self.result(chain['hits'], drawn, query)
        drawn.update((name, same(at(hits, place))) for name, place in chain['found'].items())
        args = self.arguments(chain['args'], drawn)
        turns += [('result', prompt.flat(hits)), ('call', self.call(dialect, chain['tool'], args, chain['goals'][1]))]
        if self.chance.random() < beyond['share']:
            turns.append(('error', self.error(beyond['error'], drawn, args)))
            args = {**args, **beyond['retry']}
            turns.append(('call', self.call(dialect, chain['tool'], args, chain['goals'][1])))
        return turns + [self.done(dialect, self.returned(chain, drawn, args, turns))]

    def other(self, dialect):
        """A task of two numbers for a tool of another page: any name, any two members, the numbers in
        the order of the phrase's family. The form of a request leads the model to names that it has never met."""
        others, numbers = self.table.source['others'], {'a': self.values.number(), 'b': self.values.number()}
        family = self.chance.choice(list(others['tools']))
        like = next(task for task in self.table.tasks if task['name'] == family)
        template, kinds, mood = self.phrase(like)
        known = others.get('known', {}).get(family, [])
        if self.chance.random() < 0.5 and known:
            tool, names = self.chance.choice(known)
        else:
            tool, names = self.chance.choice(others['tools'][family]), self.chance.choice(others['members'])
            tool = self.chance.choice([tool, tool, self.chance.choice(others['spaces']) + '.' + tool, self.values.noun().lower() + '.' + tool])
        said = self.words(self.speech.spoken(template, mood, kinds), numbers)
        result = self.chance.choice(others['results'] + [self.values.noun().lower()])
        outcome = {'result': {result: '~value'}, 'answer': others['answer'].replace('{result}', '{result.%s}' % result)}
        task = {'tool': tool, 'name': tool, 'goal': like['goal'], 'outcomes': [outcome], 'led': True}
        turns = [self.asked(said)]
        ending = self.steps(dialect, task, numbers, {names[0]: numbers['a'][1], names[1]: numbers['b'][1]}, turns)
        return turns + [self.done(dialect, ending)]

    def unknown(self, dialect):
        template, kinds = with_kinds(expand(self.chance.choice(self.table.unknown), self.chance), {})
        mood = self.chance.choice(['ask', 'do']) if self.chance.random() < 0.4 else 'plain'
        said = self.words(self.speech.spoken(template, mood, kinds), {})
        return [self.asked(said), self.done(dialect, self.table.source['decline'])]
