// Runs ONNX files with ONNX Runtime: node onnx.js, with [{path, tokens}, …] on stdin and the logits of each on stdout.
const ort = require('onnxruntime-node')
const list = JSON.parse(require('fs').readFileSync(0))
async function main() {
  const out = []
  for (const { path, tokens } of list) {
    const session = await ort.InferenceSession.create(path)
    const flat = BigInt64Array.from(tokens.flat().map(BigInt))
    const input = new ort.Tensor('int64', flat, [tokens.length, tokens[0].length])
    const { logits } = await session.run({ tokens: input })
    out.push({ shape: logits.dims, logits: Array.from(logits.data) })
  }
  console.log(JSON.stringify(out))
}
main()
