"""The models of torch_bench.py and torch_solve.py, which follow this text. MODE is eager or sdpa.

usage: - THREADS MODE …"""
import json, math, sys, time
import torch, torch.nn as nn, torch.nn.functional as F

THREADS, MODE = int(sys.argv[1]), sys.argv[2]
torch.set_num_threads(THREADS)


class Block(nn.Module):
    def __init__(self, d, h, dh, mlp, ln):
        super().__init__()
        self.h, self.dh = h, dh
        self.qkv, self.o = nn.Linear(d, 3 * h * dh), nn.Linear(h * dh, d)
        self.l1 = nn.LayerNorm(d) if ln else nn.Identity()
        self.l2 = nn.LayerNorm(d) if ln else nn.Identity()
        self.mlp = nn.Sequential(nn.Linear(d, mlp), nn.GELU(), nn.Linear(mlp, d)) if mlp else None

    def forward(self, x, mask):
        B, T, _ = x.shape
        q, k, v = self.qkv(self.l1(x)).view(B, T, 3, self.h, self.dh).permute(2, 0, 3, 1, 4)
        if MODE == "eager":
            a = (q @ k.transpose(-1, -2) / math.sqrt(self.dh)).masked_fill(mask[:T, :T], float("-inf")).softmax(-1)
            y = a @ v
        else:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(y.transpose(1, 2).reshape(B, T, -1))
        return x + self.mlp(self.l2(x)) if self.mlp else x


class GPT(nn.Module):
    def __init__(self, V, T, d, heads, mlp, dh, ln):
        super().__init__()
        self.e, self.p = nn.Embedding(V, d), nn.Embedding(T, d)
        self.b = nn.ModuleList(Block(d, h, dh, mlp, ln) for h in heads)
        self.ln, self.u = nn.LayerNorm(d) if ln else nn.Identity(), nn.Linear(d, V, bias=False)
        self.register_buffer("m", torch.triu(torch.ones(T, T, dtype=torch.bool), 1))

    def forward(self, x):
        h = self.e(x) + self.p.weight[: x.shape[1]]
        for b in self.b:
            h = b(h, self.m)
        return self.u(self.ln(h))
