import type { SolanaBalances } from '../../../src/chains/capabilities.ts'
import { createSolanaBalanceSource } from '../../../src/chains/solana/index.ts'
import { JsonRpcError, UpstreamUnavailableError } from '../../../src/errors.ts'
import { encodeBase58 } from '../../../src/lib/bytes/base58.ts'
import type { UpstreamPool } from '../../../src/upstream/types.ts'
import { readContext, solanaNative } from '../../support/balances/balance-reads.ts'
import type { Random } from '../../support/generated/random.ts'
import { createRpcPool } from '../../support/upstream/rpc-pool.ts'

const PROGRAMS = ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'] as const
const GENESIS = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG'

interface Mint {
  key: Buffer
  program: string
  decimals: number
  supply: bigint
  /** It was the only one of its kind before: for a while it may be taken for that. */
  wasSingle: boolean
}
interface TokenAccount {
  key: Buffer
  mint: Mint
  owner: Buffer
  amount: bigint
}
interface World {
  owners: Map<string, { key: Buffer; lamports: bigint }>
  mints: Map<string, Mint>
  accounts: TokenAccount[]
}

function makeWorld(random: Random): World {
  const owners = random.list(random.pick([3, 20, 130]), () => ({
    key: random.bytes(32),
    lamports: random.pick([0n, 1n, 2_039_280n, (1n << 53n) + 1n, (1n << 63n) + 7n]),
  }))
  const mints = random.list(12, (at): Mint => {
    const decimals = random.pick([0, 0, 6, 9])
    const supply = decimals === 0 && at % 2 ? 1n : 1n << 63n
    return { key: random.bytes(32), program: random.pick(PROGRAMS), decimals, supply, wasSingle: supply === 1n }
  })
  const accounts = random.list(random.below(120), (): TokenAccount => {
    const mint = random.pick(mints)
    const amount = mint.supply === 1n ? 1n : random.pick([0n, 1n, 7n, 1_000_000n, (1n << 62n) + 5n])
    return { key: random.bytes(32), mint, owner: random.pick(owners).key, amount }
  })
  const once = new Set<Mint>()
  return {
    owners: new Map(owners.map((owner) => [encodeBase58(owner.key), owner])),
    mints: new Map(mints.map((mint) => [encodeBase58(mint.key), mint])),
    // The only one of a kind is in one place.
    accounts: accounts.filter(({ mint }) => mint.supply > 1n || (!once.has(mint) && once.add(mint))),
  }
}

/** More of what was single is made: somebody holds several now, or others hold one as well. */
function mintMore(world: World, random: Random): void {
  for (const mint of world.mints.values()) {
    if (mint.supply !== 1n || random.chance(0.5)) continue
    mint.supply = 1_000n
    for (const { key: owner } of random.some([...world.owners.values()], 4)) {
      world.accounts.push({ key: random.bytes(32), mint, owner, amount: random.pick([1n, 2n, 500n]) })
    }
  }
}

const accountOf = (program: string, lamports: bigint, data: Buffer) => ({
  owner: program,
  lamports,
  data: [data.toString('base64'), 'base64'],
})

function answer(world: World, method: string, params: readonly unknown[]): unknown {
  if (method === 'getMultipleAccounts') {
    return (params[0] as string[]).map((text) => {
      const owner = world.owners.get(text)
      if (owner) return owner.lamports === 0n ? null : accountOf('1'.repeat(32), owner.lamports, Buffer.alloc(0))
      const mint = world.mints.get(text)
      if (!mint) return null
      const data = Buffer.alloc(82)
      // More may be made of each.
      data.writeUInt32LE(1)
      data.writeBigUInt64LE(mint.supply, 36)
      data.writeUInt8(mint.decimals, 44)
      data.writeUInt8(1, 45)
      return accountOf(mint.program, 1n, data)
    })
  }
  const [owner, { programId }] = params as [string, { programId: string }]
  return world.accounts
    .filter(({ mint, owner: key }) => mint.program === programId && encodeBase58(key) === owner)
    .map(({ key, mint, owner: holder, amount }) => {
      const data = Buffer.alloc(72)
      mint.key.copy(data)
      holder.copy(data, 32)
      data.writeBigUInt64LE(amount, 64)
      return { pubkey: encodeBase58(key), account: accountOf(programId, 2_039_280n, data) }
    })
}

/** A node over the world that refuses, lags behind, and takes fewer accounts in a call at times. */
function poolOver(world: World, random: Random, trouble: number): UpstreamPool {
  let most = random.pick([100, 100, 7, 1])
  const rpc = async (_path: string, method: string, params: unknown): Promise<unknown> => {
    if (method === 'getGenesisHash') return GENESIS
    if (random.chance(0.3)) await new Promise((resolve) => setImmediate(resolve))
    if (random.chance(trouble)) {
      throw random.chance(0.5) ? new UpstreamUnavailableError('no answer') : new JsonRpcError('node is behind', -32_005)
    }
    if (random.chance(0.02)) most = Math.ceil(most / 2)
    if (method === 'getMultipleAccounts' && (params as [string[]])[0].length > most)
      throw new JsonRpcError(`Too many inputs provided; max ${most}`, -32_602)
    const config = (params as unknown[]).at(-1) as { minContextSlot?: number }
    // What comes from a node far behind is not what the others say.
    const late = config.minContextSlot === undefined && random.chance(0.02)
    const value = answer(late ? { ...world, owners: new Map(), accounts: [] } : world, method, params as unknown[])
    return { context: { slot: late ? 1_000 : 2_000 + random.below(60) }, value }
  }
  return { ...createRpcPool('http://127.0.0.1:2'), rpc: rpc as UpstreamPool['rpc'] }
}

export interface SolanaTally {
  sources: number
  numbers: number
  errors: number
}

/** One source over a made-up chain, asked a few times. */
export async function playSolana(random: Random, tally: SolanaTally): Promise<void> {
  const world = makeWorld(random)
  const trouble = random.chance(0.5) ? 0 : random.pick([0.01, 0.1])
  const source = createSolanaBalanceSource({
    caip2Id: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
    native: solanaNative,
    pool: poolOver(world, random, trouble),
    tokens: { tokens: () => [] },
  })
  for (let reads = random.between(1, 4); reads > 0; reads--) {
    const ids = random.some([...world.owners.keys()], random.pick([1, 5, 130]))
    const outcomes = await source.readBalances(
      ids.map((id) => ({ id })),
      readContext(),
    )
    for (const id of ids) {
      const outcome = outcomes.get(id)
      if (outcome?.ok) {
        compare(world, id, outcome.value)
        tally.numbers += 1
      } else if (trouble > 0 && outcome) tally.errors += 1
      else throw new Error(`no number for ${id}: ${outcome?.error}`)
    }
    if (random.chance(0.5)) mintMore(world, random)
  }
  tally.sources += 1
}

function compare(world: World, id: string, { native, tokens }: SolanaBalances): void {
  const held = new Map<string, bigint>()
  for (const { mint, owner, amount } of world.accounts) {
    const name = encodeBase58(mint.key)
    if (encodeBase58(owner) === id && amount > 0n) held.set(name, (held.get(name) ?? 0n) + amount)
  }
  const expected = [...held]
    .filter(([name, amount]) => {
      const { decimals, supply, wasSingle } = world.mints.get(name) as Mint
      const single = decimals === 0 && (supply === 1n || (wasSingle && amount === 1n))
      // Of what was single a moment ago, one may or may not be shown.
      return !single || (supply > 1n && tokens.some(({ address }) => address === name))
    })
    .map(([name, amount]) => `${name} ${amount} ${world.mints.get(name)?.decimals}`)
    .sort()
  const got = tokens.map(({ address, balance, decimals }) => `${address} ${balance} ${decimals}`)
  const lamports = world.owners.get(id)?.lamports
  if (got.toSorted().join() !== expected.join() || native !== lamports)
    throw new Error(`${id}: ${native} and ${got.join('; ')}\nwhere it has ${lamports} and ${expected.join('; ')}`)
}
