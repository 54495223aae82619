"""Judges a training by new episodes of its generator: `python3 reach.py house.json OUT.STEP.pt --seed 2 --episodes 500`.

The network has the int8 numbers of the file of weights. A proposal counts where each of its tokens is the likeliest after
the right ones, so that the model would say it whole, without the constraint. The phrases are those of the training.
"""

import argparse
import json

import torch

from episodes import Episodes
from table import Table
from weights import network_of, quantised


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('table')
    parser.add_argument('kept')
    parser.add_argument('--seed', type=int, default=2)
    parser.add_argument('--episodes', type=int, default=500)
    return parser.parse_args()


@torch.no_grad()
def rounded(network):
    """The network with the numbers that its file has."""
    for name, parameter in network.named_parameters():
        if parameter.ndim == 2 and not name.endswith('convolution'):
            scales, numbers = quantised(parameter.numpy())
            parameter.copy_(torch.from_numpy(scales[:, None] * numbers))
    return network


@torch.no_grad()
def sure(network, ids):
    """Which tokens are the likeliest ones, but for the first."""
    said = network(torch.tensor([ids[:-1]]))[0] @ network.embedding.T
    return (said.argmax(-1) == torch.tensor(ids[1:])).tolist()


class Counts:
    """Right and all, by the name of a measure."""

    def __init__(self):
        self.of = {}

    def add(self, name, right):
        counted = self.of.setdefault(name, [0, 0])
        counted[0] += right
        counted[1] += 1


def judge(network, tokens, dialect, turns, counts):
    ids, learned = tokens.episode(dialect, turns)
    # the first token is not said
    right = [True] + [likeliest or not says for likeliest, says in zip(sure(network, ids), learned[1:])]
    end, whole = 1, True
    for at in range(1, len(turns) + 1):
        begin, end = end, len(tokens.episode(dialect, turns[:at])[0])
        kind, text = turns[at - 1]
        if kind in ('call', 'led'):
            exact = all(right[begin:end])
            counts.add('answers' if at == len(turns) else 'calls', exact)
            whole = whole and exact
    counts.add('whole episodes', whole)


def main():
    options = arguments()
    table = Table(options.table)
    tokens, episodes, counts = table.tokens(), Episodes(table, options.seed), Counts()
    network = rounded(network_of(options.kept))
    for _ in range(options.episodes):
        judge(network, tokens, *episodes.episode(), counts)
    print(json.dumps({'table': options.table, 'episodes': options.episodes, **counts.of}))


main()
