"""Small GPT-2 folders as Hugging Face's transformers lays them out, and their logits by a
forward pass written out here in numpy's float64, for model/huggingface_test.go.

usage: python3 gpt2_reference.py      (writes gpt2-tied/ and gpt2-apart/ beside itself)

The network is GPT-2's as its authors' code and transformers' modeling_gpt2.py define it:
pre-LN blocks with eps 1e-5, Conv1D (y = x W + b), c_attn with queries, keys and values side by
side, scores over the root of the head's width, GELU in its tanh form, a last norm, and
logits that are products with wte, or with lm_head where that is not tied. Nothing of it is
derived from the Go. gpt2-tied has one file of float32 with older files' masks;
gpt2-apart has two, of bfloat16 and float16, an MLP of another width, the exact GELU
and names without prefix. The last file of each is the reference: tokens, and logits.
"""
import json, math, os, struct
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
erf = np.vectorize(math.erf)
ACTIVATIONS = {
    "gelu_new": lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "gelu": lambda x: 0.5 * x * (1 + erf(x / math.sqrt(2))),
}


def shapes(c):
    d, m = c["n_embd"], c["n_inner"] or 4 * c["n_embd"]
    s = {"wte.weight": (c["vocab_size"], d), "wpe.weight": (c["n_positions"], d)}
    for i in range(c["n_layer"]):
        h = f"h.{i}."
        s |= {h + "ln_1.weight": (d,), h + "ln_1.bias": (d,)}
        s |= {h + "attn.c_attn.weight": (d, 3 * d), h + "attn.c_attn.bias": (3 * d,)}
        s |= {h + "attn.c_proj.weight": (d, d), h + "attn.c_proj.bias": (d,)}
        s |= {h + "ln_2.weight": (d,), h + "ln_2.bias": (d,)}
        s |= {h + "mlp.c_fc.weight": (d, m), h + "mlp.c_fc.bias": (m,)}
        s |= {h + "mlp.c_proj.weight": (m, d), h + "mlp.c_proj.bias": (d,)}
    s |= {"ln_f.weight": (d,), "ln_f.bias": (d,)}
    return s if c["tie_word_embeddings"] else s | {"lm_head.weight": (c["vocab_size"], d)}


def layer_norm(x, w, b, eps):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + eps) * w + b


def forward(c, p, tokens):
    """The logits (T,V) after each of the tokens (T)."""
    T, H = len(tokens), c["n_head"]
    x = p["wte.weight"][tokens] + p["wpe.weight"][:T]
    norm = lambda x, name: layer_norm(x, p[name + ".weight"], p[name + ".bias"], c["layer_norm_epsilon"])
    conv1d = lambda x, name: x @ p[name + ".weight"] + p[name + ".bias"]
    split = lambda x: x.reshape(T, H, -1).transpose(1, 0, 2)  # (H,T,h)
    for i in range(c["n_layer"]):
        h = f"h.{i}."
        q, k, v = map(split, np.split(conv1d(norm(x, h + "ln_1"), h + "attn.c_attn"), 3, axis=-1))
        scores = q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1])
        scores[:, np.triu_indices(T, 1)[0], np.triu_indices(T, 1)[1]] = -np.inf
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        x = x + conv1d((weights @ v).transpose(1, 0, 2).reshape(T, -1), h + "attn.c_proj")
        hidden = ACTIVATIONS[c["activation_function"]](conv1d(norm(x, h + "ln_2"), h + "mlp.c_fc"))
        x = x + conv1d(hidden, h + "mlp.c_proj")
    return norm(x, "ln_f") @ p.get("lm_head.weight", p["wte.weight"]).T


def encode(x, dtype):
    if dtype == "BF16":
        return (x.astype("<f4").view("<u4") >> 16).astype("<u2").tobytes()
    return x.astype({"F16": "<f2", "F32": "<f4", "F64": "<f8", "U8": "u1"}[dtype]).tobytes()


def decode(raw, dtype, shape):
    if dtype == "BF16":
        x = (np.frombuffer(raw, "<u2").astype("<u4") << 16).view("<f4")
    else:
        x = np.frombuffer(raw, {"F16": "<f2", "F32": "<f4"}[dtype])
    return x.astype(np.float64).reshape(shape)


def write(path, tensors):
    """The safetensors format: length of the header, header, data. tensors: name -> (dtype, array)"""
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for key, (dtype, value) in tensors.items():
        raw = encode(value, dtype)
        header[key] = {"dtype": dtype, "shape": list(value.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)


def folder(name, config, seed, dtype_of, prefix, shards, extra):
    at = os.path.join(HERE, name)
    os.makedirs(at, exist_ok=True)
    with open(os.path.join(at, "config.json"), "w") as f:
        json.dump(config, f, indent=2)
    rng = np.random.default_rng(seed)
    files, parameters = [{} for _ in range(shards)], {}
    for i, (key, shape) in enumerate(shapes(config).items()):
        value = rng.normal(0, 0.4, shape) + (1 if "ln_" in key and key.endswith("weight") else 0)
        dtype = dtype_of(key)
        parameters[key] = decode(encode(value, dtype), dtype, shape)  # as the file has it
        files[i % shards][(prefix if key != "lm_head.weight" else "") + key] = (dtype, parameters[key])
    files[0] |= extra
    if shards == 1:
        write(os.path.join(at, "model.safetensors"), files[0])
    else:
        names = [f"model-{i + 1:05d}-of-{shards:05d}.safetensors" for i in range(shards)]
        for n, tensors in zip(names, files):
            write(os.path.join(at, n), tensors)
        index = {"metadata": {"total_size": 0}, "weight_map": {k: n for n, t in zip(names, files) for k in t}}
        with open(os.path.join(at, "model.safetensors.index.json"), "w") as f:
            json.dump(index, f, indent=2)
    tokens = rng.integers(0, config["vocab_size"], config["n_positions"])
    logits = forward(config, parameters, tokens)
    write(os.path.join(at, "reference.safetensors"), {"tokens": ("F64", tokens.astype(float)), "logits": ("F64", logits)})


CONFIG = {
    "model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "vocab_size": 29, "n_positions": 12, "n_ctx": 12,
    "n_embd": 12, "n_layer": 2, "n_head": 3, "n_inner": None, "activation_function": "gelu_new",
    "layer_norm_epsilon": 1e-05, "initializer_range": 0.02, "tie_word_embeddings": True, "resid_pdrop": 0.1,
    "embd_pdrop": 0.1, "attn_pdrop": 0.1, "bos_token_id": 28, "eos_token_id": 28, "use_cache": True,
    "task_specific_params": {"text-generation": {"do_sample": True, "max_length": 50}}, "transformers_version": "4.44.0",
}
MASKS = {f"transformer.h.{i}.attn.bias": ("U8", np.tril(np.ones((1, 1, 12, 12)))) for i in range(2)}
MASKS |= {f"transformer.h.{i}.attn.masked_bias": ("F32", np.array(-1e4)) for i in range(2)}
folder("gpt2-tied", CONFIG, 1, lambda key: "F32", "transformer.", 1, MASKS)
APART = CONFIG | {"vocab_size": 11, "n_positions": 7, "n_ctx": 7, "n_embd": 10, "n_layer": 3, "n_head": 2, "n_inner": 17,
                  "activation_function": "gelu", "tie_word_embeddings": False}
folder("gpt2-apart", APART, 2, lambda key: "F16" if "attn" in key else "BF16", "", 2, {})
