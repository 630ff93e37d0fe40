"""Reference values of small transformers from PyTorch, for train/trainer_test.go.

usage: python3 torch_golden.py        (writes torch_*.safetensors to its own folder)

Each file holds a model's parameters under their TransformerLens names, one
batch, its logits, the gradient of every parameter, and the losses of ten steps
of each of three optimisers on that batch. Written for PyTorch 1.13; later
versions give the same numbers to within the test's tolerance. The network is
written in einsums, from TransformerLens's definition, independently of the Go
code.
"""
import json, math, os, struct
import numpy as np, torch, torch.nn.functional as F

BATCH = 4
# name: d_model, n_heads by layer, d_head, d_mlp (0: attention only), n_ctx, d_vocab, act_fn, normalization_type
CONFIGS = {
    "ln_gelu": (16, [2], 8, 32, 6, 3, "gelu", "LN"),
    "plain_relu": (12, [1, 1], 12, 24, 5, 4, "relu", "none"),
    "attn_only": (12, [1, 3, 1], 8, 0, 8, 5, "", "LN"),
    "pre_silu": (8, [2, 1], 6, 20, 4, 3, "silu", "LNPre"),
    "gelu_new": (8, [4], 2, 16, 5, 7, "gelu_new", "LN"),
    "tied": (8, [2, 2], 4, 32, 6, 11, "gelu_new", "LN"),
    "no_bias": (10, [2], 5, 12, 5, 4, "gelu", "LN"),
}
# Configuration fields of models whose output does not use W_U and b_U.
OUTPUTS = {"tied": {"tie_unembed": True}, "no_bias": {"unembed_bias": False}}


def norm_names(name, kind, d):
    return {f"{name}.w": (d,), f"{name}.b": (d,)} if kind == "LN" else {}


def shapes(d, heads, h, m, n_ctx, vocab, act, norm):
    s = {"embed.W_E": (vocab, d), "pos_embed.W_pos": (n_ctx, d)}
    for i, n in enumerate(heads):
        b = f"blocks.{i}"
        s |= norm_names(f"{b}.ln1", norm, d)
        s |= {f"{b}.attn.W_{x}": (n, d, h) for x in "QKV"} | {f"{b}.attn.W_O": (n, h, d)}
        s |= {f"{b}.attn.b_{x}": (n, h) for x in "QKV"} | {f"{b}.attn.b_O": (d,)}
        if m:
            s |= norm_names(f"{b}.ln2", norm, d)
            s |= {f"{b}.mlp.W_in": (d, m), f"{b}.mlp.b_in": (m,), f"{b}.mlp.W_out": (m, d), f"{b}.mlp.b_out": (d,)}
    return s | norm_names("ln_final", norm, d) | {"unembed.W_U": (d, vocab), "unembed.b_U": (vocab,)}


def absent(output):
    """The parameters that a model with this output lacks."""
    if output.get("tie_unembed"):
        return {"unembed.W_U", "unembed.b_U"}
    return set() if output.get("unembed_bias", True) else {"unembed.b_U"}


def forward(p, tokens, d, heads, h, m, n_ctx, vocab, act, norm):
    def normed(x, name):
        if norm == "none":
            return x
        return F.layer_norm(x, (d,), p.get(f"{name}.w"), p.get(f"{name}.b"), 1e-5)

    activation = {"gelu": F.gelu, "relu": F.relu, "silu": F.silu, "gelu_new": lambda x: F.gelu(x, approximate="tanh")}.get(act)
    T = tokens.shape[1]
    mask = torch.triu(torch.ones(T, T, dtype=torch.bool), 1)
    x = p["embed.W_E"][tokens] + p["pos_embed.W_pos"][:T]
    for i in range(len(heads)):
        a = f"blocks.{i}.attn."
        y = normed(x, f"blocks.{i}.ln1")
        q, k, v = (torch.einsum("btd,ndh->bnth", y, p[a + "W_" + c]) + p[a + "b_" + c][None, :, None] for c in "QKV")
        scores = (q @ k.transpose(-1, -2) / math.sqrt(h)).masked_fill(mask, -math.inf)
        x = x + torch.einsum("bnth,nhd->btd", scores.softmax(-1) @ v, p[a + "W_O"]) + p[a + "b_O"]
        if m:
            b = f"blocks.{i}.mlp."
            y = activation(normed(x, f"blocks.{i}.ln2") @ p[b + "W_in"] + p[b + "b_in"])
            x = x + y @ p[b + "W_out"] + p[b + "b_out"]
    unembed = p["unembed.W_U"] if "unembed.W_U" in p else p["embed.W_E"].T
    return normed(x, "ln_final") @ unembed + p.get("unembed.b_U", 0)


OPTIMIZERS = {
    "adam": lambda ps: torch.optim.Adam(ps, lr=1e-2, betas=(0.8, 0.95), eps=1e-7, weight_decay=0.01),
    "adamw": lambda ps: torch.optim.AdamW(ps, lr=1e-2, weight_decay=0.1),
    "sgd": lambda ps: torch.optim.SGD(ps, lr=1e-1, momentum=0.9, weight_decay=1e-3),
}


def golden(name, config):
    d, heads, h, m, n_ctx, vocab, act, norm = config
    rng = np.random.default_rng(sum(map(ord, name)))
    start, output = {}, OUTPUTS.get(name, {})
    for key, shape in shapes(*config).items():
        if key in absent(output):
            continue
        start[key] = rng.normal(0, 0.3, shape) + (1 if key.endswith(".w") else 0)
    tokens = torch.tensor(rng.integers(0, vocab, (BATCH, n_ctx)))
    targets = torch.tensor(rng.integers(0, vocab, (BATCH, n_ctx)))

    def parameters():
        return {k: torch.tensor(v, dtype=torch.float32, requires_grad=True) for k, v in start.items()}

    def loss_of(p):
        return F.cross_entropy(forward(p, tokens, *config).reshape(-1, vocab), targets.reshape(-1))

    p = parameters()
    logits = forward(p, tokens, *config)
    loss_of(p).backward()
    out = {k: v.detach() for k, v in p.items()} | {"grad." + k: v.grad for k, v in p.items()}
    out |= {"tokens": tokens, "targets": targets, "logits": logits.detach()}
    for kind, make in OPTIMIZERS.items():
        p = parameters()
        opt, losses = make(p.values()), []
        for _ in range(10):
            loss = loss_of(p)
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        out["losses." + kind] = torch.tensor(losses)
    keys = ("d_model", "n_heads", "d_head", "d_mlp", "n_ctx", "d_vocab", "act_fn", "normalization_type")
    write(name, out, {"config": json.dumps(dict(zip(keys, config)) | output)})


def write(name, tensors, metadata):
    """The safetensors format: length of the header, header, float32 data."""
    header, data = {"__metadata__": metadata}, b""
    for key, value in tensors.items():
        raw = value.numpy().astype("<f4").tobytes()
        header[key] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), f"torch_{name}.safetensors"), "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)


for name, config in CONFIGS.items():
    golden(name, config)
