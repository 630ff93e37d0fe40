#!/usr/bin/env python3
"""Writes golden.npz with NumPy; with an argument prints each array of an .npz file with its sum.

    python3 golden.py            writes golden.npz beside this script
    python3 golden.py FILE       prints the arrays of FILE
"""
import os
import sys

import numpy as np

if len(sys.argv) > 1:
    with np.load(sys.argv[1]) as archive:
        for name in archive.files:
            array = archive[name]
            print(name, array.dtype, array.shape, array.sum(dtype=np.float64))
else:
    np.savez_compressed(
        os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden.npz"),
        roots=np.sqrt(np.arange(15, dtype=np.float64)).astype(np.float32).reshape(3, 5),
        inverses=1 / np.arange(-3, 0, 0.25).reshape(2, 3, 2),
        tokens=np.arange(-2, 4, dtype=np.int32),
        large=np.array([[2**62], [-(2**63)]]),
        scalar=np.array(np.pi),
        none=np.zeros((0, 4), np.float32),
        long=np.zeros((1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)),
    )
