"""Trains a small model for a table of tools.

    OMP_NUM_THREADS=1 python3 train.py --table table.json --seed 1 --steps 9000 --decay 4000 --out /tmp/small

Writes OUT.STEP.pt on the way, and OUT.bin at the end. The rate is constant until the last `decay` steps, in which it falls:
`--from OUT.STEP.pt` goes on from a file with the same result as a run that never stopped.
"""

import argparse
import ctypes
import json
import random
import time

import torch

from episodes import Episodes
from table import Table
from network import Network
from weights import write

TOKENS, EPISODES, MOST = 2048, 512, 448
RATE_ADAM, RATE_MUON, WARM = 4e-3, 0.02, 60


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--table', required=True)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--steps', type=int, required=True)
    parser.add_argument('--decay', type=int, required=True)
    parser.add_argument('--shape', default='96,3,3,192', help='width, layers, heads, hidden')
    parser.add_argument('--every', type=int, default=500, help='steps between two files')
    parser.add_argument('--pool', type=int, help='so many episodes, again and again; endless new ones where it is left out')
    parser.add_argument('--from', dest='start')
    parser.add_argument('--out', required=True)
    return parser.parse_args()


class Batches:
    """Episodes of about the same length together, at most TOKENS with their padding."""

    def __init__(self, table, tokens, seed, most=None):
        self.tokens, self.episodes, self.chance, self.pool, self.seen = tokens, Episodes(table, seed), random.Random(seed + 1), [], 0
        self.fixed = [self.coded() for _ in range(most)] if most else None

    def coded(self):
        return self.tokens.episode(*self.episodes.episode())

    def fill(self):
        coded = [self.chance.choice(self.fixed) if self.fixed else self.coded() for _ in range(EPISODES)]
        batch = []
        for one in sorted((one for one in coded if len(one[0]) <= MOST), key=lambda one: len(one[0])):
            if batch and (len(batch) + 1) * len(one[0]) > TOKENS:
                self.pool.append(batch)
                batch = []
            batch.append(one)
        self.pool.append(batch)
        self.chance.shuffle(self.pool)

    def next(self):
        if not self.pool:
            self.fill()
        batch = self.pool.pop()
        self.seen += len(batch)
        length = max(len(ids) for ids, _ in batch)
        ids, learned = torch.zeros(len(batch), length, dtype=torch.long), torch.zeros(len(batch), length, dtype=torch.bool)
        for row, (own, says) in enumerate(batch):
            ids[row, : len(own)], learned[row, : len(own)] = torch.tensor(own), torch.tensor(says)
        return ids, learned


def orthogonal(gradient):
    """Newton-Schulz: the matrix of the same directions whose singular values are about one."""
    x = gradient / (gradient.norm() + 1e-7)
    for _ in range(5):
        a = x @ x.T
        x = torch.addmm(x, torch.addmm(a, a, a, beta=-4.7750, alpha=2.0315), x, beta=3.4445)
    return x


class Optimizer:
    """Muon for the square parts of the blocks' matrices, Adam for the rest."""

    def __init__(self, network):
        self.big = [matrix for block in network.blocks for matrix in (block.qkv, block.out, block.gate_up, block.down)]
        own = {id(matrix) for matrix in self.big}
        self.adam = torch.optim.Adam([p for p in network.parameters() if id(p) not in own], lr=RATE_ADAM, betas=(0.9, 0.98))
        self.momentum, self.width = [torch.zeros_like(p) for p in self.big], network.shape['width']

    @torch.no_grad()
    def step(self, factor, step):
        for group in self.adam.param_groups:
            group['lr'] = RATE_ADAM * factor
        self.adam.step()
        keep = 0.85 + 0.1 * min(1, step / 150)
        for p, momentum in zip(self.big, self.momentum):
            momentum.mul_(keep).add_(p.grad, alpha=1 - keep)
            update = p.grad * (1 - keep) + momentum * keep
            for i in range(0, p.shape[0], self.width):
                for j in range(0, p.shape[1], self.width):
                    part = p[i : i + self.width, j : j + self.width]
                    part.mul_(1 - 0.002 * factor).add_(orthogonal(update[i : i + self.width, j : j + self.width]), alpha=-RATE_MUON * factor)


def keep_memory():
    """Keeps freed memory in the process: without it every large tensor is mapped and cleared by the kernel anew."""
    trim, top, mapped = -1, -2, -3
    libc = ctypes.CDLL(None)
    for parameter, value in ((mapped, 32 << 20), (trim, 2**31 - 1), (top, 64 << 20)):
        libc.mallopt(parameter, value)


def factor(step, steps, decay):
    return min(1, (step + 1) / WARM) * min(1, max(0.02, (steps - step) / decay))


def main():
    options = arguments()
    torch.set_num_threads(1)
    keep_memory()
    # gradients of near-certain tokens are denormal numbers, which make products several times slower
    torch.set_flush_denormal(True)
    torch.manual_seed(options.seed)
    table = Table(options.table)
    batches = Batches(table, table.tokens(), options.seed, options.pool)
    network = Network(len(batches.tokens.texts), *map(int, options.shape.split(',')))
    optimizer, step, spent = Optimizer(network), 0, 0.0
    if options.start:
        kept = torch.load(options.start)
        step, spent = kept['step'], kept['seconds']
        grown = network.load_state_dict(kept['network'], strict=False).missing_keys
        # a layer that is new has no effect at first, because its outputs are zero
        if not grown:
            optimizer.adam.load_state_dict(kept['adam'])
        optimizer.momentum[: len(kept['momentum'])] = kept['momentum']
        batches.pool, batches.seen = kept['pool'], kept['seen']
        batches.chance.setstate(kept['shuffle'])
        batches.episodes.chance.setstate(kept['episodes'])
    print('parameters', sum(p.numel() for p in network.parameters()), 'tokens', len(batches.tokens.texts), flush=True)
    began, sums, wall = time.process_time() - spent, [0.0, 0.0, 0], time.time()
    while step < options.steps:
        ids, learned = batches.next()
        loss, right, count = network.loss(ids, learned)
        network.zero_grad()
        loss.backward()
        optimizer.step(factor(step, options.steps, options.decay), step)
        step += 1
        sums = [sums[0] + loss.item() * count, sums[1] + right, sums[2] + count]
        if step % 20 == 0:
            line = {'step': step, 'loss': round(sums[0] / sums[2], 4), 'sure': round(sums[1] / sums[2], 4), 'episodes': batches.seen, 'seconds': round(time.process_time() - began), 'wall': round(time.time() - wall)}
            print(json.dumps(line), flush=True)
            sums = [0.0, 0.0, 0]
        if step % options.every == 0:
            torch.save({'network': network.state_dict(), 'adam': optimizer.adam.state_dict(), 'momentum': optimizer.momentum, 'step': step, 'seconds': time.process_time() - began, 'pool': batches.pool, 'seen': batches.seen, 'shuffle': batches.chance.getstate(), 'episodes': batches.episodes.chance.getstate()}, '%s.%d.pt' % (options.out, step))
    size = write(network, batches.tokens, options.out + '.bin')
    print(json.dumps({'done': options.out + '.bin', 'bytes': size, 'steps': step, 'episodes': batches.seen, 'seconds': round(time.process_time() - began)}), flush=True)


if __name__ == '__main__':
    main()
