import { expect, it } from 'vitest'
import { createContainerIndexService } from '../../../../src/api/node/services/container-index.ts'
import { CancelledError } from '../../../../src/errors.ts'
import {
  type Container,
  type ContainerSource,
  createStoredContainers,
} from '../../../../src/services/containers/index.ts'
import { callLocal } from '../local-call.ts'

const HUNDRED_KB = Buffer.alloc(100_000, 7)

/** An index whose containers have so many bytes; counts the ranges that are read at once. */
function startSource(bytes: Buffer) {
  const counted = { most: 0 }
  let running = 0
  const at = (position: bigint): Container => ({
    id: Buffer.alloc(32, 1),
    bytes,
    timestamp: '2026-01-01T00:00:00Z',
    index: position,
  })
  const source = {
    complete: async () => true,
    current: async () => true,
    lastAccepted: async () => at(10_000n),
    size: async (_index: string, _from: bigint, count: number) => BigInt(count * bytes.length),
    range: async (_index: string, from: bigint, count: number) => {
      running += 1
      counted.most = Math.max(counted.most, running)
      await new Promise((resolve) => setTimeout(resolve, 5))
      running -= 1
      return Array.from({ length: count }, (_, place) => at(from + BigInt(place)))
    },
  } as unknown as ContainerSource
  return { counted, service: createContainerIndexService(source) }
}

const CALL =
  '{"jsonrpc":"2.0","id":1,"method":"index.getContainerRange","params":{"startIndex":1,"numToFetch":50,"encoding":"hex"}}'

it.each([
  [
    'large ones are put together one after the other, as a dozen at once would be more memory than there is',
    HUNDRED_KB,
    1,
  ],
  ['small ones at once', Buffer.alloc(100, 7), 8],
])('ranges of the own index: %s', async (_, bytes, most) => {
  const { counted, service } = startSource(bytes)
  const answers = await Promise.all(Array.from({ length: 8 }, () => callLocal(service, 'index/C/block', CALL)))
  for (const answer of answers) {
    const { result } = JSON.parse(String(answer)) as { result: { containers: { index: string }[] } }
    expect(result.containers.map(({ index }) => index)).toEqual(
      Array.from({ length: 50 }, (_one, at) => String(at + 1)),
    )
  }
  expect(counted.most).toBe(most)
})

it('a range whose asker has left is cancelled, and no failure of a node', async () => {
  const { service } = startSource(HUNDRED_KB)
  const left = callLocal(service, 'index/C/block', CALL, { signal: AbortSignal.abort() })
  await expect(left).rejects.toThrow(CancelledError)
})

it('the index is told for whom ranges are read, of transactions, too', async () => {
  const callers: unknown[] = []
  const row = { index: 1n, id: '01'.repeat(32), height: 2n, bytes: Buffer.alloc(100), acceptedAt: '' }
  const note = (caller: unknown): void => void callers.push(caller)
  const transaction = { index: 1n, id: row.id, height: 2n, position: 0, type: 0, time: 0n }
  const containers = {
    count: async (_chain: unknown, from: bigint, below: bigint) => below - from,
    last: async () => row,
    size: async (_chain: unknown, _first: bigint, _limit: number, caller: unknown) => note(caller) ?? 100n,
    range: async (_chain: unknown, _first: bigint, _limit: number, caller: unknown) => note(caller) ?? [],
    transactions: { last: async () => transaction, range: async () => [transaction] },
  }
  const progress = async () =>
    ['X', 'C'].map((letter) => ({ stream: `testnet:${letter}`, tip: { height: 9n }, currentAtMs: BigInt(Date.now()) }))
  const source = createStoredContainers({
    index: { containers, progress } as unknown as Parameters<typeof createStoredContainers>[0]['index'],
    network: 'testnet',
    nodeHeight: async () => 9n,
    maxAgeMs: 60_000,
  })
  const call = { callerAddress: '::ffff:192.0.2.7', signal: new AbortController().signal }
  await callLocal(createContainerIndexService(source), 'index/C/block', CALL, call)
  const read = { client: '192.0.2.7', signal: call.signal }
  await source.size('X/tx', 1n, 50, read)
  // The block of the transaction is missing here.
  await expect(source.range('X/tx', 1n, 50, read)).rejects.toThrow()
  const told = { clients: new Set([read.client]), signal: call.signal }
  expect(callers.slice(0, 2)).toEqual([told, told])
  expect(callers.slice(-2)).toEqual([told, told])
  expect(callers.filter((caller) => caller === undefined)).toEqual([])
})
