import { expect, it } from 'vitest'
import { type Gate, gate } from '../../../../support/waiting/gate.ts'
import { evmCall, gorillaCall, nodeAt, startFront } from '../../fake-nodes.ts'

const UTXOS = 'platform.getUTXOs'
const COUNT = 'eth_getTransactionCount'

interface Case {
  path: string
  read: string
  /** The same of another address. */
  other: string
  write: string
}
const onC = (block: string): Case => ({
  path: '/ext/bc/C/rpc',
  read: evmCall(COUNT, `["0x01","${block}"]`),
  other: evmCall(COUNT, `["0x02","${block}"]`),
  write: evmCall('eth_sendRawTransaction', '["0x00"]'),
})
const onP: Case = {
  path: '/ext/bc/P',
  read: gorillaCall(UTXOS, '{"addresses":["x"]}'),
  other: gorillaCall(UTXOS, '{"addresses":["y"]}'),
  write: gorillaCall('platform.issueTx', '{"tx":"0x00"}'),
}

/** One node that says how many transactions it had been sent when a read came to it. */
async function startCounting(tipCacheMs: number) {
  const front = await startFront(1, { node: { tipCacheMs } })
  const state = { written: 0, reads: 0, hold: undefined as Gate | undefined }
  nodeAt(front, 0).answer = async ({ method }) => {
    if (method === 'platform.issueTx' || method === 'eth_sendRawTransaction') state.written += 1
    if (method !== UTXOS && method !== COUNT) return undefined
    state.reads += 1
    const result = `"after ${state.written}"`
    await state.hold?.opened
    return {
      body:
        method === UTXOS
          ? `{"jsonrpc":"2.0","result":${result},"id":1}\n`
          : `{"jsonrpc":"2.0","id":1,"result":${result}}\n`,
    }
  }
  const post = async (path: string, body: string): Promise<string> => (await front.post(path, body)).text
  return { state, post }
}

it.each([
  ['pending', onC('pending')],
  ['newest', onC('latest')],
])('who has sent a transaction is not given what was asked for before: %s state', async (_, { path, read, write }) => {
  const { state, post } = await startCounting(0)
  const held = gate()
  state.hold = held
  const before = post(path, read)
  await expect.poll(() => state.reads).toBe(1)
  state.hold = undefined
  await post(path, write)
  const after = post(path, read)
  // One that waits for the answer to the other waits for good.
  const late = new Promise((resolve) => setTimeout(resolve, 5_000, 'waits for what was asked before').unref())
  expect(await Promise.race([after, late])).toContain('after 1')
  held.open()
  expect(await before).toContain('after 0')
})

it.each([
  ['P', onP],
  ['C', onC('latest')],
])('what was asked for before a transaction went through is not kept: %s', async (_, { path, read, other, write }) => {
  const { state, post } = await startCounting(600_000)
  const isAsked = async (body: string): Promise<boolean> => {
    const { reads } = state
    await post(path, body)
    return state.reads > reads
  }
  // Once the tip is known.
  await expect.poll(() => isAsked(other)).toBe(false)
  const held = gate()
  state.hold = held
  const { reads } = state
  const before = post(path, read)
  await expect.poll(() => state.reads).toBe(reads + 1)
  state.hold = undefined
  await post(path, write)
  held.open()
  expect(await before).toContain('after 0')
  expect(await post(path, read)).toContain('after 1')
  expect(await isAsked(read)).toBe(false)
})
