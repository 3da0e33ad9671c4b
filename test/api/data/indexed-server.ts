import type { Config, Partially } from '../../../src/config/index.ts'
import { startSandboxAvalanche } from '../../sandbox/avalanche-network.ts'
import { GENEROUS, RECORDED_TIPS, recordedIndex, untilIndexed } from '../../support/recorded/recorded-index.ts'
import type { ReplayNode } from '../../support/replay-node/index.ts'
import type { Heights } from '../../support/replay-node/recorded/chain-tips.ts'
import { createStage, type RunningServer } from '../../support/server/stage.ts'
import { until } from '../../support/waiting/until.ts'

export interface IndexedServer extends RunningServer {
  /** Base URL of the replayed node behind it. */
  nodeUrl: string
  node: ReplayNode
  /** Status, headers and parsed body of a call with a path from `/v1` on; a path prefix is put in front. */
  get(path: string): Promise<DataAnswer>
  post(path: string, body: unknown): Promise<DataAnswer>
  stop(): Promise<void>
}

export interface DataAnswer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  body: any
}

/** EVM chain ids of the recorded chains. */
export const C_CHAIN = '43113'
export const L1 = '99373'

const L1_TIP = '130'

interface Beside {
  /** Base URLs of further nodes. */
  others?: readonly string[]
  /** In the embedded database; on Postgres otherwise, which takes half the time. */
  embedded?: boolean
}

/** The server as an operator would run it over the recorded network, its index at every chain's tip. */
export async function startIndexedServer(
  data: NonNullable<Partially<Config>['data']> = {},
  upTo: Partial<Heights> = {},
  { others = [], embedded = false }: Beside = {},
): Promise<IndexedServer> {
  const stage = createStage()
  const network = await startSandboxAvalanche()
  network.node.moveTo(upTo)
  const stop = async (): Promise<void> => {
    await stage.clear()
    await network.stop()
  }
  try {
    const settings = recordedIndex(network.url, { others, l1: network.l1 })
    const place = embedded ? { dataDir: stage.folder() } : {}
    const server = await stage.serve({ ...settings, ...place, data: { plans: GENEROUS, ...data } })
    const base = `${server.url}${data.pathPrefix ?? ''}`
    const call = async (path: string, init?: RequestInit): Promise<DataAnswer> => {
      const response = await fetch(base + path, init)
      const text = await response.text()
      return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
    }
    const indexed: IndexedServer = {
      ...server,
      nodeUrl: network.url,
      node: network.node,
      get: (path) => call(path),
      post: (path, body) =>
        call(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      stop,
    }
    await untilIndexed(base, { ...RECORDED_TIPS, ...upTo })
    await until(() => hasL1(indexed), 'the L1 is indexed', 100)
    return indexed
  } catch (error) {
    await stop()
    throw error
  }
}

/** The L1's newest block, or a page that is full of newer ones of C. */
async function hasL1(server: IndexedServer): Promise<boolean> {
  const { body } = await server.get('/v1/blocks?pageSize=100&network=testnet')
  const blocks = (body.blocks ?? []) as { chainId: string; blockNumber: string }[]
  return blocks.length === 100 || blocks.some((block) => block.chainId === L1 && block.blockNumber === L1_TIP)
}
