import { expect, it } from 'vitest'
import { createContainerIndexService } from '../../../../src/api/node/services/container-index.ts'
import type { Container, ContainerSource } from '../../../../src/services/containers/index.ts'
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
