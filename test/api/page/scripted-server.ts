import Fastify from 'fastify'
import { type PageFacts, type PageIndex, pageApi } from '../../../src/api/page/index.ts'

export const EVM_A = 'eip155:1'
export const EVM_B = 'eip155:2'
export const ACCOUNT = '0x1111111111111111111111111111111111111111'

export interface Asked {
  body: { data: { references: string[]; addresses?: string[] }[]; currency: string; showUntrustedTokens: boolean }
  headers: Record<string, string | string[] | undefined>
  send(item: object): void
  end(): void
  refuse(status: number, body: object, headers?: Record<string, string>): void
}

/** The page over a balance API whose every answer a test decides. */
export async function startScriptedServer(facts: Partial<PageFacts> = {}) {
  const app = Fastify({ forceCloseConnections: true })
  let index: PageIndex = { enabled: false, streams: [] }
  let answer: (asked: Asked) => void = ({ end }) => end()
  await app.register(pageApi, {
    facts: () => ({
      chains: [
        { caip2Id: EVM_A, name: 'Alpha Chain', testnet: false },
        { caip2Id: EVM_B, name: 'Beta', testnet: false },
        { caip2Id: 'eip155:3', name: 'Alpha Test', testnet: true },
      ],
      currencies: ['usd', 'eur'],
      prefixes: { mainnet: ['avax'], testnet: ['fuji'] },
      blockchains: { pid: 'P-Chain' },
      ...facts,
    }),
    index: async () => index,
  })
  app.post('/v1/balance/get-balances', (request, reply) => {
    reply.hijack()
    const { raw } = reply
    const start = (): void => {
      if (!raw.headersSent) raw.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    }
    answer({
      body: request.body as Asked['body'],
      headers: request.headers,
      send(item) {
        start()
        raw.write(`: ping\n\ndata: ${JSON.stringify(item)}\n\n`)
      },
      end() {
        start()
        raw.end()
      },
      refuse: (status, body, headers = {}) =>
        raw.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body)),
    })
  })
  const url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/`
  return {
    url,
    onAsk(next: typeof answer) {
      answer = next
    },
    setIndex(next: PageIndex) {
      index = next
    },
    close: () => app.close(),
  }
}

/** An EVM account with one native coin at 2 in the currency, a day ago at 1, and tokens. */
export const evmItem = (caip2Id: string, coins: number, erc20TokenBalances: object[] = []) => ({
  caip2Id,
  networkType: 'evm',
  id: ACCOUNT,
  balances: {
    nativeTokenBalance: {
      name: 'Coin',
      symbol: 'COIN',
      type: 'native',
      decimals: 18,
      balance: `${BigInt(coins) * 10n ** 18n}`,
      price: 2,
      priceChange24h: 1,
      priceChangePercentage24h: 100,
      balanceInCurrency: coins * 2,
    },
    totalBalanceInCurrency: coins * 2,
    erc20TokenBalances,
  },
  currency: 'usd',
  error: null,
})
