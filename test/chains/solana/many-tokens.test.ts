import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { createSolanaBalanceSource } from '../../../src/chains/solana/index.ts'
import { UpstreamRateLimitedError } from '../../../src/errors.ts'
import { encodeBase58 } from '../../../src/lib/bytes/base58.ts'
import type { UpstreamPool } from '../../../src/upstream/types.ts'
import { TOKEN } from '../../sandbox/solana/instructions.ts'
import { balancesOf, errorOf, readContext, solanaNative } from '../../support/balances/balance-reads.ts'
import { turnsWhile } from '../../support/waiting/turns.ts'

const MANY = 4_000
const CHAIN = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'

/** Somebody with one of each of many tokens, none of them in the account that is derived for it. */
function somebody(amount = 5n) {
  const bytes = randomBytes(32)
  const mints = Array.from({ length: MANY }, () => randomBytes(32))
  const accounts = mints.map((mint) => {
    const data = Buffer.concat([mint, bytes, Buffer.alloc(8)])
    data.writeBigUInt64LE(amount, 64)
    return {
      pubkey: encodeBase58(randomBytes(32)),
      account: { owner: TOKEN.toBase58(), data: [data.toString('base64'), 'base64'] },
    }
  })
  const mint = Buffer.alloc(82)
  mint[44] = 6
  mint[45] = 1
  const mintAccount = { owner: TOKEN.toBase58(), lamports: 1, data: [mint.toString('base64'), 'base64'] }
  const names = new Set(mints.map((one) => encodeBase58(one)))
  const rpc = async (_: string, method: string, params: unknown) => {
    const [first, second] = params as [unknown, { programId?: string }]
    if (method === 'getGenesisHash') return 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG'
    const context = { slot: 1_000 }
    if (method === 'getTokenAccountsByOwner')
      return { context, value: second.programId === TOKEN.toBase58() ? accounts : [] }
    return { context, value: (first as string[]).map((name) => (names.has(name) ? mintAccount : null)) }
  }
  return { id: encodeBase58(bytes), pool: { name: 'test', rpc } as unknown as UpstreamPool }
}

it('thousands of tokens do not hold up others while their addresses are derived', async () => {
  const { id, pool } = somebody()
  const tokens = { tokens: () => [] }
  const source = createSolanaBalanceSource({ caip2Id: CHAIN, native: solanaNative, pool, tokens })
  const { value: outcomes, turns } = await turnsWhile(() => source.readBalances([{ id }], readContext()))
  expect(balancesOf(outcomes.get(id)).tokens).toHaveLength(MANY)
  // The answers are there at once: these turns were given away.
  expect(turns).toBeGreaterThan(60)
})

it('accounts that hold nothing are read in turns, too', async () => {
  const { id, pool } = somebody(0n)
  const tokens = { tokens: () => [] }
  const source = createSolanaBalanceSource({ caip2Id: CHAIN, native: solanaNative, pool, tokens })
  const { value: outcomes, turns } = await turnsWhile(() => source.readBalances([{ id }], readContext()))
  expect(balancesOf(outcomes.get(id)).tokens).toEqual([])
  expect(turns).toBeGreaterThan(5)
})

it('mints that are too many for one read are learnt over several', async () => {
  const { id, pool } = somebody()
  let left = 0
  /** Takes so many questions for mints and names at a time. */
  const rpc: UpstreamPool['rpc'] = async (path, method, params) => {
    const asksMints = method === 'getMultipleAccounts' && (params as [string[]])[0][0] !== id
    if (asksMints && left === 0) throw new UpstreamRateLimitedError('enough')
    if (asksMints) left -= 1
    return pool.rpc(path, method, params)
  }
  const tokens = { tokens: () => [] }
  const limited = { ...pool, rpc }
  const source = createSolanaBalanceSource({
    caip2Id: CHAIN,
    native: solanaNative,
    pool: limited,
    tokens,
  })
  const read = async () => {
    left = 30
    return (await source.readBalances([{ id }], readContext({ deadline: Date.now() + 60_000 }))).get(id)
  }
  expect(errorOf(await read()).message).toBe('enough')
  expect(errorOf(await read()).message).toBe('enough')
  expect(balancesOf(await read()).tokens).toHaveLength(MANY)
})
