import { expect, it } from 'vitest'
import { type Asked, gorillaCall, nodeAt, type Reply, startFront } from '../../fake-nodes.ts'

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

it('two that count alike are both believed, and one with a gap when there is no other', async () => {
  for (const from of [1, 80]) {
    const front = await startFront(2)
    nodeAt(front, 0).answer = indexFrom(from)
    nodeAt(front, 1).answer = from === 1 ? indexFrom(1) : () => ({ status: 404, body: '404 page not found\n' })
    expect((await front.post(PATH, byIndex(3))).text).toContain(`"id":"block${from + 3}"`)
  }
})
