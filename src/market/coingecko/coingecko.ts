import { BadAnswerError } from '../../errors.ts'
import { SOLANA_REFERENCES } from '../../facts/caip.ts'
import { type MarketLog, silentLog } from '../market-log.ts'
import { fillCurrencies } from '../prices/exchange-rates.ts'
import type { PriceRequest, PriceSource } from '../prices/price-source.ts'
import { addressKey, isNativeKey, type PriceKey } from '../prices/prices.ts'
import { createCoinIndex } from './coin-index.ts'
import { type CoingeckoAccess, createCoingeckoClient, refusalOf } from './coingecko-client.ts'
import { createContractReader } from './coingecko-contracts.ts'
import { createCoingeckoRates } from './coingecko-rates.ts'
import { type PriceRow, priceQuery, quotesOf, rowsOf } from './coingecko-rows.ts'

export interface CoingeckoOptions extends CoingeckoAccess {
  /** CAIP-2 chain to the provider's asset platform, for example `eip155:43114` → `avalanche`. */
  platforms: Readonly<Record<string, string>>
  /** Where the coin list is stored across restarts; left out = memory only. */
  coinListFile?: string
  log?: MarketLog
}

/** Ids per call of `simple/price`, which keeps the URL below 4 kB. */
const IDS_PER_CALL = 150
/** Addresses per call of `simple/token_price`. Lowered to what the provider says it allows, and raised again. */
const CONTRACTS_PER_CALL = 100
/** Calls of `simple/token_price` per read; the remaining tokens wait for the next read. */
const CALLS_PER_READ = 20

/** Platforms that need no configuration. */
const KNOWN_PLATFORMS: Readonly<Record<string, string>> = { [`solana:${SOLANA_REFERENCES.mainnet}`]: 'solana' }

/** Keys by the name (coin id, contract) that the provider uses in its answer. */
type Names = Map<string, PriceKey[]>

const addTo = (names: Names, name: string, key: PriceKey): void => {
  const keys = names.get(name)
  if (keys) keys.push(key)
  else names.set(name, [key])
}

/**
 * CoinGecko: natives by id with `simple/price`; tokens also by id if the coin list has their contract, since keyless access
 * allows one contract per call, else with `simple/token_price/{platform}`. Keyless access works; a demo or a pro key goes
 * into its header.
 */
export const createCoingeckoSource = (options: CoingeckoOptions): PriceSource => {
  const client = createCoingeckoClient(options)
  const platforms = { ...KNOWN_PLATFORMS, ...options.platforms }
  const rates = createCoingeckoRates(client)
  const readContracts = createContractReader(client, CONTRACTS_PER_CALL)
  const coins = createCoinIndex({
    client,
    platforms: new Set(Object.values(platforms)),
    log: options.log ?? silentLog,
    ...(options.coinListFile === undefined ? {} : { file: options.coinListFile }),
  })

  const deliver = async (
    names: Names,
    asked: readonly string[],
    rows: ReadonlyMap<string, PriceRow>,
    { currencies, take, signal }: PriceRequest,
  ): Promise<void> => {
    const answers = asked.map((name) => {
      const { row, untraded = false } = rows.get(name) ?? {}
      return { name, quotes: quotesOf(row, currencies), untraded }
    })
    const things = answers.flatMap(({ quotes, untraded }) => (untraded ? [] : [quotes]))
    const fx = await rates(things, currencies, signal)
    for (const { name, quotes, untraded } of answers)
      for (const key of names.get(name) ?? []) {
        // Only tokens can be dead: the operator has named the coin of a served chain.
        const dead = untraded && !isNativeKey(key)
        take(key, dead ? {} : fillCurrencies(quotes, currencies, fx))
      }
  }

  const readIds = async (names: Names, request: PriceRequest): Promise<void> => {
    const ids = [...names.keys()].sort()
    while (ids.length > 0) {
      const asked = ids.splice(0, IDS_PER_CALL)
      const path = `/simple/price?ids=${asked.map(encodeURIComponent).join(',')}&${priceQuery(request.currencies)}`
      const answer = await client.get(path, request.signal)
      if ('list' in answer) throw new BadAnswerError('price provider sent a list of prices')
      if (!('ok' in answer)) throw refusalOf(answer)
      await deliver(names, asked, rowsOf(answer, asked), request)
    }
  }

  const platformOf = (key: PriceKey): string | undefined => (isNativeKey(key) ? undefined : platforms[key.caip2Id])

  const sortOut = (request: PriceRequest, indexed: boolean) => {
    const byId: Names = new Map()
    const byPlatform = new Map<string, Names>()
    for (const key of request.keys) {
      const platform = platformOf(key)
      const id = isNativeKey(key) ? key.priceId : platform && coins.idOf(platform, key.address)
      if (id !== undefined && id !== '') addTo(byId, id, key)
      else if (isNativeKey(key) || platform === undefined || indexed) request.take(key, {})
      else {
        const names = byPlatform.get(platform) ?? new Map()
        byPlatform.set(platform, names)
        addTo(names, addressKey(key.address), key)
      }
    }
    return { byId, byPlatform }
  }

  return {
    names: (key) => (isNativeKey(key) ? Boolean(key.priceId) : platformOf(key) !== undefined),
    async read(request) {
      // The list of all coins is megabytes, and the first prices wait for it.
      const isListed = request.keys.some((key) => platformOf(key) !== undefined)
      const indexed = isListed && (await coins.ready(request.signal))
      const { byId, byPlatform } = sortOut(request, indexed)
      await readIds(byId, request)
      const budget = { calls: CALLS_PER_READ }
      for (const [platform, names] of byPlatform)
        await readContracts(platform, [...names.keys()].sort(), request, budget, (asked, rows) =>
          deliver(names, asked, rows, request),
        )
    },
  }
}
