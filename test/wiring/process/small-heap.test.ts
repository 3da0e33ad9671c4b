import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { type FirnProcess, startFirnProcess } from '../../support/programs/firn-process.ts'
import { createStage } from '../../support/server/stage.ts'
import { eventually } from '../../support/waiting/eventually.ts'

const stage = createStage()
const running: FirnProcess[] = []
afterEach(async () => {
  for (const firn of running.splice(0)) await firn.end('SIGKILL')
  await stage.clear()
})

/** Megabytes. The process alone has some 80 of them; the streams below want more than twice as many as there are. */
const HEAP = ['--max-old-space-size=160']
const STREAMS = 150
const CHAINS = 12
const ACCOUNTS = 200
const PER_ENTRY = 50
/** Nothing ends by itself: neither the machine nor the heap is in a hurry. */
const NEVER = 600_000

/** A server in a small heap over chains that take requests and answer none until `release`. */
async function serve(maxHeapPercent: number) {
  let release = (): void => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const hanging = await stage.upstream({ faults: { held, dead: true } })
  const native = { name: 'Ether', symbol: 'ETH', decimals: 18 }
  const chain = (_: unknown, at: number) => [
    91_000 + at,
    { name: `Hanging ${at}`, upstreams: [{ url: `${hanging.url}/${at}` }], native, blockTimeMs: 1_000 },
  ]
  const folder = stage.folder()
  const configFile = join(folder, 'firn.json')
  const config = {
    dataDir: folder,
    log: { level: 'silent' },
    http: { port: 0, shutdownDelayMs: 0, shutdownGraceMs: 0, maxEventLoopDelayMs: 0, maxHeapPercent },
    balance: { chainDeadlineMs: NEVER, stalledReaderMs: NEVER },
    upstream: { headersTimeoutMs: NEVER },
    market: { prices: { provider: 'none' }, defaultTokenLists: [] },
    chains: { catalogue: false, evm: Object.fromEntries(Array.from({ length: CHAINS }, chain)) },
  }
  writeFileSync(configFile, JSON.stringify(config))
  const firn = await startFirnProcess(configFile, [], HEAP)
  running.push(firn)
  return { firn, release }
}

/** A request of accounts that no other has. */
const ask = ({ url }: FirnProcess, stream: number): Promise<Response> => {
  const address = (at: number): string => `0x${(stream * ACCOUNTS + at + 1).toString(16).padStart(40, '0')}`
  const references = Array.from({ length: CHAINS }, (_, at) => String(91_000 + at))
  const data = Array.from({ length: ACCOUNTS / PER_ENTRY }, (_, entry) => {
    const addresses = Array.from({ length: PER_ENTRY }, (_, at) => address(entry * PER_ENTRY + at))
    return { namespace: 'eip155', references, addresses }
  })
  const body = JSON.stringify({ data, currency: 'usd' })
  return fetch(`${url}/v1/balance/get-balances`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  })
}

const askAll = (firn: FirnProcess): Promise<Response>[] =>
  Array.from({ length: STREAMS }, (_, stream) => ask(firn, stream))

it('streams that wait for chains that do not answer fill the heap: some are refused, all others answered whole', async () => {
  const { firn, release } = await serve(60)
  const answers = await Promise.all(askAll(firn))
  const status = async (path: string): Promise<number> => (await fetch(firn.url + path)).status
  expect([await status('/v1/live-check'), await status('/metrics')]).toEqual([200, 200])
  release()
  const texts = await Promise.all(answers.map((answer) => answer.text()))
  const refused = answers.filter((answer) => answer.status === 503)
  expect(refused.length).toBeGreaterThan(0)
  expect(refused.length).toBeLessThan(STREAMS)
  for (const answer of refused) expect(answer.headers.get('retry-after')).toMatch(/^[12]$/)
  const whole = texts.filter((_, at) => answers[at]?.status === 200)
  expect(whole.length + refused.length).toBe(STREAMS)
  for (const text of whole) expect(text.match(/^data: /gm)).toHaveLength(CHAINS * ACCOUNTS)
  await eventually(async () => {
    const again = await ask(firn, STREAMS)
    await again.text()
    expect([again.status, await status('/v1/balance/get-supported-chains')]).toEqual([200, 200])
  })
})

it('streams that wait for chains that do not answer end a process that does not look at its heap', async () => {
  const { firn } = await serve(0)
  const gone = once(firn.child, 'exit')
  void Promise.allSettled(askAll(firn))
  expect(await gone).toEqual([null, 'SIGABRT'])
})
