import { expect, it } from 'vitest'
import type { ForwardCall } from '../../../../../src/api/node/forward/call.ts'
import { createIndexGaps } from '../../../../../src/api/node/forward/nodes/index-gaps.ts'
import type { Member, NodeGroup } from '../../../../../src/api/node/forward/nodes/node-pools.ts'
import { endpointByName } from '../../../../../src/api/node/routes/endpoint.ts'
import { type Asked, gorillaCall, id32, nodeAt, type Reply, startFront } from '../../fake-nodes.ts'

const PATH = '/ext/index/C/block'
const idOf = ({ body }: Asked): string => /"id":(\d+)[,}]/.exec(body.toString())?.[1] ?? '1'

/** An index of the blocks `from` to 100, counted from 0; its own place for each. */
const indexFrom =
  (from: number) =>
  (asked: Asked): Reply => {
    const { params } = JSON.parse(asked.body.toString() || '{}') as { params?: { id?: string; index?: number } }
    const said = (text: string): Reply => ({ body: `{"jsonrpc":"2.0",${text},"id":${idOf(asked)}}\n` })
    const container = (block: number): Reply => said(`"result":{"id":"block${block}","index":"${block - from}"}`)
    const missing = said('"error":{"code":-32000,"message":"not found","data":null}')
    const block = Number(params?.id?.slice(5))
    if (asked.method === 'index.getLastAccepted') return container(100)
    if (asked.method === 'index.getContainerByIndex') return container((params?.index ?? 0) + from)
    if (asked.method === 'index.getIndex') return block >= from ? said(`"result":{"index":"${block - from}"}`) : missing
    return undefined
  }

const byIndex = (index: number): string => gorillaCall('index.getContainerByIndex', `{"index":${index}}`)

it.each([0, 1])('containers are counted by the node whose index has no gap, wherever it stands', async (place) => {
  const front = await startFront(2)
  nodeAt(front, place).answer = indexFrom(1)
  nodeAt(front, 1 - place).answer = indexFrom(80)
  const last = async (): Promise<string> => (await front.post(PATH, gorillaCall('index.getLastAccepted'))).text
  expect(await last()).toContain('"index":"99"')
  expect((await front.post(PATH, byIndex(3))).text).toContain('"id":"block4"')
  // Compared once.
  const compared = (): number =>
    front.nodes.flatMap(({ asked }) => asked).filter(({ method }) => method === 'index.getIndex').length
  expect(compared()).toBe(1)
  await last()
  expect(compared()).toBe(1)
})

it('containers of an index with a gap are not told in place of those of a node that is away', async () => {
  const front = await startFront(2)
  nodeAt(front, 0).answer = indexFrom(1)
  nodeAt(front, 1).answer = indexFrom(80)
  expect((await front.post(PATH, byIndex(3))).text).toContain('"id":"block4"')
  nodeAt(front, 0).answer = () => 'cut'
  const { status, text } = await front.post(PATH, byIndex(4))
  expect(text).not.toContain('block84')
  expect(status).toBe(502)
  // Nor that there is none.
  expect((await front.post(PATH, gorillaCall('index.getIndex', `{"id":"${id32(5)}"}`))).status).toBe(502)
})

it('two that count alike are both believed, and one with a gap when there is no other', async () => {
  for (const from of [1, 80]) {
    const front = await startFront(2)
    nodeAt(front, 0).answer = indexFrom(from)
    nodeAt(front, 1).answer = from === 1 ? indexFrom(1) : () => ({ status: 404, body: '404 page not found\n' })
    expect((await front.post(PATH, byIndex(3))).text).toContain(`"id":"block${from + 3}"`)
  }
})

/**
 * Nodes of which one has all blocks, one those from 80 on, and one, which can always be compared, all up to 99; a tip of
 * undefined = it is silent.
 */
function gapsOver(tips: { whole: number | undefined; cut: number }) {
  const member = (host: string, from: number, tip: () => number | undefined): Member => {
    const rpc = async (_: string, method: string, { id }: { id?: string }): Promise<unknown> => {
      const last = tip()
      const block = id === undefined ? last : Number(id)
      if (last === undefined || block === undefined || block > last) throw new Error('it has none')
      expect(method).toBe(id === undefined ? 'index.getLastAccepted' : 'index.getIndex')
      return { id: String(block), index: String(block - from) }
    }
    return { host, pool: { rpc } as unknown as Member['pool'], path: ({ path }) => path, pausedUntil: () => 0 }
  }
  const members = [member('whole', 1, () => tips.whole), member('cut', 80, () => tips.cut), member('like', 1, () => 99)]
  let ms = 0
  const gaps = createIndexGaps(() => ms)
  const call = { endpoint: endpointByName('index/C/block') } as ForwardCall
  return {
    pass: (time: number) => {
      ms += time
    },
    isBelieved: async (host: string): Promise<boolean> => {
      const judge = await gaps.judgeOf(call, { members: () => members } as unknown as NodeGroup, () => ({
        kind: 'answer',
      }))
      return judge?.({ host, status: 200, headers: {}, body: Buffer.alloc(0) }).kind === 'answer'
    },
  }
}

it.each([
  ['was silent', undefined],
  ['was a block behind', 99],
])(
  'who could not be compared, as the whole one %s, is compared again within seconds, not a minute',
  async (_, whole) => {
    const tips = { whole: whole as number | undefined, cut: 100 }
    const { pass, isBelieved } = gapsOver(tips)
    expect(await isBelieved('cut')).toBe(true)
    tips.whole = 100
    pass(5_000)
    expect(await isBelieved('cut')).toBe(false)
    expect(await isBelieved('whole')).toBe(true)
    // What was found holds while the whole one restarts, for a minute.
    tips.whole = undefined
    pass(59_999)
    expect(await isBelieved('cut')).toBe(false)
  },
)
