import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startFaultServer } from '../../support/upstream/fault-server.ts'
import { address, CHAIN, entry, useTokenLists } from '../token-list-stage.ts'

const { begin, open, stage, symbols, url } = useTokenLists()

describe('lists behind URLs', () => {
  it('are served by address, as the same array until something has changed', async () => {
    await open()
    const first = stage.lists.tokens(CHAIN)
    expect(symbols()).toEqual(['T1', 'T2'])
    expect(stage.lists.tokens(CHAIN)).toBe(first)
    await stage.lists.refresh()
    expect(stage.lists.tokens(CHAIN)).toBe(first)
    stage.documents['/a.json'] = { tokens: [entry(3)] }
    await stage.lists.refresh()
    expect(symbols()).toEqual(['T3'])
    expect(stage.lists.find(CHAIN, address(3).toUpperCase().replace('0X', '0x'))?.symbol).toBe('T3')
  })

  it('keep the array of a chain for which a changed list says the same', async () => {
    stage.documents['/a.json'] = { tokens: [entry(1), entry(9, 'X', 5)] }
    await open({ sources: {}, defaultSources: [url('/a.json')] })
    const first = stage.lists.tokens(CHAIN)
    expect(symbols('eip155:5')).toEqual(['X'])
    stage.documents['/a.json'] = { tokens: [entry(1), entry(9, 'Y', 5)] }
    await stage.lists.refresh()
    expect(stage.lists.tokens(CHAIN)).toBe(first)
    expect(symbols('eip155:5')).toEqual(['Y'])
  })

  it('never delay the start: until they are there, the built-in table is', async () => {
    stage.server.set({ hang: 'headers' })
    begin({ sources: { 'eip155:43114': [url('/a.json')] } })
    expect(stage.lists.tokens('eip155:43114').map((token) => token.symbol)).toContain('USDC')
    expect(stage.lists.tokens('eip155:137').map((token) => token.address)).not.toContain(`0x${'0'.repeat(36)}1010`)
    await expect.poll(() => stage.server.stats.inFlight).toBe(1)
    await stage.lists.close()
    await expect.poll(() => stage.server.stats.aborts).toBe(1)
  })

  it('win in the order of the configuration, however late they arrive', async () => {
    stage.documents = {
      '/a.json': { tokens: [entry(1, 'FIRST')] },
      '/b.json': { tokens: [entry(1, 'SECOND'), entry(2, 'SECOND')] },
      '/c.json': { tokens: [entry(1, 'THIRD'), entry(2, 'THIRD'), entry(3, 'THIRD')] },
    }
    stage.server.set(({ path }) => (path === '/a.json' ? { latencyMs: 80 } : {}))
    await open({ sources: { [CHAIN]: [url('/a.json'), url('/b.json')] }, defaultSources: [url('/c.json')] })
    expect(symbols()).toEqual(['FIRST', 'SECOND', 'THIRD'])
  })

  it('count only for the chains that name them, and are fetched once for all of them', async () => {
    stage.documents['/a.json'] = { tokens: [entry(1), entry(2, 'X', 5), entry(3, 'Z', 6)] }
    await open({ sources: { [CHAIN]: [url('/a.json')], 'eip155:5': [url('/a.json')] } })
    expect([symbols(), symbols('eip155:5'), symbols('eip155:6')]).toEqual([['T1'], ['X'], []])
    expect(stage.seen).toHaveLength(1)
  })

  it('have entries without a chain number where one chain alone names them', async () => {
    const bare = (index: number) => ({ ...entry(index), chainId: undefined })
    stage.documents = { '/a.json': [bare(1)], '/b.json': [bare(2)], '/c.json': [bare(3)] }
    const own = { [CHAIN]: [url('/a.json'), url('/b.json'), url('/c.json')], 'eip155:5': [url('/b.json')] }
    await open({ sources: own, defaultSources: [url('/c.json')] })
    expect([symbols(), symbols('eip155:5')]).toEqual([['T1'], []])
  })

  it('are those of before once they can be read again, while their server is away', async () => {
    await open()
    await stage.lists.close()
    const cache = join(stage.folder, 'cache')
    await rename(cache, `${cache}.away`)
    stage.documents = {}
    await open()
    expect(symbols()).toEqual([])
    await rename(`${cache}.away`, cache)
    await stage.lists.refresh()
    expect(symbols()).toEqual(['T1', 'T2'])
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
    await stage.lists.close()
    await open({
      sources: { [CHAIN]: [`${other.url}/list`, `${other.url}/loop`] },
      cacheDir: join(stage.folder, 'other'),
    })
    expect(symbols()).toEqual(['T1', 'T2'])
    expect(other.stats.requests).toBe(1 + 4)
    await other.close()
  })
})

describe('lists of this machine', () => {
  it('come from files and from a stage.folder, between the own and the common lists', async () => {
    const dir = join(stage.folder, 'lists')
    await mkdir(dir)
    const file = join(stage.folder, 'own.json')
    await writeFile(file, JSON.stringify({ tokens: [entry(1, 'FILE')] }))
    await writeFile(join(dir, 'b.json'), JSON.stringify([entry(1, 'B'), entry(2, 'B'), entry(3, 'B')]))
    await writeFile(join(dir, 'a.json'), JSON.stringify([entry(2, 'A')]))
    await writeFile(join(dir, 'notes.txt'), 'no list')
    stage.documents['/a.json'] = { tokens: [entry(3, 'COMMON'), entry(4, 'COMMON')] }
    await open({ sources: { [CHAIN]: [file] }, dir, defaultSources: [url('/a.json')] })
    expect(symbols()).toEqual(['FILE', 'A', 'B', 'COMMON'])
    await rm(join(dir, 'a.json'))
    await writeFile(join(dir, 'b.json'), JSON.stringify([entry(2, 'B2')]))
    await stage.lists.refresh()
    expect(symbols()).toEqual(['FILE', 'B2', 'COMMON', 'COMMON'])
  })

  it.each([
    ['as it is', (path: string) => `file://${path}`],
    ['as URLs write it', (path: string) => `file://${encodeURI(path)}`],
  ])('are found where a file: URL has a blank, or a letter that is no ASCII, %s', async (_how, urlOf) => {
    const file = join(stage.folder, 'own lists ü.json')
    await writeFile(file, JSON.stringify({ tokens: [entry(1)] }))
    await open({ sources: { [CHAIN]: [urlOf(file)] } })
    expect(symbols()).toEqual(['T1'])
  })

  it('keep their last good content when they break, and need no folder to be there', async () => {
    const file = join(stage.folder, 'own.json')
    await writeFile(file, JSON.stringify({ tokens: [entry(1)] }))
    await open({ sources: { [CHAIN]: [`file://${file}`] }, dir: join(stage.folder, 'absent') })
    await writeFile(file, '{"tokens": [')
    await stage.lists.refresh()
    expect(symbols()).toEqual(['T1'])
    expect(stage.lists.status().map((status) => status.trouble !== undefined)).toEqual([true, true])
  })
})

it('a folder that cannot be read is told once, and again when it fails anew', async () => {
  const dir = join(stage.folder, 'lists')
  const warn = vi.fn()
  await open({ dir, log: { warn, debug: () => undefined } })
  await stage.lists.refresh()
  expect(warn).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ dir }), expect.stringContaining('folder'))
  await mkdir(dir)
  await stage.lists.refresh()
  await rm(dir, { recursive: true })
  await stage.lists.refresh()
  expect(warn).toHaveBeenCalledTimes(2)
})

describe('lists of chains that come later', () => {
  it('are there at once where they are at hand, then fetched and kept fresh as the others are', async () => {
    stage.documents['/new.json'] = { tokens: [entry(7, 'NEW', 5)] }
    const file = join(stage.folder, 'own.json')
    await writeFile(file, JSON.stringify({ tokens: [entry(8, 'FILE', 5)] }))
    await open({ refreshMs: 300 })
    await stage.lists.add({ 'eip155:5': [url('/new.json'), file, url('/a.json')], [CHAIN]: [url('/new.json')] })
    expect(symbols('eip155:5')).toContain('FILE')
    await expect.poll(() => symbols('eip155:5')).toEqual(['NEW', 'FILE'])
    // A chain that has lists keeps them.
    expect(symbols()).toEqual(['T1', 'T2'])
    stage.documents['/new.json'] = { tokens: [entry(9, 'NEWER', 5)] }
    stage.documents['/a.json'] = { tokens: [entry(3)] }
    await expect.poll(() => [symbols('eip155:5'), symbols()]).toEqual([['FILE', 'NEWER'], ['T3']])
  })

  it('have the tokens of a list that others have read before, beside those of the built-in table', async () => {
    stage.documents['/a.json'] = { tokens: [entry(1), entry(2, 'X', 5), entry(3, 'Z', 43114)] }
    await open({ sources: { [CHAIN]: [url('/a.json')], 'eip155:5': [url('/a.json')] } })
    expect(symbols('eip155:43114')).not.toContain('Z')
    await stage.lists.add({ 'eip155:43114': [url('/a.json')] })
    expect(symbols('eip155:43114')).toContain('Z')
  })

  it('do not have the others asked for a second time while these are awaited', async () => {
    stage.server.set({ hang: 'headers' })
    begin()
    await expect.poll(() => stage.server.stats.inFlight).toBe(1)
    await stage.lists.add({ 'eip155:5': [join(stage.folder, 'own.json')] })
    // Longer than the shortest pause between two looks at what is due.
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(stage.server.stats.inFlight).toBe(1)
  })

  it('are asked for once, and also where there were none before', async () => {
    stage.server.set({ latencyMs: 200 })
    await open({ sources: {} })
    await stage.lists.add({ [CHAIN]: [url('/a.json')] })
    await stage.lists.add({ 'eip155:5': [url('/a.json')] })
    await expect.poll(() => symbols()).toEqual(['T1', 'T2'])
    expect(stage.seen).toHaveLength(1)
  })
})

it('looks again when the interval is over', async () => {
  await open({ refreshMs: 60 })
  stage.documents['/a.json'] = { tokens: [entry(3)] }
  await expect.poll(() => symbols()).toEqual(['T3'])
})

it('looks again when the interval is over, also behind a clock that is set back', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
  onTestFinished(() => void vi.useRealTimers())
  const file = join(stage.folder, 'own.json')
  await writeFile(file, JSON.stringify({ tokens: [entry(4)] }))
  await open({ refreshMs: 60, sources: { [CHAIN]: [url('/a.json'), file] } })
  vi.useRealTimers()
  stage.documents['/a.json'] = { tokens: [entry(3)] }
  await writeFile(file, JSON.stringify({ tokens: [entry(5)] }))
  await expect.poll(() => symbols()).toEqual(['T3', 'T5'])
})

it('keeps at most so many tokens of a chain, the ones of the first lists', async () => {
  stage.documents['/b.json'] = { tokens: [entry(0x11), entry(0x12)] }
  await open({ sources: { [CHAIN]: [url('/b.json'), url('/a.json')] }, maxTokensPerChain: 3 })
  expect(symbols()).toEqual(['T2', 'T17', 'T18'])
})
