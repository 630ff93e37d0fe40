#!/usr/bin/env python3
"""Writes golden.safetensors, or with an argument reads and prints any file: the format by hand, from its description.

    python3 golden.py            writes golden.safetensors beside this script
    python3 golden.py FILE       prints each tensor of FILE with its sum
"""
import json
import os
import struct
import sys

import numpy as np

NAMES = {np.dtype("float32"): "F32", np.dtype("float64"): "F64"}
TYPES = {"F32": "<f4", "F64": "<f8"}


def write(path, tensors, metadata):
    header, offset = {"__metadata__": metadata}, 0
    for name, array in tensors.items():
        end = offset + array.nbytes
        header[name] = {"dtype": NAMES[array.dtype], "shape": list(array.shape), "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for array in tensors.values():
            file.write(np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).tobytes())


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    assert length % 8 == 0 and header.pop("__metadata__") is not None
    tensors, covered = {}, 0
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        assert begin == covered
        covered = end
        array = np.frombuffer(data[8 + length + begin : 8 + length + end], TYPES[entry["dtype"]])
        tensors[name] = array.reshape(entry["shape"])
    assert 8 + length + covered == len(data)
    return tensors


if len(sys.argv) > 1:
    for name, array in read(sys.argv[1]).items():
        print(name, array.dtype, array.shape, array.sum(dtype=np.float64))
else:
    golden = {
        "embed.W_E": np.sqrt(np.arange(15, dtype=np.float64)).astype(np.float32).reshape(3, 5),
        "blocks.0.attn.W_Q": 1 / np.arange(-3, 0, 0.25).reshape(2, 3, 2),
        "scalar": np.array(np.pi),
        "none": np.zeros((0, 4), np.float32),
        "special <é>": np.array([0.0, -0.0, np.inf, -np.inf, 1e-45, 3.4028235e38], np.float32),
    }
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden.safetensors")
    write(path, golden, {"format": "pt", "step": "500"})
    for name, array in read(path).items():
        assert array.tobytes() == golden[name].tobytes(), name
