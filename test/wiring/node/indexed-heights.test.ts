import { expect, it } from 'vitest'
import { createOnIndexed } from '../../../src/wiring/node/indexed-heights.ts'

it('what the index has of a chain that is served is told, of others nothing', () => {
  const told: [string, bigint][] = []
  const shown = (chain: string, height: bigint) => void told.push([chain, height])
  const evmIds = new Map([
    ['l1', '99373'],
    ['c-of-mainnet', '43114'],
  ])
  const indexed = createOnIndexed({
    side: 'testnet',
    evm: { l1: [], C: [] },
    evmIds,
    shown: { primary: shown, l1: shown },
  })
  for (const [at, chain] of ['testnet:P', 'testnet:X', 'testnet:C', 'mainnet:C', 'eip155:99373'].entries())
    indexed(chain, BigInt(at))
  for (const chain of ['eip155:43114', 'eip155:1']) indexed(chain, 9n)
  expect(told).toEqual([
    ['P', 0n],
    ['X', 1n],
    ['C', 2n],
    ['l1', 4n],
  ])
})
