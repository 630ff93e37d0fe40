"""Reads foretell's files into torch and pandas: weights, their forward pass, metrics, claims (see docs/python.md)."""
import json, pathlib, struct
import pandas as pd, torch
from torch.nn import functional as F

def load(path):
    """Returns (weights, config): a dict of tensors under TransformerLens's names, and the configuration. path is a run
    (runs/first, or runs/first@64 for a step whose weights it keeps), a checkpoint or a .safetensors file."""
    path = pathlib.Path(path)
    run, _, step = path.name.rpartition("@")
    if run and not path.exists():
        files = [f for kind in ("checkpoints", "snapshots") for f in path.with_name(run).glob(kind + "/step-*")]
        kept = {f.name[5:].removesuffix(".safetensors"): f for f in files}
        if step not in kept:
            drawn = " (foretell draws them from the seed, and writes no file)" if step == "0" else ""
            there = "keeps steps " + ", ".join(sorted(kept, key=int)) if kept else "is not a run with weights"
            raise ValueError(f"{path}: no weights of step {step}{drawn}; {path.with_name(run)} {there}")
        path = kept[step]
    if (path / "checkpoints").is_dir():
        path = max((path / "checkpoints").glob("step-*"), key=lambda step: int(step.name[5:]))
    data = (path / "model.safetensors" if path.is_dir() else path).read_bytes()
    body = 8 + struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:body])
    config = json.loads(header.pop("__metadata__")["foretell.config"])
    kinds, weights = {"F32": torch.float32, "F64": torch.float64}, {}
    for name, t in header.items():
        own = bytearray(data[body:][slice(*t["data_offsets"])])
        weights[name] = torch.frombuffer(own, dtype=kinds[t["dtype"]]).reshape(t["shape"])
    return weights, config

def logits(w, c, tokens):
    """Returns the logits (B, T, d_vocab) after tokens (B, T), for weights w and c = config["model"]. Covers positions
    standard, sinusoidal, rotary and none, tied embeddings, and models with or without MLPs and normalization; raises
    NotImplementedError for architecture: flat, residual: concat and output: probabilities."""
    for key, other in dict(architecture="flat", residual="concat", output="probabilities").items():
        if c.get(key) == other:
            raise NotImplementedError(f"foretell.py has no forward pass for {key}: {other}; use `foretell predict`")
    T, h, at = tokens.shape[1], c["d_head"], torch.arange(tokens.shape[1])
    def norm(x, name):
        if c["normalization_type"] is None: return x
        x = x - x.mean(-1, keepdim=True)
        return x / (x.square().mean(-1, keepdim=True) + c["eps"]).sqrt() * w.get(name + ".w", 1) + w.get(name + ".b", 0)
    def turn(x):  # rotary positions: rotate pairs from the two halves of a head; x is (B, T, H, h)
        if c["positional_embedding_type"] != "rotary": return x
        angle = (at[:, None] * 10000.0 ** (-torch.arange(h // 2) * 2 / h))[:, None]
        a, b = x.chunk(2, -1)
        return torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], -1)
    gelu_new = lambda x: F.gelu(x, approximate="tanh")
    act = {"relu": F.relu, "gelu": F.gelu, "gelu_new": gelu_new, "silu": F.silu}[c["act_fn"]]
    x = w["embed.W_E"][tokens] + (w["pos_embed.W_pos"][:T] if "pos_embed.W_pos" in w else 0)
    if c["positional_embedding_type"] == "sinusoidal":  # as in "Attention is all you need": sine, cosine, sine, …
        column = torch.arange(c["d_model"])
        angle = at[:, None] * 10000.0 ** (-2.0 * (column // 2).double() / c["d_model"])
        x = x + torch.where(column % 2 == 0, angle.sin(), angle.cos()).to(x.dtype)
    for name in (f"blocks.{i}." for i in range(c["n_layers"])):
        n = norm(x, name + "ln1")
        q, k, v = (torch.einsum("btd,ndh->btnh", n, w[f"{name}attn.W_{s}"]) + w[f"{name}attn.b_{s}"] for s in "QKV")
        scores = torch.einsum("bqnh,bknh->bnqk", turn(q), turn(k)) / h**0.5
        pattern = scores.masked_fill(at > at[:, None], -torch.inf).softmax(-1)  # (B, H, destination, source)
        x = x + torch.einsum("bnqk,bknh,nhd->bqd", pattern, v, w[name + "attn.W_O"]) + w[name + "attn.b_O"]
        if not c.get("attn_only"):
            pre = norm(x, name + "ln2") @ w[name + "mlp.W_in"] + w[name + "mlp.b_in"]
            x = x + act(pre) @ w[name + "mlp.W_out"] + w[name + "mlp.b_out"]
    return norm(x, "ln_final") @ w.get("unembed.W_U", w["embed.W_E"].T) + w.get("unembed.b_U", 0)

def metrics(run):
    """Returns a table with one row per evaluation."""
    return pd.read_json(pathlib.Path(run) / "metrics.jsonl", lines=True)

def claims(report):
    """Returns a report's ledger as a table with one row per claim."""
    return pd.DataFrame(json.loads((pathlib.Path(report) / "claims.json").read_text())["claims"])
