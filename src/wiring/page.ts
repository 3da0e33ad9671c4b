import type { FastifyInstance } from 'fastify'
import { APP_CHECK_HEADER } from '../api/balance/app-check.ts'
import { type PageChain, type PageFacts, type PageIndex, type PageStream, pageApi } from '../api/page/index.ts'
import type { Chains } from '../chains/index.ts'
import type { Config } from '../config/index.ts'
import { DeadlineError } from '../errors.ts'
import { AVALANCHE_REFERENCES, BITCOIN_REFERENCES, SOLANA_REFERENCES } from '../facts/caip.ts'
import { CURRENCIES } from '../facts/currencies.ts'
import { type ChainLetter, SIDES, type Side } from '../facts/primary-network.ts'
import { PUBLIC_NETWORKS } from '../facts/public-networks.ts'
import type { Indexer, IndexerStatus } from '../indexer/index.ts'
import { steadyNow } from '../lib/steady-clock.ts'
import { inTime } from '../lib/waiting/in-time.ts'
import { indexAge, type Store } from '../store/index.ts'
import type { IndexIdentities } from './indexed/indexed-networks.ts'

/** Open pages poll; the database is read at most this often. Milliseconds. */
const PROGRESS_MS = 2_000
/** A database that is opening or busy must not leave people waiting without an answer. */
const DATABASE_MS = 3_000

export interface PageDeps {
  chains: Chains
  identities: IndexIdentities
  /** Undefined if nothing is indexed. */
  store: Store | undefined
  /** Left out if another process indexes. */
  indexer: Indexer | undefined
}

/** The page for people, with what it needs to know about the configuration and the index. */
export async function wirePage(app: FastifyInstance, config: Config, deps: PageDeps): Promise<void> {
  if (!config.page.enabled) return
  await app.register(pageApi, {
    facts: () => pageFacts(config, deps),
    index: createIndexReport(deps),
  })
}

function pageFacts(config: Config, { chains, identities }: PageDeps): PageFacts {
  const known = chainsOf(config)
  const prefixes = (side: Side): string[] => {
    const own = [config.chains.avalanche[side]?.hrp, identities.known(side)?.hrp]
    return [...new Set([PUBLIC_NETWORKS[side].hrp, ...own.filter((hrp) => hrp !== undefined)])]
  }
  return {
    chains: known.filter(({ caip2Id }) => chains.byId.has(caip2Id)),
    currencies: CURRENCIES,
    prefixes: { mainnet: prefixes('mainnet'), testnet: prefixes('testnet') },
    blockchains: blockchainNames(identities),
    ...(config.balance.appCheck.mode === 'off' ? {} : { credentialHeader: APP_CHECK_HEADER }),
  }
}

interface Named {
  name: string
  explorer?: string | undefined
}

const explorerOf = ({ explorer }: Pick<Named, 'explorer'>) => (explorer === undefined ? {} : { explorer })

/** Every configured chain: P, X and C first, as they belong together. */
function chainsOf({ chains: { avalanche, bitcoin, evm, solana } }: Config): PageChain[] {
  const native = SIDES.flatMap((side): PageChain[] => {
    const network = avalanche[side]
    if (!network) return []
    const { pvm, avm, coreth } = AVALANCHE_REFERENCES[side]
    const chain = (letter: ChainLetter, reference: string, name: string): PageChain => ({
      caip2Id: `avax:${reference}`,
      name: `${network.name} ${name}`,
      testnet: side === 'testnet',
      letter,
      ...explorerOf(network),
    })
    return [chain('P', pvm, 'P-Chain'), chain('X', avm, 'X-Chain'), chain('C', coreth, 'C-Chain shared memory')]
  })
  const named = (namespace: string, entries: Record<string, Named>, isTest: (id: string) => boolean) =>
    Object.entries(entries).map(([id, chain]) => ({
      caip2Id: `${namespace}:${id}`,
      name: chain.name,
      testnet: isTest(id),
      ...explorerOf(chain),
    }))
  return [
    ...native,
    ...named('eip155', evm, (id) => evm[id]?.testnet === true),
    ...named('bip122', bitcoin, (id) => id !== BITCOIN_REFERENCES.mainnet),
    ...named('solana', solana, (id) => id !== SOLANA_REFERENCES.mainnet),
  ]
}

const blockchainNames = ({ known }: IndexIdentities): Record<string, string> =>
  Object.fromEntries(
    SIDES.flatMap((side) =>
      Object.entries(known(side)?.blockchainIds ?? {}).map(([letter, id]) => [id, `${letter}-Chain`]),
    ),
  )

/** Progress of the index: from the indexer in this process, else from the database. */
function createIndexReport({ store, indexer }: PageDeps): () => Promise<PageIndex> {
  if (!store) return async () => ({ enabled: false, streams: [] })
  let reading: { at: number; result: Promise<PageStream[]> } | undefined
  return async () => {
    // Only the writer knows rate and tip; a stand-by reads the same database as everybody else.
    const own = indexer?.status()
    if (own?.role === 'leading') return ownProgress(own)
    const now = steadyNow()
    if (!reading || now - reading.at > PROGRESS_MS)
      reading = { at: now, result: inTime(storedProgress(store), DATABASE_MS, silentDatabase) }
    return { enabled: true, role: own?.role ?? 'elsewhere', streams: await reading.result }
  }
}

function ownProgress({ role, streams }: IndexerStatus): PageIndex {
  return {
    enabled: true,
    role,
    streams: streams.map(({ name, phase, height, tip, blocksPerSecond, etaSeconds, freshAtMs, stalled, failures }) => ({
      name,
      phase,
      ...decimal('height', height),
      ...decimal('tip', tip),
      blocksPerSecond,
      ...(etaSeconds === undefined ? {} : { etaSeconds }),
      ...(freshAtMs === undefined ? {} : { ageSeconds: secondsSince(freshAtMs) }),
      stalled,
      failures,
    })),
  }
}

function silentDatabase(): never {
  throw new DeadlineError(`the database did not answer within ${DATABASE_MS} ms`)
}

async function storedProgress(store: Store): Promise<PageStream[]> {
  const progress = await store.reader.progress()
  return progress.map((one): PageStream => {
    const age = indexAge(one, Date.now())
    return {
      name: one.stream,
      ...decimal('height', age?.height),
      ...(age && !age.disowned ? { ageSeconds: Math.round(age.ageMs / 1000) } : {}),
    }
  })
}

const decimal = <K extends 'height' | 'tip'>(name: K, value: bigint | undefined): Partial<Record<K, string>> =>
  value === undefined ? {} : ({ [name]: value.toString() } as Record<K, string>)

const secondsSince = (ms: number): number => Math.max(0, Math.round((Date.now() - ms) / 1000))
