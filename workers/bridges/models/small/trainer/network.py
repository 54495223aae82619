"""The network: a decoder with rotary positions and a short convolution before each attention.

workers/bridges/models/small/network.ts computes the same.
"""

import torch
import torch.nn.functional as F
from torch import nn

BACK = 4
EPSILON = 1e-5


def norm(x):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + EPSILON)


def matrix(rows, columns, deviation):
    return nn.Parameter(torch.randn(rows, columns) * deviation)


class Block(nn.Module):
    def __init__(self, width, heads, hidden):
        super().__init__()
        self.heads = heads
        self.qkv = matrix(3 * width, width, width**-0.5)
        self.out = nn.Parameter(torch.zeros(width, width))
        self.gate_up = matrix(2 * hidden, width, width**-0.5)
        self.down = nn.Parameter(torch.zeros(width, hidden))
        self.norm_attention = nn.Parameter(torch.ones(width))
        self.norm_hidden = nn.Parameter(torch.ones(width))
        self.convolution = matrix(BACK, width, 0.1)
        self.scale = nn.Parameter(torch.full((heads,), 0.45))

    def forward(self, x, cos, sin, future):
        count, length, width = x.shape
        size = width // self.heads
        h = norm(x) * self.norm_attention
        padded = F.pad(h, (0, 0, BACK - 1, 0))
        h = h + sum(self.convolution[i] * padded[:, BACK - 1 - i : BACK - 1 - i + length] for i in range(BACK))
        q, k, v = F.linear(h, self.qkv).view(count, length, 3, self.heads, size).permute(2, 0, 3, 1, 4)

        def turned(t):
            a, b = t[..., : size // 2], t[..., size // 2 :]
            return torch.cat((a * cos - b * sin, a * sin + b * cos), -1)

        scores = (turned(norm(q)) * self.scale[:, None, None]) @ turned(norm(k)).transpose(-1, -2) + future
        mixed = (scores.softmax(-1) @ v).transpose(1, 2).reshape(count, length, width)
        x = x + F.linear(mixed, self.out)
        gate, up = F.linear(norm(x) * self.norm_hidden, self.gate_up).chunk(2, -1)
        return x + F.linear(F.silu(gate) * up, self.down)


class Network(nn.Module):
    def __init__(self, vocabulary, width, layers, heads, hidden):
        super().__init__()
        self.shape = {'vocabulary': vocabulary, 'width': width, 'layers': layers, 'heads': heads, 'hidden': hidden, 'back': BACK}
        self.embedding = matrix(vocabulary, width, 0.06)
        self.blocks = nn.ModuleList(Block(width, heads, hidden) for _ in range(layers))
        self.norm_last = nn.Parameter(torch.ones(width))

    def forward(self, ids):
        length, size = ids.shape[1], self.shape['width'] // self.shape['heads']
        frequency = 10000.0 ** (-torch.arange(0, size, 2).float() / size)
        angle = torch.arange(length).float()[:, None] * frequency
        future = torch.full((length, length), float('-inf')).triu(1)
        h = F.embedding(ids, self.embedding)
        for block in self.blocks:
            h = block(h, angle.cos(), angle.sin(), future)
        return norm(h) * self.norm_last

    def loss(self, ids, learned):
        """Mean of -log p over the learned tokens, how many of them are the most likely, and how many there are."""
        wanted = ids[:, 1:][learned[:, 1:]]
        said = self.forward(ids[:, :-1])[learned[:, 1:]] @ self.embedding.T
        return F.cross_entropy(said, wanted), (said.argmax(-1) == wanted).sum().item(), len(wanted)
