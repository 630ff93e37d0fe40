// Written by go test ./lab -run TestPrintedValues -update.
export const printed = {
  "document": "mess3",
  "id": "M2",
  "statement": "A PCA of the final residual stream shows the belief geometry; a PCA after attention shows a different fractal, the constrained geometry.",
  "source": "Piotrowski et al. 2025, Fig. 1D and 4",
  "quote": "“While the final representations align with the geometry of theoretical belief states, the intermediate fractals exhibit a markedly different structure.” (Sec. 4.1.) “Fig. 4 shows the close match between theoretical predictions and observed representations across different Mess3 parameter settings […]” (Sec. 4.5; four pictures, the number of models is not stated.)",
  "verdict": "open",
  "reason": "power",
  "profile": "full",
  "date": "2026-11-29",
  "models": 18,
  "asked": {
    "question": "x = 0.15, α = 0.6: is R² of a regression on all directions ≥ 0.99 for beliefs in resid_post and ≥ 0.95 for constrained beliefs in resid_mid? (The laboratory's own thresholds: the paper gives no number for a “close match”.)",
    "answer": "yes",
    "obtained": "R² of the geometry claimed for the stage: resid_post 0.9989 [0.9987, 0.9991], resid_mid 0.9855 [0.9839, 0.9870]; of the other geometry: 0.9979 and 0.9811"
  },
  "least_post": 0.99,
  "least_mid": 0.95,
  "run": "mess3-x0.15-a0.6-l1-h1-d64-n10-LN-seed1",
  "config": "process:\n  name: \"mess3\"\n  params:\n    \"a\": 0.6\n    \"x\": 0.15\nmodel:\n  d_model: 64\n  n_layers: 1\n  n_heads: 1\n  d_head: 64\n  d_mlp: 256\n  n_ctx: 10\n  d_vocab: 3\n  act_fn: \"gelu\"\n  normalization_type: \"LN\"\n  positional_embedding_type: \"standard\"\n  eps: 1.0e-05\n  initializer_range: 0.02\ntrain:\n  seed: 1\n  batch_size: 128\n  num_steps: 3000\n  optimizer: \"adam\"\n  lr: 0.001\n  lr_schedule: \"cosine\"\n  betas: [0.9, 0.999]\n  eps: 1.0e-08\n  evaluate_every: 50\n  evaluate_sequences: 512\n  checkpoint_every: 50\n  checkpoints: \"all\"\n",
  "quick": 10,
  "values": {
    "sha256": "a4715cfe802a46186540e3ac7fe56f3aec1c4505a1257bc84588dff80d443bd3",
    "kl": 0.0000556,
    "length": 6,
    "reads": {
      "post": 0.99942,
      "post_untrained": 0.97897,
      "mid": 0.9845,
      "mid_untrained": 0.93403
    }
  },
  "all": {
    "post": 0.99822,
    "post_untrained": 0.93681,
    "mid": 0.9862,
    "mid_untrained": 0.90169
  }
}
