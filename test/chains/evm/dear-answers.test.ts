import { expect, it } from 'vitest'
import { evmLimits } from '../../../src/chains/evm/index.ts'
import { JsonRpcError } from '../../../src/errors.ts'
import { createRpcPool } from '../../support/upstream/rpc-pool.ts'
import {
  amounts,
  chain,
  noDiscovery,
  pools,
  read,
  setCode,
  sourceOver,
  unlisted,
  useTokenChain,
} from './token-chain.ts'

useTokenChain()

const GAS = 10_000_000
/** Of a byte of state, and what a call's answer is charged that runs as the creation of a contract (EIP-8037). */
const BYTE_GAS = 1_530
const TOKENS = Array.from({ length: 120 }, (_, at) => `0x${(0xbeef0000 + at).toString(16).padStart(40, 'f')}`)
const OWNERS = Array.from({ length: 50 }, (_, at) => `0x${(0xabcd0000 + at).toString(16).padStart(40, '0')}`)
/** Whoever is asked for has sixteen bytes of it. */
const BALANCE = 0x0102030405060708090a0b0c0d0e0f10n
const CODE = '0x6f0102030405060708090a0b0c0d0e0f1060005260206000f3'

/** A node that lets calls have 10 million gas and charges for answers as Ethereum does since Amsterdam. */
function dearPool() {
  const pool = createRpcPool(chain.url, noDiscovery)
  pools.push(pool)
  let refused = 0
  const rpc: typeof pool.rpc = async <T>(...[path, method, params, options]: Parameters<typeof pool.rpc>) => {
    if (method !== 'eth_call') return pool.rpc<T>(path, method, params, options)
    const [call, ...rest] = params as [object, ...unknown[]]
    const answer = await pool.rpc<string>(path, method, [{ ...call, gas: `0x${GAS.toString(16)}` }, ...rest], options)
    if ('to' in call || ((answer.length - 2) / 2) * BYTE_GAS <= GAS) return answer as T
    refused += 1
    throw new JsonRpcError('contract creation code storage out of gas', -32000)
  }
  return { pool: { ...pool, rpc }, refused: () => refused }
}

it('answers end before the gas that a node charges for them is used up, though state is dear there', async () => {
  for (const token of TOKENS) await setCode(token, CODE)
  const { pool, refused } = dearPool()
  const { source } = sourceOver(noDiscovery, { pool, list: TOKENS.map(unlisted), limits: evmLimits })
  const results = await read(source, OWNERS)
  const whole = new Map(TOKENS.map((token) => [token, BALANCE]))
  for (const found of results) expect(amounts(found)).toEqual(whole)
  expect(refused()).toBe(0)
})
