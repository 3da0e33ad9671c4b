import { randomBytes } from 'node:crypto'
import pino from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import type { AddressAccount, SolanaBalances } from '../../../src/chains/capabilities.ts'
import { createChains } from '../../../src/chains/index.ts'
import { encodeBase58 } from '../../../src/lib/bytes/base58.ts'
import { TOKEN } from '../../sandbox/solana/instructions.ts'
import { balancesOf, readContext } from '../../support/balances/balance-reads.ts'
import { type SeenCall, startFaultServer } from '../../support/upstream/fault-server.ts'
import { TEST_LIMITS } from '../../support/upstream/upstream-pool.ts'

/** `--rpc-max-request-body-size` of agave's validator, where nobody sets it. */
const AGAVE_BODY_BYTES = 51_200
const REFERENCE = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1'
const WALLETS = 50
const TOKENS_EACH = 30

/** Wallets with tokens that are on no list: their mints and names are asked for in one go. */
const createWorld = () => {
  const wallets = new Map(
    Array.from({ length: WALLETS }, () => {
      const owner = randomBytes(32)
      const mints = Array.from({ length: TOKENS_EACH }, () => randomBytes(32))
      return [encodeBase58(owner), { owner, mints }] as const
    }),
  )
  const mint = Buffer.alloc(82)
  mint[44] = 6
  mint[45] = 1
  const program = TOKEN.toBase58()
  const names = new Set([...wallets.values()].flatMap(({ mints }) => mints.map((one) => encodeBase58(one))))
  const account = (data: Buffer) => ({ owner: program, lamports: 1, data: [data.toString('base64'), 'base64'] })
  const holdings = (id: string) => {
    const { owner, mints } = wallets.get(id) ?? { owner: Buffer.alloc(32), mints: [] }
    const amount = Buffer.from([5, 0, 0, 0, 0, 0, 0, 0])
    return mints.map((one) => ({
      pubkey: encodeBase58(randomBytes(32)),
      account: account(Buffer.concat([one, owner, amount])),
    }))
  }
  const answer = ({ method, params }: SeenCall): unknown => {
    const [first, second] = (params ?? []) as [unknown, { programId?: string }?]
    const context = { slot: 1_000 }
    if (method === 'getGenesisHash') return `${REFERENCE}wcaWoxPkrZBG`
    if (method === 'getSlot') return 1_000
    if (method === 'getTokenAccountsByOwner')
      return { context, value: second?.programId === program ? holdings(String(first)) : [] }
    return { context, value: (first as string[]).map((name) => (names.has(name) ? account(mint) : null)) }
  }
  return { ids: [...wallets.keys()], answer }
}

it('a node with the request size that it comes with is never sent more', async () => {
  const { ids, answer } = createWorld()
  let longest = 0
  const server = await startFaultServer({
    answer,
    handle: (_, body) => {
      longest = Math.max(longest, body.length)
      return body.length > AGAVE_BODY_BYTES
        ? { status: 413, body: 'request body size exceeds allowed maximum' }
        : undefined
    },
  })
  const limits = { ...TEST_LIMITS, batchItems: 100, batchBytes: 262_144 }
  const solana = { [REFERENCE]: { upstreams: [{ url: server.url }] } }
  const chains = createChains(
    { evm: {}, bitcoin: {}, solana, avalanche: {} },
    { limits, tokens: { tokens: () => [] }, xpubGap: 20, pool: {}, logger: pino({ enabled: false }) },
  )
  onTestFinished(async () => {
    await chains.close()
    await server.close()
  })
  const source = chains.byId.get(`solana:${REFERENCE}`)?.source
  const accounts: AddressAccount[] = ids.map((id) => ({ id }))
  const found = await source?.readBalances(accounts, readContext())
  for (const id of ids) expect((balancesOf(found?.get(id)) as SolanaBalances).tokens).toHaveLength(TOKENS_EACH)
  expect(longest).toBeGreaterThan(AGAVE_BODY_BYTES / 2)
  expect(longest).toBeLessThanOrEqual(AGAVE_BODY_BYTES)
})
