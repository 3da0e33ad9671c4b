import pino from 'pino'
import { afterEach, expect, it } from 'vitest'
import { type Chains, createChains } from '../../src/chains/index.ts'
import { balancesOf, readContext } from '../support/balances/balance-reads.ts'
import { type Anvil, startAnvil } from '../support/evm/anvil.ts'
import { callData } from '../support/evm/contracts.ts'
import { freePort } from '../support/programs/free-port.ts'
import { TEST_LIMITS } from '../support/upstream/upstream-pool.ts'
import { eventually } from '../support/waiting/eventually.ts'

const UNITS = 5_000_000n
const NATIVE = { name: 'Coin', symbol: 'COIN', decimals: 18, internalId: 'NATIVE-coin' }

let anvil: Anvil
let chains: Chains
afterEach(async () => {
  await chains.close()
  await anvil.stop()
})

/** A chain of so many blocks whose first contract is this token. */
async function beginChain(port: number, symbol: string, decimals: number, blocks: number): Promise<string> {
  anvil = await startAnvil({ port })
  const [owner = ''] = anvil.accounts
  const token = await anvil.deploy('LabToken', [symbol, symbol, decimals, owner])
  await anvil.send({ to: token, data: callData('LabToken', 'mint', [owner, UNITS]) })
  await anvil.rpc('anvil_mine', [`0x${(blocks - 2).toString(16)}`])
  return token
}

it('an EVM chain that was reset shows the tokens that are there now, not what was learnt at their addresses', async () => {
  const port = await freePort()
  const token = await beginChain(port, 'OLD', 18, 40)
  const owner = anvil.accounts[0] as string
  chains = createChains(
    {
      evm: { '31337': { upstreams: [{ url: anvil.url }], native: NATIVE, blockTimeMs: 1_000 } },
      bitcoin: {},
      solana: {},
      avalanche: {},
    },
    {
      limits: TEST_LIMITS,
      tokens: { tokens: () => [] },
      indexedTokens: () => ({ isComplete: () => true, tokensOf: async () => [token] }),
      xpubGap: 20,
      pool: {},
      logger: pino({ enabled: false }),
    },
  )
  const { source } = chains.byId.get('eip155:31337') ?? {}
  const tokensOf = async () =>
    balancesOf((await source?.readBalances([{ id: owner }], readContext()))?.get(owner) ?? undefined).tokens
  const shown = (symbol: string, decimals: number) => [
    { address: token, name: symbol, symbol, decimals, internalId: `eip155:31337-${token}`, balance: UNITS },
  ]
  expect(await tokensOf()).toEqual(shown('OLD', 18))
  // The height is told by a probe of its own.
  await eventually(() => expect(chains.pools[0]?.status()[0]?.height).toBe(40n))

  await anvil.stop()
  expect(await beginChain(port, 'NEW', 6, 3)).toBe(token)
  await eventually(async () => expect(await tokensOf()).toEqual(shown('NEW', 6)))
})
