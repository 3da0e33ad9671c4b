/**
 * `npm run bench:chaos [-- requests]`: the same seeded requests over four healthy nodes and over a dead, a lagging, an
 * HTML and a healthy one. Prints latencies, faults and the ratio of the p99s, best of three rounds each.
 */
import { runChaos } from '../api/node/evm/chaos-run.ts'

const requests = Number(process.argv[2] ?? 10_000)
const ROUNDS = 3
const GOAL = 2
const best = { healthy: Number.POSITIVE_INFINITY, chaos: Number.POSITIVE_INFINITY }
let faults = 0
for (let round = 1; round <= ROUNDS; round += 1) {
  for (const chaos of [false, true]) {
    const { wrong, stale, doubled, p50, p99, seconds, asked } = await runChaos({ requests, seed: round, chaos })
    const name = chaos ? 'chaos' : 'healthy'
    best[name] = Math.min(best[name], p99)
    faults += wrong.length + stale.length + doubled.length
    const found = `${wrong.length} wrong, ${stale.length} stale, ${doubled.length} doubled`
    const times = `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, ${Math.round(requests / seconds)}/s`
    process.stdout.write(`${name}: ${times}, ${found}, ${JSON.stringify(asked)}\n`)
  }
}
process.stdout.write(`ratio p99-chaos ${(best.chaos / best.healthy).toFixed(2)} goal <= ${GOAL}\n`)
process.stdout.write(`ratio chaos-faults ${faults} goal <= 0\n`)
process.exit(0)
