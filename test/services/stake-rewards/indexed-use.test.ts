import { expect, it } from 'vitest'
import { createIndexedUse } from '../../../src/services/stake-rewards/indexed-use.ts'

it('an address was in use when it was on either chain, and of that network', async () => {
  const seen = { P: 'aa', X: 'bb' } as Record<string, string>
  const everUsed = createIndexedUse({
    activity: {
      last: async ({ network, letter }, addresses) =>
        network === 'testnet' && addresses.includes(seen[letter] ?? '')
          ? { time: 0n, height: 0n, txId: '', utxoId: '', isConsumed: true }
          : undefined,
    },
  })
  const used = await Promise.all([['aa'], ['bb'], ['cc', 'bb'], ['cc']].map(everUsed('testnet')))
  expect(used).toEqual([true, true, true, false])
  expect(await everUsed('mainnet')(['aa'])).toBe(false)
})
