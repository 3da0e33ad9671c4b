import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { createEvmBalanceSource } from '../../../src/chains/evm/source.ts'
import { createPlainPool } from '../../support/upstream/plain-pool.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** What lives on the heap and beside it, bytes. */
function memory(): number {
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

it('a chain that nobody asks for holds next to nothing: not the room for all that it may ever remember', () => {
  const pool = createPlainPool('http://127.0.0.1:9')
  const native = { name: 'Ether', symbol: 'ETH', decimals: 18, internalId: 'NATIVE-eth' }
  const make = (id: number) =>
    createEvmBalanceSource({ caip2Id: `eip155:${id}`, native, pool, tokens: { tokens: () => [] } })
  make(1)
  const before = memory()
  const chains = Array.from({ length: 20 }, (_, at) => make(at + 2))
  expect((memory() - before) / chains.length / 1e6).toBeLessThan(2)
})
