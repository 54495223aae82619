"""The file of weights: magic, version, a head in JSON, then numbers; matrices are int8 with one scale for each row.

    python3 weights.py table.json OUT.STEP.pt OUT.bin

writes the file of a training that is under way.
"""

import hashlib
import json
import struct
import sys

import numpy as np

from tokens import CONTROL

MAGIC, VERSION = b'SPSM', 1


def quantised(values):
    """Rows of int8, and the scale of each row."""
    scales = (np.maximum(np.abs(values).max(1), 1e-8) / 127).astype('<f4')
    return scales, np.clip(np.rint(values / scales[:, None]), -127, 127).astype(np.int8)


def write(network, tokens, path):
    """Magic, version, length of the head, head, SHA-256 of the body, body. Every part begins at a multiple of four."""
    body, parts = b'', []
    for name, parameter in network.state_dict().items():
        values = parameter.numpy()
        wide = values.ndim == 2 and not name.endswith('convolution')
        parts.append([name, 'int8' if wide else 'float32', list(values.shape)])
        body += b''.join(part.tobytes() for part in quantised(values)) if wide else values.astype('<f4').tobytes()
        body += b'\0' * (-len(body) % 4)
    head = {'shape': network.shape, 'tools': tokens.tools, 'words': sorted(tokens.words), 'control': len(CONTROL), **tokens.copying, 'tokens': tokens.texts, 'parts': parts, 'sha256': hashlib.sha256(body).hexdigest()}
    text = json.dumps(head, ensure_ascii=False, separators=(',', ':')).encode()
    text += b' ' * (-len(text) % 4)
    data = MAGIC + struct.pack('<II', VERSION, len(text)) + text + body
    with open(path, 'wb') as file:
        file.write(data)
    return len(data)


def network_of(path):
    """The network that the trainer kept in a file."""
    import torch

    from network import Network

    numbers = torch.load(path)['network']
    vocabulary, width = numbers['embedding'].shape
    layers = sum(name.endswith('.qkv') for name in numbers)
    network = Network(vocabulary, width, layers, len(numbers['blocks.0.scale']), numbers['blocks.0.down'].shape[1])
    network.load_state_dict(numbers)
    return network


def main():
    from table import Table

    write(network_of(sys.argv[2]), Table(sys.argv[1]).tokens(), sys.argv[3])


if __name__ == '__main__':
    main()
