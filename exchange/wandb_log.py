"""Logs a run of foretell to Weights & Biases: python log.py PROJECT. With WANDB_MODE=offline it is kept on this machine."""
import json, pathlib, sys
import wandb

folder = pathlib.Path(__file__).parent
about = json.loads((folder / "run.json").read_text())

def number(text):
    try: return json.loads(text)  # a number, true, false, null or a list
    except ValueError: return text

config = {key: number(text) for key, text in about["config"].items()}
run = wandb.init(project=sys.argv[1], name=about["name"], config=config)
for line in (folder / "history.jsonl").read_text().splitlines():
    row = json.loads(line)
    run.log(row["scalars"], step=row["step"])
run.finish()
