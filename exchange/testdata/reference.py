"""The forward passes of TransformerLens's HookedTransformer and of nanoGPT's model.py, written from their published
definitions, with their names of tensors. Usage: reference.py KIND PATH, with tokens as JSON on stdin; logits on stdout.
KIND is lens, nano or hub for what foretell writes; save-lens, save-nano and save-nano-plain save a model first."""
import json, math, pathlib, sys
import torch
from torch import nn
from torch.nn import functional as F

class Norm(nn.Module):
    def __init__(self, d, bias):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))
        self.bias = nn.Parameter(torch.zeros(d)) if bias else None
    def forward(self, x): return F.layer_norm(x, self.weight.shape, self.weight, self.bias, 1e-5)

class Attention(nn.Module):
    def __init__(self, a):
        super().__init__()
        self.a = a
        self.c_attn = nn.Linear(a["n_embd"], 3 * a["n_embd"], bias=a["bias"])
        self.c_proj = nn.Linear(a["n_embd"], a["n_embd"], bias=a["bias"])
    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (y.view(B, T, self.a["n_head"], -1).transpose(1, 2) for y in self.c_attn(x).split(C, dim=2))
        scores = q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1])
        scores = scores.masked_fill(torch.tril(torch.ones(T, T)) == 0, -math.inf)
        return self.c_proj((scores.softmax(-1) @ v).transpose(1, 2).reshape(B, T, C))

class Block(nn.Module):
    def __init__(self, a):
        super().__init__()
        self.ln_1, self.attn, self.ln_2 = Norm(a["n_embd"], a["bias"]), Attention(a), Norm(a["n_embd"], a["bias"])
        self.mlp = nn.ModuleDict(dict(c_fc=nn.Linear(a["n_embd"], 4 * a["n_embd"], bias=a["bias"]),
                                      c_proj=nn.Linear(4 * a["n_embd"], a["n_embd"], bias=a["bias"])))
    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp["c_proj"](F.gelu(self.mlp["c_fc"](self.ln_2(x))))

class GPT(nn.Module):
    def __init__(self, a):
        super().__init__()
        self.transformer = nn.ModuleDict(dict(
            wte=nn.Embedding(a["vocab_size"], a["n_embd"]), wpe=nn.Embedding(a["block_size"], a["n_embd"]),
            h=nn.ModuleList([Block(a) for _ in range(a["n_layer"])]), ln_f=Norm(a["n_embd"], a["bias"])))
        self.lm_head = nn.Linear(a["n_embd"], a["vocab_size"], bias=False)
        self.transformer.wte.weight = self.lm_head.weight
    def forward(self, tokens):
        t = self.transformer
        x = t.wte(tokens) + t.wpe(torch.arange(tokens.shape[1]))
        for block in t.h: x = block(x)
        return self.lm_head(t.ln_f(x))

def lens(w, c, tokens):
    h, T, at = c["d_head"], tokens.shape[1], torch.arange(tokens.shape[1])
    def norm(x, name):
        if c["normalization_type"] is None: return x
        x = x - x.mean(-1, keepdim=True)
        x = x / (x.pow(2).mean(-1, keepdim=True) + c["eps"]).sqrt()
        return x * w[name + ".w"] + w[name + ".b"] if c["normalization_type"] == "LN" else x
    def rotate(x):
        if c["positional_embedding_type"] != "rotary": return x
        angle = at[:, None] / c["rotary_base"] ** (torch.arange(c["rotary_dim"] // 2) / (c["rotary_dim"] / 2))
        angle = torch.cat([angle, angle], -1)[None, :, None]
        half = x.shape[-1] // 2
        return x * angle.cos() + torch.cat([-x[..., half:], x[..., :half]], -1) * angle.sin()
    act = {"relu": F.relu, "gelu": F.gelu, "silu": F.silu,
           "gelu_new": lambda x: 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))}[c["act_fn"]]
    x = w["embed.W_E"][tokens]
    if c["positional_embedding_type"] == "standard": x = x + w["pos_embed.W_pos"][:T]
    for l in range(c["n_layers"]):
        p = lambda name: w[f"blocks.{l}.{name}"]
        assert p("attn.W_Q").shape == (c["n_heads"], c["d_model"], h)
        n = norm(x, f"blocks.{l}.ln1")
        q, k, v = (torch.einsum("bpd,hdk->bphk", n, p("attn.W_" + s)) + p("attn.b_" + s) for s in "QKV")
        scores = torch.einsum("bqhk,bphk->bhqp", rotate(q), rotate(k)) / math.sqrt(h)
        pattern = scores.masked_fill(at > at[:, None], -math.inf).softmax(-1)
        x = x + torch.einsum("bhqp,bphk,hkd->bqd", pattern, v, p("attn.W_O")) + p("attn.b_O")
        if not c["attn_only"]:
            x = x + act(norm(x, f"blocks.{l}.ln2") @ p("mlp.W_in") + p("mlp.b_in")) @ p("mlp.W_out") + p("mlp.b_out")
    return norm(x, "ln_final") @ w["unembed.W_U"] + w["unembed.b_U"]

def hub(folder, tokens):
    """A GPT2LMHeadModel, whose matrices (Conv1D) are (inputs, outputs)."""
    c, data = json.loads((folder / "config.json").read_text()), (folder / "model.safetensors").read_bytes()
    size = 8 + int.from_bytes(data[:8], "little")
    w = {}
    for name, t in json.loads(data[8:size]).items():
        if name == "__metadata__": continue
        begin, end = t["data_offsets"]
        w[name] = torch.frombuffer(bytearray(data[size + begin:size + end]), dtype=torch.float32).reshape(t["shape"])
    a = dict(n_layer=c["n_layer"], n_head=c["n_head"], n_embd=c["n_embd"], block_size=c["n_positions"],
             vocab_size=c["vocab_size"], bias=True)
    model, state = GPT(a), {}
    for name, x in w.items():
        state[name] = x.T if any(s in name for s in ("c_attn.weight", "c_proj.weight", "c_fc.weight")) else x
    state.setdefault("lm_head.weight", state["transformer.wte.weight"])
    model.load_state_dict(state)
    return model(tokens)

def randomize(model):
    torch.manual_seed(1)
    with torch.no_grad():
        for p in model.parameters(): p.normal_(0, 0.4)

def main(kind, path):
    tokens, path = torch.tensor(json.load(sys.stdin)), pathlib.Path(path)
    if kind == "lens":
        return lens(torch.load(path / "state_dict.pt"), json.loads((path / "config.json").read_text()), tokens)
    if kind == "hub": return hub(path, tokens)
    if kind == "nano":
        checkpoint = torch.load(path)
        model = GPT(checkpoint["model_args"])
        model.load_state_dict(checkpoint["model"])
        return model(tokens)
    if kind.startswith("save-nano"):
        a = dict(n_layer=2, n_head=2, n_embd=8, block_size=5, vocab_size=3, bias=kind == "save-nano", dropout=0.1)
        model = GPT(a)
        randomize(model)
        adam = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.95))
        model(tokens).sum().backward()
        adam.step()
        prefix = "_orig_mod." if a["bias"] else ""
        torch.save(dict(model={prefix + k: v for k, v in model.state_dict().items()}, optimizer=adam.state_dict(), model_args=a,
                        iter_num=7, best_val_loss=torch.tensor(1.5), config=dict(dataset="x", learning_rate=1e-3)), path)
        return model(tokens)
    c = dict(n_layers=2, d_model=6, n_ctx=5, d_head=4, n_heads=2, d_mlp=7, d_vocab=3, act_fn="gelu_new", eps=1e-5,
             normalization_type="LN", positional_embedding_type="rotary", rotary_dim=4, rotary_base=10000, attn_only=False)
    shapes = {"embed.W_E": (3, 6), "unembed.W_U": (6, 3), "unembed.b_U": (3,), "ln_final.w": (6,), "ln_final.b": (6,)}
    for l in range(2):
        b = f"blocks.{l}."
        shapes |= {b + "attn.W_" + s: (2, 6, 4) for s in "QKV"} | {b + "attn.b_" + s: (2, 4) for s in "QKV"}
        shapes |= {b + f"ln{i}.{s}": (6,) for i in (1, 2) for s in "wb"}
        shapes |= {b + "attn.W_O": (2, 4, 6), b + "attn.b_O": (6,), b + "mlp.W_in": (6, 7), b + "mlp.b_in": (7,),
                   b + "mlp.W_out": (7, 6), b + "mlp.b_out": (6,)}
    torch.manual_seed(2)
    w = {name: torch.randn(shape) * 0.5 for name, shape in shapes.items()}
    buffers = {"blocks.0.attn.mask": torch.ones(5, 5).tril().bool(), "blocks.0.attn.IGNORE": torch.tensor(-torch.inf)}
    torch.save(w | buffers, path)
    path.with_suffix(".json").write_text(json.dumps(c | dict(device="cpu", n_params=1, rotary_adjacent_pairs=False)))
    return lens(w, c, tokens)

print(json.dumps(main(*sys.argv[1:]).tolist()))
