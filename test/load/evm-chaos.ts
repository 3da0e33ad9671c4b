/**
 * `node --import tsx test/load/evm-chaos.ts [requests]`: the same seeded requests over four healthy nodes and over a
 * dead, a lagging, an HTML and a healthy one; prints latencies and their ratio.
 */
import { runChaos } from '../api/node/evm/chaos-run.ts'

const requests = Number(process.argv[2] ?? 10_000)
const rounds = 3
const best = { healthy: Number.POSITIVE_INFINITY, chaos: Number.POSITIVE_INFINITY }
for (let round = 1; round <= rounds; round += 1) {
  for (const chaos of [false, true]) {
    const { wrong, stale, doubled, p50, p99, seconds, asked } = await runChaos({ requests, seed: round, chaos })
    const name = chaos ? 'chaos' : 'healthy'
    best[name] = Math.min(best[name], p99)
    const faults = `${wrong.length} wrong, ${stale.length} stale, ${doubled.length} doubled`
    process.stdout.write(
      `${name}: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, ${Math.round(requests / seconds)}/s, ${faults}, ${JSON.stringify(asked)}\n`,
    )
  }
}
process.stdout.write(`p99 ratio (best of ${rounds}): ${(best.chaos / best.healthy).toFixed(2)}\n`)
process.exit(0)
