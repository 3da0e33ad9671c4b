import { expect, it } from 'vitest'
import { readNodeOutputs } from '../../../src/services/node-outputs/older-lists.ts'
import type { CallOptions, UpstreamPool } from '../../../src/upstream/types.ts'

/** Lists come from these nodes in turn; each knows its own height. */
function poolOf(nodes: readonly { height: number }[]): UpstreamPool {
  let asked = 0
  const rpc = async (_: string, method: string, __: unknown, { answeredBy, sameServer }: CallOptions) => {
    if (method.endsWith('getHeight')) return { height: String((sameServer as { height: number }).height) }
    const server = nodes[asked++ % nodes.length]
    if (server) answeredBy?.({ server, stoodIn: false, lags: false })
    return { numFetched: '0', utxos: [], endIndex: { address: '', utxo: '' } }
  }
  return { rpc, status: () => [] } as unknown as UpstreamPool
}

it.each([[[7, 9, 8]], [[9, 10, 2]], [[10, 9]]])(
  'knows all that nodes at %j knew when they answered',
  async (heights) => {
    const pool = poolOf(heights.map((height) => ({ height })))
    const query = {
      letter: 'X',
      hrp: 'fuji',
      addresses: ['1'.repeat(40)],
      since: 1n,
      deadline: Date.now() + 60_000,
    } as const
    const { heights: of } = await readNodeOutputs({ pool } as Parameters<typeof readNodeOutputs>[0], query)
    const highest = BigInt(Math.max(...heights))
    expect(await of(['P', 'X'])).toEqual(
      new Map([
        ['P', highest],
        ['X', highest],
      ]),
    )
  },
)
