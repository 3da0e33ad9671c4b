import { expect, it, onTestFinished } from 'vitest'
import {
  createPeerProcesses,
  type PeerMessage,
} from '../../../../../src/api/node/forward/consistency/peer-processes.ts'
import { createSharedNews } from '../../../../../src/sharing/index.ts'
import { connect, redis } from '../../../../sharing/shared.ts'
import { createRandom } from '../../../../support/generated/random.ts'
import { untilHeard, whyNoRedis } from '../../../../support/programs/redis-server.ts'
import { eventually } from '../../../../support/waiting/eventually.ts'
import { type EvmStage, startEvmStage } from '../stage.ts'
import { type FilterNode, startFilterNodes } from './filter-nodes.ts'

// A client polls through a balancer: each time another process may answer, which knows of a filter what others told.

const missing = whyNoRedis()
const SEEDS = Array.from({ length: Number(process.env['FIRN_TEST_SEEDS'] ?? 2) }, (_, at) => at + 1)

interface Process {
  stage: EvmStage
  /** What it heard of filters since a test emptied it. */
  heard: PeerMessage[]
  isShared(): boolean
  stop(): Promise<void>
}

async function startProcess(url: string, nodes: readonly FilterNode[]): Promise<Process> {
  const { server } = await connect(url)
  const peers = createPeerProcesses(createSharedNews(server, 'told'))
  const heard: PeerMessage[] = []
  const stage = await startEvmStage({ nodes: nodes.map((node) => node.server.url), peers })
  peers.hear((told) => {
    if (told.kind === 'filter') heard.push(told)
  })
  onTestFinished(stage.close)
  const stop = async (): Promise<void> => {
    server.close()
    await stage.close()
  }
  return { stage, heard, isShared: () => server.status().state === 'shared', stop }
}

/** Heights of the blocks that a poll tells. */
const polled = async (stage: EvmStage, id: string): Promise<number[]> => {
  const blocks = await stage.call<string[]>('eth_getFilterChanges', [id]).catch((error: Error) => {
    // It is there, but nobody can say now what it has.
    expect(error.message).not.toContain('not found')
    return []
  })
  return blocks.map((hash) => Number(`0x${hash.slice(-8)}`))
}

it.skipIf(missing).each(SEEDS)(
  'a filter tells each block once, whichever process is asked, also behind a restart of one or of Redis (seed %i)',
  async (seed) => {
    const { below } = createRandom(seed)
    const { nodes } = await startFilterNodes([100, 100, 100])
    const shared = await redis()
    const processes = [await startProcess(shared.url, nodes), await startProcess(shared.url, nodes)]
    const areSharing = async (): Promise<void> => {
      await eventually(() => expect(processes.every(({ isShared }) => isShared())).toBe(true))
      await untilHeard(shared.url, processes.length)
    }
    await areSharing()
    const at = (index: number): EvmStage => (processes[index] as Process).stage
    const id = await at(0).call<string>('eth_newBlockFilter')
    const told: number[] = []
    let newest = 100
    const poll = async (index: number): Promise<void> => {
      newest += below(3)
      for (const node of nodes) node.height = Math.max(node.height, newest - below(3))
      told.push(...(await polled(at(index), id)))
    }
    for (let round = 0; round < 12; round += 1) {
      for (let times = 0; times < 4; times += 1) await poll(below(2))
      const what = below(3)
      const stays = below(2)
      if (what === 0) {
        // Without Redis a client has to stay with one process.
        await shared.kill()
        await eventually(() => expect(processes.every(({ isShared }) => isShared())).toBe(false))
      }
      const node = nodes[below(3)] as FilterNode
      node.restart()
      await poll(stays)
      await poll(stays)
      for (const { heard } of processes) heard.length = 0
      if (what === 0) await shared.restart()
      if (what === 1) {
        await processes[1 - stays]?.stop()
        processes[1 - stays] = await startProcess(shared.url, nodes)
      }
      await areSharing()
      // What clients of the other were told meanwhile comes behind that.
      if (what < 2) await eventually(() => expect(processes[1 - stays]?.heard).not.toEqual([]))
    }
    for (const node of nodes) node.height = newest + 1
    await eventually(async () => {
      told.push(...(await polled(at(below(2)), id)))
      expect(told.at(-1)).toBe(newest + 1)
    })
    expect(told).toEqual(Array.from({ length: newest - 99 }, (_, index) => 101 + index))
  },
)
