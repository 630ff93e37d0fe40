// Training throughput of llm.c's GPT-2 in C on the CPU, to compare with foretell.
//
// usage: bench SECONDS VOCAB CONTEXT WIDTH HEADS LAYERS BATCH      prints one JSON line
// Step = forward, cross-entropy on every position, backward, Adam. Compile with -I and a
// checkout of github.com/karpathy/llm.c.
#define TESTING // without the main function of train_gpt2.c
#include "train_gpt2.c"

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static double uniform(void) { return (rand() + 0.5) / (RAND_MAX + 1.0); }

static void normal(float *x, size_t n, double deviation) {
    for (size_t i = 0; i < n; i++) x[i] = deviation * sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The weights of GPT-2: matrices have a deviation of 0.02, biases are 0, gains 1.
static GPT2 build(GPT2Config config) {
    GPT2 m = {.config = config, .mean_loss = -1};
    fill_in_parameter_sizes(m.param_sizes, config);
    for (int i = 0; i < NUM_PARAMETER_TENSORS; i++) m.num_parameters += m.param_sizes[i];
    m.params_memory = malloc_and_point_parameters(&m.params, m.param_sizes);
    memset(m.params_memory, 0, m.num_parameters * sizeof(float));
    float *gains[] = {m.params.ln1w, m.params.ln2w, m.params.lnfw};
    size_t of_gains[] = {2, 8, 14}, of_weights[] = {0, 1, 4, 6, 10, 12};
    float *weights[] = {m.params.wte, m.params.wpe, m.params.qkvw, m.params.attprojw, m.params.fcw, m.params.fcprojw};
    for (int i = 0; i < 3; i++)
        for (size_t j = 0; j < m.param_sizes[of_gains[i]]; j++) gains[i][j] = 1;
    for (int i = 0; i < 6; i++) normal(weights[i], m.param_sizes[of_weights[i]], 0.02);
    return m;
}

static float step(GPT2 *m, int *tokens, int *next, int B, int T) {
    static int t = 0;
    gpt2_forward(m, tokens, next, B, T);
    gpt2_zero_grad(m);
    gpt2_backward(m);
    gpt2_update(m, 1e-3f, 0.9f, 0.999f, 1e-8f, 0, ++t);
    return m->mean_loss;
}

int main(int argc, char **argv) {
    if (argc != 8) {
        fprintf(stderr, "usage: bench SECONDS VOCAB CONTEXT WIDTH HEADS LAYERS BATCH\n");
        return 2;
    }
    int V = atoi(argv[2]), T = atoi(argv[3]), B = atoi(argv[7]), steps = 0;
    GPT2Config config = {.max_seq_len = T, .vocab_size = V, .padded_vocab_size = V, .channels = atoi(argv[4]),
                         .num_heads = atoi(argv[5]), .num_layers = atoi(argv[6])};
    GPT2 m = build(config);
    int *tokens = mallocCheck(2 * B * T * sizeof(int)), *next = tokens + B * T;
    for (int i = 0; i < 2 * B * T; i++) tokens[i] = uniform() * V;

    float first = step(&m, tokens, next, B, T), last = first;
    for (int i = 0; i < 4; i++) step(&m, tokens, next, B, T);
    enum { MOST = 1 << 20 };
    double *times = mallocCheck(MOST * sizeof(double)), end = now() + atof(argv[1]);
    do {
        double start = now();
        last = step(&m, tokens, next, B, T);
        times[steps++] = now() - start;
    } while (now() < end && steps < MOST);
    qsort(times, steps, sizeof(double), ascending);
    printf("{\"parameters\": %zu, \"first_loss\": %g, \"last_loss\": %g, \"tokens_per_second\": %.0f}\n",
           m.num_parameters, first, last, B * T / times[steps / 2]);
    return 0;
}
