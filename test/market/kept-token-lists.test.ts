import { readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CHAIN, entry, useTokenLists } from './token-list-stage.ts'

const { begin, open, stage, symbols, url } = useTokenLists()

describe('kept lists', () => {
  it('are used after a restart without asking, until they are due; then an unchanged one costs a 304', async () => {
    await open()
    await stage.lists.close()
    await open()
    expect(symbols()).toEqual(['T1', 'T2'])
    expect(stage.seen.map((request) => request.status)).toEqual([200])
    await stage.lists.refresh()
    expect(stage.seen.map((request) => request.status)).toEqual([200, 304])
    expect(stage.seen[1]?.since).toBe('Mon, 16 Nov 2026 08:00:00 GMT')
    expect(symbols()).toEqual(['T1', 'T2'])
  })

  it('that were found unchanged count as new, also after a restart', async () => {
    await open()
    const [name = ''] = await readdir(join(stage.folder, 'cache'))
    const old = new Date(Date.now() - 86_400_000)
    await utimes(join(stage.folder, 'cache', name), old, old)
    await stage.lists.refresh()
    await stage.lists.close()
    await open()
    expect(stage.seen.map((request) => request.status)).toEqual([200, 304])
  })

  it('that are old are asked for at the start, and serve while nobody answers', async () => {
    await open()
    await stage.lists.close()
    const [name = ''] = await readdir(join(stage.folder, 'cache'))
    const old = new Date(Date.now() - 86_400_000)
    await utimes(join(stage.folder, 'cache', name), old, old)
    stage.server.set({ status: 500 })
    await open()
    expect(symbols()).toEqual(['T1', 'T2'])
    expect(stage.lists.status()[0]).toMatchObject({ source: stage.server.host, tokens: 2, trouble: 'answered 500' })
    stage.server.set()
    await stage.lists.refresh()
    expect(stage.seen.at(-1)?.status).toBe(304)
    expect(stage.lists.status()[0]?.trouble).toBeUndefined()
  })

  it.each([
    ['cut', (text: string) => text.slice(0, -20)],
    ['changed by one letter', (text: string) => text.replace('Token 2', 'Token 9')],
    ['without a head', () => '{"tokens":[]}'],
    ['empty', () => ''],
  ])('that are %s are thrown away and fetched anew', async (_, damage) => {
    await open()
    await stage.lists.close()
    const [name = ''] = await readdir(join(stage.folder, 'cache'))
    const path = join(stage.folder, 'cache', name)
    await writeFile(path, damage(await readFile(path, 'utf8')))
    await open()
    expect(symbols()).toEqual(['T1', 'T2'])
    expect(stage.seen.map((request) => [request.status, request.etag])).toEqual([
      [200, undefined],
      [200, undefined],
    ])
  })

  it('that cannot be written to disk are in force all the same', async () => {
    await open()
    await stage.lists.close()
    await rm(join(stage.folder, 'cache'), { recursive: true })
    await writeFile(join(stage.folder, 'cache'), 'no folder')
    begin()
    // Asked before any list is there.
    expect(symbols()).toEqual([])
    await stage.lists.loaded()
    expect(symbols()).toEqual(['T1', 'T2'])
    await stage.lists.refresh()
    expect(stage.seen.map((request) => request.status)).toEqual([200, 200, 304])
    expect(stage.lists.status()[0]?.trouble).toBeUndefined()
    stage.documents['/a.json'] = { tokens: [entry(3)] }
    await stage.lists.refresh()
    expect(symbols()).toEqual(['T3'])
  })

  it('do not carry the URL in name or content', async () => {
    await open({ sources: { [CHAIN]: [url('/a.json?key=secret-key')] } })
    stage.documents['/a.json?key=secret-key'] = stage.documents['/a.json']
    await stage.lists.refresh()
    const names = await readdir(join(stage.folder, 'cache'))
    expect(names).toHaveLength(1)
    expect(names.join() + (await readFile(join(stage.folder, 'cache', names[0] ?? ''), 'utf8'))).not.toContain(
      'secret-key',
    )
    expect(JSON.stringify(stage.lists.status())).not.toContain('secret-key')
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
    stage.server.set(faults)
    stage.documents['/a.json'] = { tokens: [entry(3)] }
    await stage.lists.refresh()
    expect(symbols()).toEqual(['T1', 'T2'])
    expect(stage.lists.status()[0]?.trouble).toBeTypeOf('string')
    stage.server.set()
    await stage.lists.refresh()
    expect(symbols()).toEqual(['T3'])
  })

  it('larger than allowed, also when packed small, is refused', async () => {
    stage.server.set({ bombBytes: 30_000_000 })
    await open({ maxBytes: 100_000 })
    expect(symbols()).toEqual([])
    expect(stage.lists.status()[0]?.trouble).toMatch(/larger than 100000 bytes/)
  })

  it('does not touch other lists', async () => {
    stage.documents['/b.json'] = '<!doctype html>'
    await open({ sources: { [CHAIN]: [url('/b.json'), url('/a.json')] } })
    expect(symbols()).toEqual(['T1', 'T2'])
  })
})

it('keeps a list whose server suddenly has no tokens, and says so', async () => {
  await open({})
  expect(symbols()).toEqual(['T1', 'T2'])
  for (const nothing of [{ tokens: [] }, [], { tokens: [{ broken: true }] }]) {
    stage.documents['/a.json'] = nothing
    await stage.lists.refresh()
    expect(symbols()).toEqual(['T1', 'T2'])
    expect(stage.lists.status()[0]?.trouble).toBe('has lost all its tokens')
  }
  stage.documents['/a.json'] = { tokens: [entry(1)] }
  await stage.lists.refresh()
  expect(symbols()).toEqual(['T1'])
  expect(stage.lists.status()[0]?.trouble).toBeUndefined()
})
