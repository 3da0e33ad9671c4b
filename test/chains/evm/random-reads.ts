import type { KnownToken } from '../../../src/chains/capabilities.ts'
import { createEvmBalanceSource, type EvmLimits } from '../../../src/chains/evm/index.ts'
import { DeadlineError, JsonRpcError, UpstreamUnavailableError } from '../../../src/errors.ts'
import type { CallOptions } from '../../../src/upstream/types.ts'
import type { SandboxEvm } from '../../sandbox/evm-chain.ts'
import type { Random } from '../../support/generated/random.ts'
import { createRpcPool, type Interceptor } from '../../support/upstream/rpc-pool.ts'

const native = { name: 'Avalanche', symbol: 'AVAX', decimals: 18, internalId: 'NATIVE-avax' }

/** What every owner holds of every token, asked of the chain one by one; a token that says nothing readable is missing. */
export interface Ground {
  chain: SandboxEvm
  tokens: readonly string[]
  owners: readonly string[]
  /** By token and owner. */
  held: ReadonlyMap<string, bigint>
  natives: ReadonlyMap<string, bigint>
  /** Of tokens that say so. */
  decimals: ReadonlyMap<string, number>
}

/** Runs a loop of `rounds` × 26 gas and answers 7 for everybody. */
const slowToken = (rounds: number): string =>
  `0x62${rounds.toString(16).padStart(6, '0')}5b60019003806004576007600052602060 00f3`.replace(' ', '')

/** Says 5 as a balance and as decimals; its name and symbol burn whatever they are given. */
const nameBurner = '0x60003560e01c806370a0823114601d5763313ce56714601d575b6019565b600560005260206000f3'

/** Codes beside the contracts of the sandbox: slow, burning, reverting, answering too little or too much, and for some only. */
const CODES: Record<string, string> = {
  '02': '0x5b600056',
  '05': slowToken(3_000),
  '07': slowToken(12_000),
  '2e': slowToken(50_000),
  '66': '0x60006000fd',
  '71': '0x6007600052601f6000f3',
  '9a': '0x6007600052604060 00f3'.replace(' ', ''),
  b4: '0x00',
  // By the owner's last bit: it reverts, or says 9.
  c8: '0x600435600116601357600960005260206000f35b60006000fd',
  // The same, but it burns its gas for the others.
  d3: '0x600435600116601357600960005260206000f35b601356',
  '04': nameBurner,
  '3d': nameBurner,
}
/** Those that take more gas for their decimals than a third of what a balance may take. */
const DEAR = ['05', '07', '2e']
const ownersOf = (chain: SandboxEvm): string[] => [
  ...chain.accounts.slice(0, 6),
  ...['11', '22', '33', '0a'].map((byte) => `0x${byte.repeat(20)}`),
]

const word = (hex: string): bigint | undefined => (hex.length >= 66 ? BigInt(hex.slice(0, 66)) : undefined)

export async function layGround(chain: SandboxEvm): Promise<Ground> {
  const pool = createRpcPool(chain.url)
  const extra = Object.keys(CODES).map((byte) => `0x${byte.repeat(20)}`)
  for (const [at, code] of Object.values(CODES).entries()) await pool.rpc('', 'anvil_setCode', [extra[at], code])
  const tokens = [...Object.values(chain.tokens), ...extra, `0x${'dd'.repeat(20)}`]
  const owners = ownersOf(chain)
  const held = new Map<string, bigint>()
  const natives = new Map<string, bigint>()
  const decimals = new Map<string, number>()
  for (const token of tokens) {
    const answer = await pool
      .rpc<string>('', 'eth_call', [{ to: token, data: '0x313ce567' }, 'latest'])
      .catch(() => '0x')
    const places = word(answer)
    if (places !== undefined && places <= 255n) decimals.set(token, Number(places))
  }
  for (const owner of owners) {
    natives.set(owner, BigInt(await pool.rpc<string>('', 'eth_getBalance', [owner, 'latest'])))
    for (const token of tokens) {
      const call = { to: token, data: `0x70a08231${owner.slice(2).padStart(64, '0')}`, gas: '0x1e8480' }
      const amount = word(await pool.rpc<string>('', 'eth_call', [call, 'latest']).catch(() => '0x'))
      if (amount !== undefined && amount > 0n) held.set(`${token} ${owner}`, amount)
    }
  }
  await pool.close()
  return { chain, tokens, owners, held, natives, decimals }
}

/** What may go wrong in one world: a node's own limits are always the same, trouble comes and goes. */
interface Weather {
  /** Share of calls that meet trouble. */
  trouble: number
  /** Longest request in hex characters that nodes take. */
  most: number
  refused: readonly ('create' | 'override')[]
}

const TROUBLES = [
  () => new UpstreamUnavailableError('no answer'),
  () => new UpstreamUnavailableError('test: no answer in time'),
  () => new UpstreamUnavailableError('read timed out'),
  () => new UpstreamUnavailableError('status 413'),
  () => new DeadlineError('test: no answer in time'),
  () => new JsonRpcError('too many requests', -32_005),
] as const

function interceptor(random: Random, weather: Weather): Interceptor {
  return ({ params }) => {
    if (random.chance(weather.trouble)) throw random.pick(TROUBLES)()
    const [call, , overrides] = params as [{ data?: string; to?: string }, string, object | undefined]
    const kind = overrides ? 'override' : call.to ? 'multicall' : 'create'
    if (kind !== 'multicall' && weather.refused.includes(kind)) throw new JsonRpcError('not authorized', -32_000)
    const size = JSON.stringify(params).length
    if (size > weather.most) throw new JsonRpcError(`request too large: ${size}`, -32_000)
    return undefined
  }
}

export interface EvmTally {
  sources: number
  numbers: number
  errors: number
}

/** A source of random limits over random tokens, asked a few times: what it answers is what the chain says. */
export async function playEvm(ground: Ground, random: Random, tally: EvmTally): Promise<void> {
  const { chain, tokens, owners } = ground
  const all = random.some(tokens, tokens.length)
  const cut = random.below(all.length)
  const list = all.slice(0, cut).map((address, at): KnownToken => {
    const text = at % 2 ? address : `0x${address.slice(2).toUpperCase()}`
    return { address: text, name: 'x', symbol: 'x', decimals: at % 19 }
  })
  const calm = random.chance(0.5)
  const refused = random.pick([[], [], ['create'], ['create', 'override']] as const)
  const weather: Weather = {
    trouble: calm ? 0 : random.pick([0.05, 0.2, 0.5]),
    // Many small calls around many gas burners are given up after a while where only Multicall3 runs.
    most: refused.length === 2 ? 1e6 : random.pick([1e6, 1e6, 9_000, 5_000]),
    refused,
  }
  // Every owner may also hold tokens of no list, which a server tells.
  const told = random.chance(0.5) ? random.some(all.slice(cut), 8) : undefined
  const limits: Partial<EvmLimits> = {
    pairsPerCall: random.pick([1, 2, 3, 7, 40, 12_000]),
    answerBytes: random.pick([24_576, 2_000, 800]),
    tokenGas: random.pick([150_000, 40_000]),
    concurrency: random.between(1, 4),
  }
  const pool = createRpcPool(chain.url, interceptor(random, weather))
  const source = createEvmBalanceSource({
    caip2Id: chain.caip2Id,
    native,
    pool: { ...pool, rpc: withDiscovery(pool.rpc, told) },
    tokens: { tokens: () => list },
    multicall: chain.multicall,
    limits,
  })
  try {
    for (let reads = random.between(1, 4); reads > 0; reads--) {
      const asked = random.some(owners, random.between(1, owners.length))
      const accounts = asked.map((id) => ({ id: random.chance(0.3) ? `0x${id.slice(2).toUpperCase()}` : id }))
      const context = { signal: new AbortController().signal, deadline: Date.now() + 20_000 }
      const outcomes = await source.readBalances(accounts, context).catch((error: unknown) => {
        if (calm) throw error
        return new Map<string, never>()
      })
      for (const { id } of accounts) {
        const outcome = outcomes.get(id)
        if (!outcome?.ok) {
          if (calm) throw new Error(`no number for ${id}: ${outcome?.error}`)
          tally.errors += 1
          continue
        }
        const { native: wei, tokens: shown } = outcome.value
        compare(ground, id.toLowerCase(), [...list, ...unlisted(ground, told)], wei, shown)
        tally.numbers += 1
      }
    }
    tally.sources += 1
  } finally {
    await pool.close()
  }
}

/** A server that tells of tokens that are on no list; without any to tell it does not know the method. */
export const withDiscovery =
  (rpc: ReturnType<typeof createRpcPool>['rpc'], told: readonly string[] | undefined): typeof rpc =>
  async <T>(path: string, method: string, params: unknown, options?: CallOptions): Promise<T> => {
    if (method !== 'alchemy_getTokenBalances') return rpc<T>(path, method, params, options)
    if (!told) throw new JsonRpcError('method not found', -32_601)
    return { tokenBalances: told.map((contractAddress) => ({ contractAddress, tokenBalance: '0x1' })) } as T
  }

/** Without decimals an amount says nothing: such a token is not shown. */
const unlisted = ({ decimals }: Ground, told: readonly string[] = []) =>
  told.flatMap((address) => {
    const places = decimals.get(address)
    return places === undefined ? [] : [{ address, decimals: places }]
  })

function compare(
  ground: Ground,
  owner: string,
  list: readonly { address: string; decimals: number }[],
  wei: bigint,
  shown: readonly { address: string; balance: bigint; decimals: number }[],
): void {
  const told = (address: string, decimals: number): string =>
    DEAR.some((byte) => address === `0x${byte.repeat(20)}`) ? 'as it or its list says' : String(decimals)
  const expected = list
    .map(({ address, decimals }) => ({ address: address.toLowerCase(), decimals }))
    .sort((a, b) => (a.address < b.address ? -1 : 1))
    .flatMap(({ address, decimals }) => {
      const balance = ground.held.get(`${address} ${owner}`)
      return balance === undefined
        ? []
        : [`${address} ${balance} ${told(address, ground.decimals.get(address) ?? decimals)}`]
    })
  const got = shown.map(({ address, balance, decimals }) => `${address} ${balance} ${told(address, decimals)}`)
  if (got.join() !== expected.join() || wei !== ground.natives.get(owner))
    throw new Error(
      `${owner}: ${wei} and ${got.join('; ')}\nwhere the chain says ${ground.natives.get(owner)} and ${expected.join('; ')}`,
    )
}
