import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createPeerProcesses, type SharedNews } from '../../../../../src/api/node/forward/consistency/peer-processes.ts'
import { createSharedNews } from '../../../../../src/sharing/index.ts'
import { connect, redis } from '../../../../sharing/shared.ts'
import { untilHeard, whyNoRedis } from '../../../../support/programs/redis-server.ts'
import type { SocketsReport } from './moving-socket-client.ts'
import { runMovingSockets } from './moving-sockets.ts'

/** As many seeds, from 1 on. */
const seeds = (preset: number): number[] =>
  Array.from({ length: Number(process.env['FIRN_TEST_SEEDS'] ?? preset) }, (_, at) => at + 1)

const expectTrue = ({ wrong, errors, asked, pushed }: SocketsReport): void => {
  expect(wrong).toEqual([])
  expect(Object.keys(pushed).sort()).toEqual(['logs', 'newHeads', 'newPendingTransactions'])
  // A block that one node alone has cannot be asked for while that one does not answer.
  expect(errors).toBeLessThan(asked / 2)
}

it.each(seeds(3))(
  'subscribers are told each block once and in order, and can ask for it, while nodes move and fail in turn (seed %i)',
  async (seed) => {
    expectTrue(await runMovingSockets(seed, 100))
  },
)

/** On one machine Redis is so near that hardly anybody is ahead of it. */
const farAway = ({ tell, listen }: SharedNews): SharedNews => ({
  listen,
  tell: (text) => pause(20).then(() => tell(text) ?? false),
})

const runs = seeds(1).flatMap((seed) => [2, 3].map((processes) => ({ seed, processes })))

it.skipIf(whyNoRedis()).each(runs)(
  'what a subscriber was told is known to whichever process is asked behind it (seed $seed, processes $processes)',
  async ({ seed, processes }) => {
    const { url } = await redis()
    const join = async () => createPeerProcesses(farAway(createSharedNews((await connect(url)).server, 'told')))
    const connected = (count: number) => untilHeard(url, count)
    expectTrue(await runMovingSockets(seed, 100, { count: processes, connect: join, connected }))
  },
)
