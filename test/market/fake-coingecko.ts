import type { IncomingMessage } from 'node:http'
import { type FaultServer, startFaultServer } from '../support/upstream/fault-server.ts'

interface Coin {
  usd: number
  change?: number
  /** When it was last traded, seconds since 1970; left out = now, null = nobody knows. */
  updatedAt?: number | null
}

export interface FakeCoingecko {
  server: FaultServer
  /** Prices in usd and change in percent, by coin id, and by `platform/address`. */
  coins: Record<string, Coin>
  contracts: Record<string, Coin>
  /** Units for one usd; a currency that is not here is not answered. */
  rates: Record<string, number>
  /** Units for one bitcoin in `/exchange_rates`. */
  table: Record<string, number>
  /** Rows of `/coins/list`; undefined = 404. */
  list: unknown[] | undefined
  /** Addresses allowed per call. */
  allowed: number
  /** Answered to every question, with this status; a text as it is. */
  instead: unknown
  insteadStatus: number
  /** Answer addresses in upper case. */
  upperCase: boolean
  /** What its clock says; undefined = what ours says. */
  date: string | undefined
  headers: IncomingMessage['headers'][]
  /** Paths without their query, in order. */
  paths(): string[]
}

const rowOf = (coin: Coin, words: string[], rates: Record<string, number>) =>
  Object.fromEntries(
    words.flatMap((word) => {
      const rate = rates[word]
      return rate === undefined
        ? []
        : [
            [word, coin.usd * rate],
            [`${word}_24h_change`, coin.change ?? null],
          ]
    }),
  )

const updateOf = ({ updatedAt }: Coin) => ({
  last_updated_at: updatedAt === undefined ? Math.floor(Date.now() / 1_000) : updatedAt,
})

const limitBody = (allowed: number) => ({
  timestamp: '2026-11-24T09:07:15.816+00:00',
  error_code: 10012,
  status: {
    error_message: `Number of contract addresses in the request exceeds the allowed limit (${allowed} addresses).`,
  },
})

/** A price provider on 127.0.0.1 with the answers of CoinGecko's public API. */
export const startFakeCoingecko = async (): Promise<FakeCoingecko> => {
  const seen: string[] = []
  const answer = (url: URL): { status?: number; body: unknown } => {
    const words = (url.searchParams.get('vs_currencies') ?? '').split(',')
    const tellsUpdate = url.searchParams.get('include_last_updated_at') === 'true'
    const price = (names: string[], table: Record<string, Coin>, prefix = '') =>
      Object.fromEntries(
        names.flatMap((name) => {
          const coin = table[prefix + name]
          if (coin === undefined) return []
          return [[name, { ...rowOf(coin, words, fake.rates), ...(tellsUpdate && updateOf(coin)) }]]
        }),
      )
    if (url.pathname === '/simple/price')
      return { body: price((url.searchParams.get('ids') ?? '').split(','), fake.coins) }
    const platform = /^\/simple\/token_price\/(.+)$/.exec(url.pathname)?.[1]
    if (platform !== undefined) {
      const addresses = (url.searchParams.get('contract_addresses') ?? '').split(',')
      if (addresses.length > fake.allowed) return { status: 400, body: limitBody(fake.allowed) }
      const rows = Object.entries(price(addresses, fake.contracts, `${platform}/`))
      return {
        body: Object.fromEntries(
          rows.map(([name, row]) => [fake.upperCase ? `0x${name.slice(2).toUpperCase()}` : name, row]),
        ),
      }
    }
    if (url.pathname === '/coins/list' && fake.list !== undefined) return { body: fake.list }
    if (url.pathname === '/exchange_rates' && Object.keys(fake.table).length > 0)
      return {
        body: { rates: Object.fromEntries(Object.entries(fake.table).map(([name, value]) => [name, { value }])) },
      }
    return { status: 404, body: { error: 'Incorrect path' } }
  }
  const server = await startFaultServer({
    handle: (request) => {
      const url = new URL(request.url ?? '/', 'http://localhost')
      seen.push(url.pathname)
      fake.headers.push(request.headers)
      const { status, body } =
        fake.instead === undefined ? answer(url) : { status: fake.insteadStatus, body: fake.instead }
      const headers = { 'content-type': 'application/json', ...(fake.date !== undefined && { date: fake.date }) }
      return { status: status ?? 200, headers, body: typeof body === 'string' ? body : JSON.stringify(body) }
    },
  })
  const fake: FakeCoingecko = {
    server,
    coins: {},
    contracts: {},
    rates: { usd: 1, eur: 0.9 },
    table: {},
    list: undefined,
    allowed: 100,
    instead: undefined,
    insteadStatus: 200,
    upperCase: false,
    date: undefined,
    headers: [],
    paths: () => seen,
  }
  return fake
}
