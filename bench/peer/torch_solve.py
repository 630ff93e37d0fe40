"""Time until a model in PyTorch has learned a share of what can be learned. It follows torch_model.py.

usage: - THREADS eager|sdpa FOLDER search                          prints {"lr", "schedule", "steps"} or null
       - THREADS eager|sdpa FOLDER time LR SCHEDULE SEED STEPS     prints {"seconds", "cpu_seconds"}
FOLDER has problem.json, held-out sequences with optimal predictions, and sequences for each seed. Drawing them takes no
time here. The search is that of bench.Solve: the shortest schedule with which all seeds reach the share, then the rate.
"""
import numpy as np

folder, task = sys.argv[3], sys.argv[4]
P = json.load(open(folder + "/problem.json"))
V, T, B = P["d_vocab"], P["n_ctx"], P["batch"]
held = torch.from_numpy(np.fromfile(folder + "/held", np.uint8).reshape(-1, T).astype(np.int64))
best = torch.from_numpy(np.fromfile(folder + "/optimal", np.float32)).double().reshape(-1, T, V)


def data(seed):
    x = np.fromfile(f"{folder}/tokens-{seed}", np.uint8).reshape(-1, B, T + 1)
    targets = np.fromfile(f"{folder}/targets-{seed}", np.float32).reshape(-1, B * T, V) if P["optimal"] else None
    return x, targets


def learned(m):
    with torch.no_grad():
        q = torch.cat([F.log_softmax(m(x).double(), -1) for x in held.split(B)])
    kl = (torch.xlogy(best, best) - best * q).sum(-1).mean().item()
    return 1 - kl / (P["chance"] - P["floor"])


class Training:
    def __init__(self, seed, lr, schedule):
        torch.manual_seed(seed)
        self.x, self.targets = DATA[seed]
        self.m = GPT(V, T, P["d_model"], P["n_heads"], P["d_mlp"], P["d_head"], P["norm"])
        for name, w in self.m.named_parameters():
            if w.dim() > 1:
                nn.init.normal_(w, std=P["init"])
            elif name.endswith("bias"):
                nn.init.zeros_(w)
        self.opt = torch.optim.Adam(self.m.parameters(), lr=lr, foreach=True)
        self.lr, self.schedule, self.at = lr, schedule, 0

    def step(self):
        self.opt.param_groups[0]["lr"] = self.lr / 2 * (1 + math.cos(math.pi * self.at / (self.schedule - 1)))
        x = torch.from_numpy(self.x[self.at].astype(np.int64))
        y = x[:, 1:].reshape(-1) if self.targets is None else torch.from_numpy(self.targets[self.at])
        loss = F.cross_entropy(self.m(x[:, :-1]).reshape(-1, V), y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.at += 1


def steps_until(seed, lr, schedule):
    t = Training(seed, lr, schedule)
    share = 0
    while t.at < schedule and not share >= P["share"]:
        for _ in range(min(max(1, t.at // 50), schedule - t.at)):
            t.step()
        share = learned(t.m)
    print(f"PyTorch, lr {lr} over {schedule} steps, seed {seed}: {100 * share:.1f} % after {t.at}", file=sys.stderr, flush=True)
    return t.at if share >= P["share"] else None


def search():
    found = []
    for schedule in P["schedules"]:
        for lr in P["rates"]:
            steps = []
            for seed in range(1, P["seeds"] + 1):
                steps.append(steps_until(seed, lr, schedule))
                if steps[-1] is None:
                    break
            else:
                found.append({"lr": lr, "schedule": schedule, "steps": steps})
        if found:
            return min(found, key=lambda f: sum(f["steps"]))


if task == "search":
    DATA = {seed: data(seed) for seed in range(1, P["seeds"] + 1)}
    print(json.dumps(search()))
else:
    lr, schedule, seed, steps = float(sys.argv[5]), int(sys.argv[6]), int(sys.argv[7]), int(sys.argv[8])
    DATA = {seed: data(seed)}
    for _ in range(2):  # the first training warms up PyTorch's caches
        t = Training(seed, lr, schedule)
        start, cpu = time.perf_counter(), time.process_time()
        for _ in range(steps):
            t.step()
        result = {"seconds": time.perf_counter() - start, "cpu_seconds": time.process_time() - cpu}
    print(json.dumps(result))
