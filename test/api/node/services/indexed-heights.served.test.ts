import { expect, it, onTestFinished } from 'vitest'
import { startReplayNode } from '../../../support/replay-node/index.ts'
import { startIndexedServer } from '../../data/indexed-server.ts'

const FIRST = 300
/** A proposal is indexed with what became of it: this block is behind one. */
const LAST = 303

const timeAt = async (url: string): Promise<string> => {
  const body = '{"jsonrpc":"2.0","id":1,"method":"platform.getTimestamp","params":{}}'
  const answer = await fetch(`${url}/ext/bc/P`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  return ((await answer.json()) as { result: { timestamp: string } }).result.timestamp
}

it('the EVM of C tells no lower block than the index, whoever answers', async () => {
  const late = await startReplayNode({ upTo: { C: FIRST } })
  const server = await startIndexedServer(undefined, { C: FIRST }, { others: [late.url] })
  onTestFinished(async () => {
    await server.stop()
    await late.stop()
  })
  server.node.moveTo({ C: LAST })
  await expect
    .poll(async () => {
      const { headers } = await server.get('/v1/networks/fuji/blockchains/c-chain/blocks/0')
      return headers.get('x-indexed-height')
    })
    .toBe(String(LAST))
  server.node.faults.dropAll = true
  const answer = await fetch(`${server.url}/ext/bc/C/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}',
  })
  expect(await answer.json()).toMatchObject({ result: `0x${LAST.toString(16)}` })
})

it('nodes tell no older state than the index: who is late is waited for when the others are gone', async () => {
  const late = await startReplayNode({ upTo: { P: FIRST } })
  const server = await startIndexedServer(undefined, { P: FIRST, X: 1, C: 1 }, { others: [late.url] })
  onTestFinished(async () => {
    await server.stop()
    await late.stop()
  })
  const before = await timeAt(late.url)
  server.node.moveTo({ P: LAST })
  await expect
    .poll(async () => {
      const { headers } = await server.get('/v1/networks/fuji/blockchains/p-chain/blocks/0')
      return headers.get('x-indexed-height')
    })
    .toBe(String(LAST))
  server.node.faults.dropAll = true
  const asked = late.counters.methods['platform.getTimestamp'] ?? 0
  const answer = timeAt(server.url)
  await expect.poll(() => late.counters.methods['platform.getTimestamp']).toBeGreaterThan(asked)
  late.moveTo({ P: LAST })
  const after = await timeAt(late.url)
  expect(after).not.toBe(before)
  expect(await answer).toBe(after)
})
