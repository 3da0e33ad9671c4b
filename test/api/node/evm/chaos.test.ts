import { expect, it } from 'vitest'
import { runChaos } from './chaos-run.ts'

/** As many seeds, from 1 on. */
const SEEDS = Number(process.env['FIRN_TEST_SEEDS'] ?? 1)

it.each(Array.from({ length: SEEDS }, (_, at) => at + 1))(
  'a dead, a lagging, an HTML and a healthy node: 10,000 requests, none answered wrongly (seed %i)',
  async (seed) => {
    const report = await runChaos({ requests: 10_000, seed, chaos: true })
    expect({
      wrong: report.wrong.slice(0, 5),
      stale: report.stale.slice(0, 5),
      doubled: report.doubled.slice(0, 5),
    }).toEqual({
      wrong: [],
      stale: [],
      doubled: [],
    })
    expect(report.asked['healthy']).toBeGreaterThan(1_000)
  },
)
