import { expect, it } from 'vitest'
import { createPeerProcesses } from '../../../src/api/node/index.ts'
import { createSharedNews } from '../../../src/sharing/index.ts'
import { connect, redis } from '../../sharing/shared.ts'
import { untilHeard, whyNoRedis } from '../../support/programs/redis-server.ts'
import { runMovingEvm } from './evm/moving-evm.ts'
import { runMovingPrimary } from './forward/moving-primary.ts'
import type { MovingReport } from './moving-nodes.ts'

// What one process told stays true at the others, behind a balancer that asks any of them.

const missing = whyNoRedis()
const SEEDS = Array.from({ length: Number(process.env['FIRN_TEST_SEEDS'] ?? 1) }, (_, at) => at + 1)

const expectTrue = ({ wrong, answered, errors, blocks }: MovingReport, times: number): void => {
  console.log({ wrong: wrong.length, answered, errors }, wrong.slice(0, 5))
  expect(wrong).toEqual([])
  expect(blocks).toBe(times / 20)
  // Errors are for moments in which nobody can know.
  expect(errors).toBeLessThan(answered / 10)
}

/** Every seed with three, and every other one with two as well. */
const runs = SEEDS.flatMap((seed) => (seed % 2 === 0 ? [2, 3] : [3]).map((processes) => ({ seed, processes })))

it.skipIf(missing).each(runs)(
  'what was told of an EVM chain stays true at every process (seed $seed, processes $processes)',
  async ({ seed, processes }) => {
    const { url } = await redis()
    const join = async () => createPeerProcesses(createSharedNews((await connect(url)).server, 'told'))
    const connected = (count: number) => untilHeard(url, count)
    expectTrue(await runMovingEvm(seed, 2_000, { count: processes, connect: join, connected }), 2_000)
  },
)

it.skipIf(missing).each(runs)(
  'what was told of P and X stays true at every process (seed $seed, processes $processes)',
  async ({ seed, processes }) => {
    const { url } = await redis()
    expectTrue(await runMovingPrimary(seed, 1_200, { url, processes }), 1_200)
  },
)
