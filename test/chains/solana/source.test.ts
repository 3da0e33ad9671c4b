import { Connection, PublicKey } from '@solana/web3.js'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { KnownToken, SolanaBalances } from '../../../src/chains/capabilities.ts'
import { createSolanaBalanceSource } from '../../../src/chains/solana/index.ts'
import type { SolanaLimits } from '../../../src/chains/solana/limits.ts'
import { createUpstreamPool, DEFAULT_LIMITS } from '../../../src/upstream/index.ts'
import { associatedAddress, metaplexAddress, TOKEN, TOKEN_2022 } from '../../sandbox/solana/instructions.ts'
import { mintNames } from '../../sandbox/solana/keys.ts'
import { type SolanaChain, startSolanaChain } from '../../sandbox/solana-chain.ts'
import { balancesOf, errorOf, readContext, solanaNative } from '../../support/balances/balance-reads.ts'
import { createPlainPool, type PlainPool } from '../../support/upstream/plain-pool.ts'
import { eventually } from '../../support/waiting/eventually.ts'

const DEVNET = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'

let chain: SolanaChain
let pool: PlainPool
const pools: { close(): Promise<void> }[] = []

beforeAll(async () => {
  chain = await startSolanaChain()
})
afterEach(async () => {
  await Promise.all(pools.splice(0).map((one) => one.close()))
})
afterAll(() => chain.close())

const open = (tokens: readonly KnownToken[] = [], limits: Partial<SolanaLimits> = {}) => {
  pool = createPlainPool(chain.url)
  pools.push(pool)
  return createSolanaBalanceSource({
    caip2Id: DEVNET,
    native: solanaNative,
    pool,
    tokens: { tokens: () => tokens },
    limits,
  })
}

const read = async (name: 'alice' | 'bob' | 'carol' | 'nobody', source = open()): Promise<SolanaBalances> => {
  const id = chain.owners[name]
  return balancesOf((await source.readBalances([{ id }], readContext())).get(id))
}

const named = (balances: SolanaBalances) =>
  Object.fromEntries(
    balances.tokens.map((token) => [mintNames.find((name) => chain.mints[name] === token.address), token]),
  )

describe('solana balances', () => {
  it('holds what the official client reads on the same chain, for both programs', async () => {
    const connection = new Connection(chain.url, 'confirmed')
    const ids = Object.values(chain.owners)
    const balances = await open().readBalances(
      ids.map((id) => ({ id })),
      readContext(),
    )
    expect([...balances.keys()].sort()).toEqual([...ids].sort())
    const nfts = [chain.mints.nft, chain.mints.nft2022]
    for (const id of ids) {
      const sums = new Map<string, bigint>()
      for (const programId of [TOKEN, TOKEN_2022]) {
        const { value } = await connection.getParsedTokenAccountsByOwner(new PublicKey(id), { programId })
        for (const { account } of value) {
          const { mint, tokenAmount } = account.data.parsed.info
          const sum = (sums.get(mint) ?? 0n) + BigInt(tokenAmount.amount)
          if (sum > 0n && !nfts.includes(mint)) sums.set(mint, sum)
        }
      }
      const own = balancesOf(balances.get(id))
      expect(Object.fromEntries(own.tokens.map(({ address, balance }) => [address, balance]))).toEqual(
        Object.fromEntries(sums),
      )
    }
  })

  it('reads lamports exactly, and none where there is no account', async () => {
    expect((await read('alice')).native).toBe(2_500_000_000n)
    expect((await read('bob')).native).toBe(9_007_199_254_740_993n)
    expect(await read('nobody')).toEqual({ native: 0n, tokens: [] })
    const carol = await read('carol')
    expect(carol.native).toBe(0n)
    expect(carol.tokens.length).toBe(3)
  })

  it('sums accounts of one mint, counts frozen ones, leaves out zero balances and NFTs only', async () => {
    const tokens = named(await read('alice'))
    expect(Object.keys(tokens).sort()).toEqual(
      ['bare', 'extended', 'frozen', 'hostile', 'listed', 'metaplex', 'plain2022', 'ticket'].sort(),
    )
    expect(tokens.listed?.balance).toBe(1_750_000n)
    expect(tokens.frozen?.balance).toBe(7_000n)
    expect(tokens.metaplex?.balance).toBe(18_446_744_073_709_551_615n)
    expect(tokens.ticket).toMatchObject({ balance: 1n, decimals: 0, symbol: 'TKT' })
  })

  it('names tokens by Token-2022 extension, by Metaplex account, else by their mint', async () => {
    const tokens = named(await read('alice'))
    expect(tokens.extended).toMatchObject({ name: 'Extended Token', symbol: 'EXT', decimals: 4 })
    expect(tokens.metaplex).toMatchObject({ name: 'Metaplex Token', symbol: 'MPLX', decimals: 9 })
    expect(tokens.plain2022).toMatchObject({ name: 'Metaplex on 2022', symbol: 'M22', decimals: 5 })
    const { bare } = chain.mints
    const short = `${bare.slice(0, 4)}…${bare.slice(-4)}`
    expect(tokens.bare).toMatchObject({ name: short, symbol: short, decimals: 2 })
  })

  it('cleans what strangers wrote', async () => {
    const { hostile } = named(await read('alice'))
    expect(hostile?.name).toBe('USD Coin')
    expect(hostile?.symbol).toBe('A'.repeat(32))
  })

  it('lets a list overrule names and logo, never decimals', async () => {
    const listed: KnownToken = {
      address: chain.mints.listed,
      name: 'USD Coin',
      symbol: 'USDC',
      decimals: 9,
      logoUri: 'https://example.test/usdc.png',
      internalId: 'solana:main-usdc',
    }
    const tokens = named(await read('alice', open([listed])))
    expect(tokens.listed).toMatchObject({ ...listed, decimals: 6, balance: 1_750_000n })
    expect(tokens.metaplex?.internalId).toBe(`${DEVNET}-${chain.mints.metaplex.toLowerCase()}`)
    expect(tokens.metaplex).not.toHaveProperty('logoUri')
  })

  it('gives the associated token address, whether or not it is what the owner holds', async () => {
    const address = (owner: string, mint: string, program: PublicKey) =>
      associatedAddress(program, new PublicKey(owner), new PublicKey(mint)).toBase58()
    const { alice, carol } = chain.owners
    const { listed, extended } = chain.mints
    expect(named(await read('alice')).listed?.associatedTokenAddress).toBe(address(alice, listed, TOKEN))
    expect(named(await read('alice')).extended?.associatedTokenAddress).toBe(address(alice, extended, TOKEN_2022))
    expect(named(await read('carol')).extended?.associatedTokenAddress).toBe(address(carol, extended, TOKEN_2022))
  })

  it('orders tokens by mint and answers the same twice', async () => {
    const first = await read('alice')
    const mints = first.tokens.map(({ address }) => address)
    expect(mints).toEqual([...mints].sort())
    expect(await read('alice')).toEqual(first)
  })

  it('answers each account once under the id as given, and names bad ones', async () => {
    const { alice, bob } = chain.owners
    const short = alice.slice(0, 32)
    const zero = alice.replace(/.$/, '0')
    const asked = [bob, short, alice, bob, zero].map((id) => ({ id }))
    const balances = await open().readBalances(asked, readContext())
    expect(balances.size).toBe(4)
    expect(balancesOf(balances.get(alice)).native).toBe(2_500_000_000n)
    for (const id of [short, zero])
      expect(errorOf(balances.get(id)).message).toBe(`address ${id} is not 32 bytes in base58`)
  })

  it('refuses accounts beyond its bound one by one', async () => {
    const ids = Object.values(chain.owners)
    const source = open([], { maxAccounts: 2 })
    const balances = await source.readBalances(
      ids.map((id) => ({ id })),
      readContext(),
    )
    expect(ids.map((id) => balances.get(id)?.ok)).toEqual([true, true, false, false])
    const { alice } = chain.owners
    const connection = new Connection(chain.url, 'confirmed')
    const { value } = await connection.getTokenAccountsByOwner(new PublicKey(alice), { programId: TOKEN })
    const readUpTo = async (maxTokenAccounts: number) =>
      (await open([], { maxTokenAccounts }).readBalances([{ id: alice }], readContext())).get(alice)
    expect(await readUpTo(value.length)).toMatchObject({ ok: true })
    const most = value.length - 1
    expect(errorOf(await readUpTo(most)).message).toContain(`more than ${most} token accounts`)
  })
})

describe('traffic of solana reads', () => {
  it('is one exchange once the mints are known, three before, whatever the number of accounts', async () => {
    const source = open()
    const ids = [...Object.values(chain.owners), ...Array.from({ length: 120 }, (_, index) => keyOf(index))]
    await source.readBalances(
      ids.map((id) => ({ id })),
      readContext(),
    )
    expect(pool.traffic.exchanges).toBe(3)
    await source.readBalances(
      ids.map((id) => ({ id })),
      readContext(),
    )
    expect(pool.traffic.exchanges).toBe(4)
  })

  it('is two exchanges when no mint needs a second look', async () => {
    await read('carol')
    expect(pool.traffic.exchanges).toBe(2)
  })

  it('needs fewer bytes than the parsed form', async () => {
    const source = open()
    await read('alice', source)
    const before = pool.traffic.bytes
    await read('alice', source)
    const binary = pool.traffic.bytes - before
    await pool.rpc('', 'getMultipleAccounts', [[chain.owners.alice], { encoding: 'base64' }])
    for (const programId of [TOKEN, TOKEN_2022]) {
      await pool.rpc('', 'getTokenAccountsByOwner', [
        chain.owners.alice,
        { programId: programId.toBase58() },
        { encoding: 'jsonParsed' },
      ])
    }
    const parsed = pool.traffic.bytes - before - binary
    expect(binary / parsed).toBeLessThan(0.7)
  })

  it('works over a real pool that splits batches', async () => {
    const limits = { ...DEFAULT_LIMITS, batchItems: 3 }
    const upstream = createUpstreamPool('devnet', [{ url: chain.url }], limits)
    pools.push(upstream)
    const source = createSolanaBalanceSource({
      caip2Id: DEVNET,
      native: solanaNative,
      pool: upstream,
      tokens: { tokens: () => [] },
    })
    expect(await read('alice', source)).toEqual(await read('alice'))
    expect((await read('bob', source)).native).toBe(9_007_199_254_740_993n)
  })
})

describe('what is remembered', () => {
  it('looks again for metadata that was not there', async () => {
    const source = open([], { missingTextMs: 1 })
    const { bare } = chain.mints
    await read('alice', source)
    const at = metaplexAddress(new PublicKey(bare))
    const { metaplexBytes, METAPLEX } = await import('../../sandbox/solana/instructions.ts')
    chain.ledger.place(at, METAPLEX, metaplexBytes(new PublicKey(bare), chain.ledger.payer.publicKey, 'Late', 'LATE'))
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(named(await read('alice', source)).bare).toMatchObject({ name: 'Late', symbol: 'LATE' })
    chain.ledger.place(at, METAPLEX, Buffer.alloc(0))
  })

  it('reads a name again that its author may have changed', async () => {
    const source = open([], { textMs: 1 })
    const { metaplex } = chain.mints
    const before = named(await read('alice', source)).metaplex
    const at = metaplexAddress(new PublicKey(metaplex))
    const { metaplexBytes, METAPLEX } = await import('../../sandbox/solana/instructions.ts')
    const write = (name: string, symbol: string): void => {
      const bytes = metaplexBytes(new PublicKey(metaplex), chain.ledger.payer.publicKey, name, symbol)
      chain.ledger.place(at, METAPLEX, bytes)
    }
    write('Renamed', 'NEW')
    onTestFinished(() => write(before?.name ?? '', before?.symbol ?? ''))
    await eventually(async () => {
      expect(named(await read('alice', source)).metaplex).toMatchObject({ name: 'Renamed', symbol: 'NEW' })
    })
  })

  it('asks for the name of a token that a list no longer names', async () => {
    let tokens: readonly KnownToken[] = [
      {
        address: chain.mints.metaplex,
        name: 'Listed',
        symbol: 'LST',
        decimals: 9,
        logoUri: 'https://example.test/l.png',
      },
    ]
    pool = createPlainPool(chain.url)
    pools.push(pool)
    const source = createSolanaBalanceSource({
      caip2Id: DEVNET,
      native: solanaNative,
      pool,
      tokens: { tokens: () => tokens },
    })
    expect(named(await read('alice', source)).metaplex?.name).toBe('Listed')
    tokens = []
    expect(named(await read('alice', source)).metaplex?.name).toBe('Metaplex Token')
  })
})

/** Some valid key. */
const keyOf = (index: number): string => {
  const bytes = new Uint8Array(32).fill(7)
  bytes[0] = index
  return new PublicKey(bytes).toBase58()
}
