import { onTestFinished } from 'vitest'
import { type FaultServer, type SeenCall, startFaultServer } from '../../../../support/upstream/fault-server.ts'
import { type EvmStage, startEvmStage } from '../stage.ts'

export const HASH = `0x${'ab'.repeat(32)}`
export const FULL = { block: 'full', oldestBlock: '0xa', baseFeePerGas: ['0x1'], gasUsedRatio: [0.5] }

/** Results of one with all blocks, and as coreth gives them where it was synced by state and has no old ones. */
export const ALL: Readonly<Record<string, unknown>> = {
  eth_getRawTransactionByHash: '0x02f8',
  eth_getRawTransactionByBlockNumberAndIndex: '0x02f8',
  eth_feeHistory: FULL,
  eth_getBlockByNumber: { number: '0x5' },
}
export const NOTHING: Readonly<Record<string, unknown>> = {
  eth_getRawTransactionByHash: '0x',
  eth_getRawTransactionByBlockNumberAndIndex: '0x',
  eth_feeHistory: { oldestBlock: '0x0', gasUsedRatio: null },
  eth_getBlockByNumber: null,
}

export const answerOf =
  (results: Readonly<Record<string, unknown>>) =>
  ({ method }: SeenCall): unknown =>
    results[method] === undefined ? '0x64' : results[method]

interface Nodes {
  stage: EvmStage
  servers: FaultServer[]
}

export async function startWith(
  count: number,
  answerAt: (index: number, call: SeenCall) => unknown,
  height?: bigint,
): Promise<Nodes> {
  const servers = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      startFaultServer({ ...(height && { height }), answer: (call) => answerAt(index, call) }),
    ),
  )
  const stage = await startEvmStage({ nodes: servers.map(({ url }) => url) })
  onTestFinished(async () => {
    await stage.close()
    await Promise.all(servers.map((server) => server.close()))
  })
  return { stage, servers }
}

/** `full` has all blocks; the others were synced by state. */
export async function start(count: number, full: number): Promise<Nodes> {
  const nodes = await startWith(count, (index, call) => answerOf(index === full ? ALL : NOTHING)(call))
  await nodes.stage.call('eth_blockNumber')
  return nodes
}
