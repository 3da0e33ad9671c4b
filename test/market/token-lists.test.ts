import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTokenLists, type TokenListOptions, type TokenLists } from '../../src/market/index.ts'
import { type FaultServer, startFaultServer } from '../support/fault-server.ts'

const CHAIN = 'eip155:777'
const address = (index: number): string => `0x${index.toString(16).padStart(40, '0')}`
const entry = (index: number, symbol = `T${index}`, chainId = 777) => ({
  chainId,
  address: address(index),
  name: `Token ${index}`,
  symbol,
  decimals: 18,
})

let server: FaultServer
let documents: Record<string, unknown>
let seen: { path: string; etag: string | undefined; since: string | undefined; status: number }[]
let folder: string
let lists: TokenLists

const symbols = (caip2Id = CHAIN): string[] => lists.tokens(caip2Id).map((token) => token.symbol)
const url = (path: string): string => server.url + path

const open = async (options: Partial<TokenListOptions> = {}): Promise<TokenLists> => {
  lists = createTokenLists({
    sources: { [CHAIN]: [url('/a.json')] },
    cacheDir: join(folder, 'cache'),
    refreshMs: 3_600_000,
    ...options,
  })
  lists.start()
  await lists.loaded()
  return lists
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firn-lists-'))
  seen = []
  documents = { '/a.json': { tokens: [entry(2), entry(1)] } }
  server = await startFaultServer({
    handle: (request) => {
      const path = request.url ?? '/'
      const body = typeof documents[path] === 'string' ? String(documents[path]) : JSON.stringify(documents[path])
      const etag = `"${Buffer.from(body ?? '').length}-${body?.slice(-40, -1).replaceAll('"', '')}"`
      const status = documents[path] === undefined ? 404 : request.headers['if-none-match'] === etag ? 304 : 200
      seen.push({
        path,
        etag: request.headers['if-none-match'],
        since: request.headers['if-modified-since'],
        status,
      })
      const headers = { etag, 'last-modified': 'Mon, 16 Nov 2026 08:00:00 GMT' }
      return { status, headers, body: status === 200 ? body : '' }
    },
  })
})

afterEach(async () => {
  await lists.close()
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

describe('lists behind URLs', () => {
  it('are served by address, as the same array until something has changed', async () => {
    await open()
    const first = lists.tokens(CHAIN)
    expect(symbols()).toEqual(['T1', 'T2'])
    expect(lists.tokens(CHAIN)).toBe(first)
    await lists.refresh()
    expect(lists.tokens(CHAIN)).toBe(first)
    documents['/a.json'] = { tokens: [entry(3)] }
    await lists.refresh()
    expect(symbols()).toEqual(['T3'])
    expect(lists.find(CHAIN, address(3).toUpperCase().replace('0X', '0x'))?.symbol).toBe('T3')
  })

  it('keep the array of a chain for which a changed list says the same', async () => {
    documents['/a.json'] = { tokens: [entry(1), entry(9, 'X', 5)] }
    await open({ sources: {}, defaultSources: [url('/a.json')] })
    const first = lists.tokens(CHAIN)
    expect(symbols('eip155:5')).toEqual(['X'])
    documents['/a.json'] = { tokens: [entry(1), entry(9, 'Y', 5)] }
    await lists.refresh()
    expect(lists.tokens(CHAIN)).toBe(first)
    expect(symbols('eip155:5')).toEqual(['Y'])
  })

  it('never delay the start: until they are there, the built-in table is', async () => {
    server.set({ hang: 'headers' })
    lists = createTokenLists({
      sources: { 'eip155:43114': [url('/a.json')] },
      cacheDir: join(folder, 'cache'),
      refreshMs: 3_600_000,
    })
    lists.start()
    expect(lists.tokens('eip155:43114').map((token) => token.symbol)).toContain('USDC')
    expect(lists.tokens('eip155:137').map((token) => token.address)).not.toContain(`0x${'0'.repeat(36)}1010`)
    await expect.poll(() => server.stats.inFlight).toBe(1)
    await lists.close()
    await expect.poll(() => server.stats.aborts).toBe(1)
  })

  it('win in the order of the configuration, however late they arrive', async () => {
    documents = {
      '/a.json': { tokens: [entry(1, 'FIRST')] },
      '/b.json': { tokens: [entry(1, 'SECOND'), entry(2, 'SECOND')] },
      '/c.json': { tokens: [entry(1, 'THIRD'), entry(2, 'THIRD'), entry(3, 'THIRD')] },
    }
    server.set(({ path }) => (path === '/a.json' ? { latencyMs: 80 } : {}))
    await open({ sources: { [CHAIN]: [url('/a.json'), url('/b.json')] }, defaultSources: [url('/c.json')] })
    expect(symbols()).toEqual(['FIRST', 'SECOND', 'THIRD'])
  })

  it('count only for the chains that name them, and are fetched once for all of them', async () => {
    documents['/a.json'] = { tokens: [entry(1), entry(2, 'X', 5), entry(3, 'Z', 6)] }
    await open({ sources: { [CHAIN]: [url('/a.json')], 'eip155:5': [url('/a.json')] } })
    expect([symbols(), symbols('eip155:5'), symbols('eip155:6')]).toEqual([['T1'], ['X'], []])
    expect(seen).toHaveLength(1)
  })

  it('may be moved: redirects are followed, a few', async () => {
    await open()
    const other = await startFaultServer({
      handle: (request) => ({
        status: 302,
        headers: { location: request.url === '/loop' ? '/loop' : url('/a.json') },
        body: '',
      }),
    })
    await lists.close()
    await open({ sources: { [CHAIN]: [`${other.url}/list`, `${other.url}/loop`] }, cacheDir: join(folder, 'other') })
    expect(symbols()).toEqual(['T1', 'T2'])
    expect(other.stats.requests).toBe(1 + 4)
    await other.close()
  })
})

describe('kept lists', () => {
  it('are used after a restart without asking, until they are due; then an unchanged one costs a 304', async () => {
    await open()
    await lists.close()
    await open()
    expect(symbols()).toEqual(['T1', 'T2'])
    expect(seen.map((request) => request.status)).toEqual([200])
    await lists.refresh()
    expect(seen.map((request) => request.status)).toEqual([200, 304])
    expect(seen[1]?.since).toBe('Mon, 16 Nov 2026 08:00:00 GMT')
    expect(symbols()).toEqual(['T1', 'T2'])
  })

  it('that were found unchanged count as new, also after a restart', async () => {
    await open()
    const [name = ''] = await readdir(join(folder, 'cache'))
    const old = new Date(Date.now() - 86_400_000)
    await utimes(join(folder, 'cache', name), old, old)
    await lists.refresh()
    await lists.close()
    await open()
    expect(seen.map((request) => request.status)).toEqual([200, 304])
  })

  it('that are old are asked for at the start, and serve while nobody answers', async () => {
    await open()
    await lists.close()
    const [name = ''] = await readdir(join(folder, 'cache'))
    const old = new Date(Date.now() - 86_400_000)
    await utimes(join(folder, 'cache', name), old, old)
    server.set({ status: 500 })
    await open()
    expect(symbols()).toEqual(['T1', 'T2'])
    expect(lists.status()[0]).toMatchObject({ source: server.host, tokens: 2, trouble: 'answered 500' })
    server.set()
    await lists.refresh()
    expect(seen.at(-1)?.status).toBe(304)
    expect(lists.status()[0]?.trouble).toBeUndefined()
  })

  it.each([
    ['cut', (text: string) => text.slice(0, -20)],
    ['changed by one letter', (text: string) => text.replace('Token 2', 'Token 9')],
    ['without a head', () => '{"tokens":[]}'],
    ['empty', () => ''],
  ])('that are %s are thrown away and fetched anew', async (_, damage) => {
    await open()
    await lists.close()
    const [name = ''] = await readdir(join(folder, 'cache'))
    const path = join(folder, 'cache', name)
    await writeFile(path, damage(await readFile(path, 'utf8')))
    await open()
    expect(symbols()).toEqual(['T1', 'T2'])
    expect(seen.map((request) => [request.status, request.etag])).toEqual([
      [200, undefined],
      [200, undefined],
    ])
  })

  it('do not carry the URL in name or content', async () => {
    await open({ sources: { [CHAIN]: [url('/a.json?key=secret-key')] } })
    documents['/a.json?key=secret-key'] = documents['/a.json']
    await lists.refresh()
    const names = await readdir(join(folder, 'cache'))
    expect(names).toHaveLength(1)
    expect(names.join() + (await readFile(join(folder, 'cache', names[0] ?? ''), 'utf8'))).not.toContain('secret-key')
    expect(JSON.stringify(lists.status())).not.toContain('secret-key')
  })
})

describe('trouble with a list', () => {
  it.each([
    ['404', { status: 404 }],
    ['500', { status: 500 }],
    ['HTML', { html: true }],
    ['a cut answer', { truncate: true }],
    ['a dead server', { dead: true }],
  ])('%s leaves what is in force, and is reported', async (_, faults) => {
    await open()
    server.set(faults)
    documents['/a.json'] = { tokens: [entry(3)] }
    await lists.refresh()
    expect(symbols()).toEqual(['T1', 'T2'])
    expect(lists.status()[0]?.trouble).toBeTypeOf('string')
    server.set()
    await lists.refresh()
    expect(symbols()).toEqual(['T3'])
  })

  it('larger than allowed, also when packed small, is refused', async () => {
    server.set({ bombBytes: 30_000_000 })
    await open({ maxBytes: 100_000 })
    expect(symbols()).toEqual([])
    expect(lists.status()[0]?.trouble).toMatch(/larger than 100000 bytes/)
  })

  it('does not touch other lists', async () => {
    documents['/b.json'] = '<!doctype html>'
    await open({ sources: { [CHAIN]: [url('/b.json'), url('/a.json')] } })
    expect(symbols()).toEqual(['T1', 'T2'])
  })
})

describe('lists of this machine', () => {
  it('come from files and from a folder, between the own and the common lists', async () => {
    const dir = join(folder, 'lists')
    await mkdir(dir)
    const file = join(folder, 'own.json')
    await writeFile(file, JSON.stringify({ tokens: [entry(1, 'FILE')] }))
    await writeFile(join(dir, 'b.json'), JSON.stringify([entry(1, 'B'), entry(2, 'B'), entry(3, 'B')]))
    await writeFile(join(dir, 'a.json'), JSON.stringify([entry(2, 'A')]))
    await writeFile(join(dir, 'notes.txt'), 'no list')
    documents['/a.json'] = { tokens: [entry(3, 'COMMON'), entry(4, 'COMMON')] }
    await open({ sources: { [CHAIN]: [file] }, dir, defaultSources: [url('/a.json')] })
    expect(symbols()).toEqual(['FILE', 'A', 'B', 'COMMON'])
    await rm(join(dir, 'a.json'))
    await writeFile(join(dir, 'b.json'), JSON.stringify([entry(2, 'B2')]))
    await lists.refresh()
    expect(symbols()).toEqual(['FILE', 'B2', 'COMMON', 'COMMON'])
  })

  it('keep their last good content when they break, and need no folder to be there', async () => {
    const file = join(folder, 'own.json')
    await writeFile(file, JSON.stringify({ tokens: [entry(1)] }))
    await open({ sources: { [CHAIN]: [`file://${file}`] }, dir: join(folder, 'absent') })
    await writeFile(file, '{"tokens": [')
    await lists.refresh()
    expect(symbols()).toEqual(['T1'])
    expect(lists.status().map((status) => status.trouble !== undefined)).toEqual([true, true])
  })
})

it('looks again when the interval is over', async () => {
  await open({ refreshMs: 60 })
  documents['/a.json'] = { tokens: [entry(3)] }
  await expect.poll(() => symbols()).toEqual(['T3'])
})

it('keeps at most so many tokens of a chain, the ones of the first lists', async () => {
  documents['/b.json'] = { tokens: [entry(0x11), entry(0x12)] }
  await open({ sources: { [CHAIN]: [url('/b.json'), url('/a.json')] }, maxTokensPerChain: 3 })
  expect(symbols()).toEqual(['T2', 'T17', 'T18'])
})

it('marks a token of whose decimals lists disagree, whichever comes first, and within one list', async () => {
  documents['/b.json'] = { tokens: [{ ...entry(1), decimals: 6 }, { ...entry(3), decimals: 6 }, entry(3)] }
  await open({ sources: { [CHAIN]: [url('/a.json'), url('/b.json')] } })
  const marked = () => lists.tokens(CHAIN).map(({ symbol, decimalsDisputed = false }) => [symbol, decimalsDisputed])
  expect(marked()).toEqual([
    ['T1', true],
    ['T2', false],
    ['T3', true],
  ])
  expect(lists.find(CHAIN, lists.tokens(CHAIN)[0]?.address ?? '')?.decimals).toBe(entry(1).decimals)
  documents['/b.json'] = { tokens: [entry(2)] }
  await lists.refresh()
  expect(marked()).toEqual([
    ['T1', false],
    ['T2', false],
  ])
})

it('keeps a list whose server suddenly has no tokens, and says so', async () => {
  await open({})
  expect(symbols()).toEqual(['T1', 'T2'])
  for (const nothing of [{ tokens: [] }, [], { tokens: [{ broken: true }] }]) {
    documents['/a.json'] = nothing
    await lists.refresh()
    expect(symbols()).toEqual(['T1', 'T2'])
    expect(lists.status()[0]?.trouble).toBe('has lost all its tokens')
  }
  documents['/a.json'] = { tokens: [entry(1)] }
  await lists.refresh()
  expect(symbols()).toEqual(['T1'])
  expect(lists.status()[0]?.trouble).toBeUndefined()
})
