"""The file of weights: magic, version, a head in JSON, then numbers; matrices are int8 with one scale for each row.
"""

import hashlib
import json
import struct

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


def read(path):
    """The vocabulary of a file, and its numbers by name."""
    import torch

    with open(path, 'rb') as file:
        data = file.read()
    at = 12 + struct.unpack_from('<I', data, 8)[0]
    head, found = json.loads(data[12:at]), {}
    for name, kind, shape in head['parts']:
        count = int(np.prod(shape))
        if kind == 'float32':
            values = np.frombuffer(data, '<f4', count, at).reshape(shape)
            at += 4 * count
        else:
            scales = np.frombuffer(data, '<f4', shape[0], at)
            values = np.frombuffer(data, np.int8, count, at + 4 * shape[0]).reshape(shape) * scales[:, None]
            at += 4 * shape[0] + count
        at += -count % 4 if kind == 'int8' else 0
        found[name] = torch.tensor(np.array(values, dtype=np.float32))
    return head['tokens'], found
