import { afterAll, beforeAll, expect, it } from 'vitest'
import { createEvmBalanceSource } from '../../../src/chains/evm/index.ts'
import { JsonRpcError } from '../../../src/errors.ts'
import { type Anvil, startAnvil } from '../../support/evm/anvil.ts'
import { installMulticall3, multicall3Address } from '../../support/evm/multicall3.ts'
import { createRpcPool, type Interceptor } from '../../support/upstream/rpc-pool.ts'
import { read } from './token-chain.ts'

const HEDERA = 295
const owner = `0x${'ab'.repeat(20)}`
/** 12.34567891 HBAR as contracts there see it, in tinybars; `eth_getBalance` says ten digits more. */
const COUNTED = 1_234_567_891n
let anvil: Anvil

beforeAll(async () => {
  anvil = await startAnvil({ chainId: HEDERA })
  await installMulticall3(anvil)
  await anvil.rpc('anvil_setBalance', [owner, `0x${COUNTED.toString(16)}`])
})
afterAll(() => anvil.stop())

/** As its relay was for long: a call without a contract is no call. */
const onlyMulticall: Interceptor = ({ params: [call, , overrides] }) => {
  const { to } = call as { to?: string }
  if (to !== multicall3Address || overrides) throw new JsonRpcError("Invalid parameter 'to'", -32602)
  return undefined
}

it.each([
  [18, 12_345_678_910_000_000_000n],
  [8, COUNTED],
  [6, 12_345_678n],
])('HBAR is counted in tinybars by the EVM: told with %d decimals', async (decimals, told) => {
  for (const intercept of [onlyMulticall, undefined]) {
    const pool = createRpcPool(anvil.url, intercept)
    const source = createEvmBalanceSource({
      caip2Id: `eip155:${HEDERA}`,
      native: { name: 'HBAR', symbol: 'HBAR', decimals, internalId: 'NATIVE-hbar' },
      pool,
      discoveryPools: [],
      tokens: { tokens: () => [] },
      multicall: multicall3Address,
    })
    expect(await read(source, [owner])).toEqual([{ native: told, tokens: [] }])
    await pool.close()
  }
})
