import { writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { createApp } from '../../src/app.ts'
import { type Config, createConfig, type Partially } from '../../src/config/index.ts'
import { createMarket } from '../../src/wiring/market.ts'
import { createStage } from '../support/server/stage.ts'
import { eventually } from '../support/waiting/eventually.ts'

const stage = createStage()
afterEach(() => stage.clear())

const CHAIN = 'eip155:7001'
const ADDRESS = `0x${'ab'.repeat(20)}`
const token = { chainId: 7001, address: ADDRESS, name: 'Own', symbol: 'OWN', decimals: 6 }
const list = JSON.stringify({ name: 'Own', tokens: [token] })

/** What a server with these settings knows of tokens. */
async function marketOf(settings: Partially<Config['market']>) {
  const config = createConfig({
    dataDir: stage.folder(),
    market: { prices: { provider: 'none' }, defaultTokenLists: [], ...settings },
    chains: { catalogue: false },
  })
  const market = createMarket(config, { logger: pino({ level: 'silent' }), pool: {} })
  onTestFinished(() => market.close())
  await market.start()
  return market
}

it('a file that is named and not there is a line of the log at the start: prices, and keys of tokens', async () => {
  const missing = join(stage.folder(), 'misspelt.json')
  const lines: Record<string, unknown>[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const config = createConfig({
    dataDir: stage.folder(),
    http: { port: 0, shutdownDelayMs: 0 },
    balance: { appCheck: { mode: 'jwt', jwks: missing } },
    market: { prices: { provider: 'file', file: missing }, defaultTokenLists: [] },
    chains: { catalogue: false },
  })
  const app = await createApp(config, { logger })
  onTestFinished(() => app.close())
  await app.listen()
  const told = lines.filter(({ file }) => file === missing).map(({ msg, reason }) => `${msg}: ${reason}`)
  expect(told.sort()).toEqual([
    expect.stringMatching(/^keys of tokens could not be read: .*no such file/),
    expect.stringMatching(/^price file could not be used: .*no such file/),
  ])
})

describe('settings of tokens', () => {
  it('market.verdictFile rules over lists, from the first answer on', async () => {
    const folder = stage.folder()
    const [verdictFile, own] = [join(folder, 'verdicts.json'), join(folder, 'list.json')]
    writeFileSync(verdictFile, JSON.stringify({ [CHAIN]: { [ADDRESS]: 'Malicious' } }))
    writeFileSync(own, list)
    const judged = async (settings: Partially<Config['market']>) => {
      const { lists, verdicts } = await marketOf({ defaultTokenLists: [own], ...settings })
      await eventually(async () => expect(lists.find(CHAIN, ADDRESS)).toBeDefined())
      return verdicts.judge(CHAIN, token)
    }
    expect(await judged({})).toEqual({ scanResult: 'Benign', trusted: true })
    expect(await judged({ verdictFile })).toEqual({ scanResult: 'Malicious', trusted: false })
  })

  it('market.tokenListDir has lists that need no network', async () => {
    const tokenListDir = join(stage.folder(), 'lists')
    await mkdir(tokenListDir)
    writeFileSync(join(tokenListDir, 'own.json'), list)
    const { lists } = await marketOf({ tokenListDir })
    expect(lists.find(CHAIN, ADDRESS)).toMatchObject({ symbol: 'OWN', decimals: 6 })
  })

  it('market.tokenListRefreshMs says when a list is fetched again, 0 that it is not', async () => {
    const host = await stage.upstream({ handle: () => ({ body: list }) })
    const other = await stage.upstream({ handle: () => ({ body: list }) })
    await marketOf({ defaultTokenLists: [`${host.url}/list.json`], tokenListRefreshMs: 100 })
    await marketOf({ defaultTokenLists: [`${other.url}/list.json`], tokenListRefreshMs: 0 })
    await eventually(async () => expect(host.stats.requests).toBeGreaterThan(3))
    await sleep(100)
    expect(other.stats.requests).toBe(1)
  })
})
