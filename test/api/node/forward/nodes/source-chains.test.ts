import { expect, it } from 'vitest'
import { type Asked, gorillaCall, nodeAt, type Reply, startFront } from '../../fake-nodes.ts'

const told = ({ body }: Asked, result: object): Reply => ({
  body: `{"jsonrpc":"2.0","result":${JSON.stringify(result)},"id":${/"id":(\d+)/.exec(body.toString())?.[1] ?? '1'}}\n`,
})

/** `utxos` that X exported; undefined for `runs`: it does not say. */
const nodeWith =
  (runs: boolean | undefined, utxos: string[]) =>
  (asked: Asked): Reply => {
    if (asked.method === 'info.isBootstrapped' && runs !== undefined) return told(asked, { isBootstrapped: runs })
    if (asked.method === 'info.isBootstrapped') return { status: 404, body: '404 page not found\n' }
    return asked.method === 'platform.getUTXOs' ? told(asked, { numFetched: `${utxos.length}`, utxos }) : undefined
  }

const ask = gorillaCall('platform.getUTXOs', '{"addresses":["P-fuji1"],"sourceChain":"X"}')

it.each([0, 1])('what X exported to P is told by a node that runs X, wherever it stands', async (place) => {
  const front = await startFront(2)
  nodeAt(front, place).answer = nodeWith(true, ['0x00'])
  nodeAt(front, 1 - place).answer = nodeWith(false, [])
  for (const _ of [1, 2]) expect((await front.post('/ext/bc/P', ask)).text).toContain('"utxos":["0x00"]')
  const asked = front.nodes.flatMap((node) => node.asked.filter(({ method }) => method === 'info.isBootstrapped'))
  expect(asked).toHaveLength(2)
})

it('where no other says anything the words of the node are told, and who does not say what it runs is believed', async () => {
  for (const runs of [false, undefined]) {
    const front = await startFront(2)
    for (const node of front.nodes) node.answer = nodeWith(runs, [])
    expect(JSON.parse((await front.post('/ext/bc/P', ask)).text)).toMatchObject({ result: { utxos: [] } })
  }
})

it('a node that does not run X does not say that it exported nothing while the one that runs it is away', async () => {
  const front = await startFront(2)
  nodeAt(front, 0).answer = nodeWith(true, ['0x00'])
  nodeAt(front, 1).answer = nodeWith(false, [])
  expect((await front.post('/ext/bc/P', ask)).text).toContain('"utxos":["0x00"]')
  nodeAt(front, 0).answer = () => 'cut'
  const { status, text } = await front.post('/ext/bc/P', ask)
  expect(text).not.toContain('utxos')
  expect(status).toBe(502)
})

it('of two nodes that do not run X the words of one are told while the other is away', async () => {
  const front = await startFront(2)
  for (const node of front.nodes) node.answer = nodeWith(false, [])
  const told = async () => JSON.parse((await front.post('/ext/bc/P', ask)).text)
  expect(await told()).toMatchObject({ result: { utxos: [] } })
  nodeAt(front, 0).answer = () => 'cut'
  expect(await told()).toMatchObject({ result: { utxos: [] } })
})

it('nobody is asked what it runs for what lies on P itself, or on chains of the whole network', async () => {
  const front = await startFront(2)
  for (const node of front.nodes) node.answer = nodeWith(false, [])
  await front.post('/ext/bc/P', gorillaCall('platform.getUTXOs', '{"addresses":["P-fuji1"]}'))
  await front.post('/ext/bc/X', gorillaCall('avm.getUTXOs', '{"addresses":["X-fuji1"],"sourceChain":"P"}'))
  expect(front.nodes.flatMap(({ asked }) => asked.map(({ method }) => method))).not.toContain('info.isBootstrapped')
})
