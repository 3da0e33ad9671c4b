import { mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { watchFile } from '../../src/market/file-watch.ts'

async function watched(text: string, maxBytes = 100) {
  const folder = await mkdtemp(join(tmpdir(), 'firn-file-watch-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'file.json')
  await writeFile(path, text)
  const told: string[] = []
  let parsed = 0
  const parse = (content: string): unknown => {
    parsed += 1
    return JSON.parse(content)
  }
  const file = watchFile(path, parse, maxBytes, (message) => void told.push(message))
  return { path, file, told, parsed: () => parsed }
}

it('is in no trouble any more when a file that was away is back as it was', async () => {
  const { path, file, told, parsed } = await watched('1')
  expect(await file.read()).toBe(1)
  await rename(path, `${path}.away`)
  expect(await file.read()).toBe(1)
  expect(file.trouble()).toMatch(/ENOENT/)
  await rename(`${path}.away`, path)
  expect(await file.read()).toBe(1)
  expect(file.trouble()).toBeUndefined()
  expect([told.length, parsed()]).toEqual([1, 1])
})

it('is still in the old trouble when a broken file is back as it was, and parses it once', async () => {
  const { path, file, told, parsed } = await watched('{')
  await file.read()
  const broken = file.trouble()
  await rename(path, `${path}.away`)
  await file.read()
  await rename(`${path}.away`, path)
  await file.read()
  expect(file.trouble()).toBe(broken)
  expect([told.length, parsed()]).toEqual([3, 1])
})

it('leaves a file aside that is too large, until it is smaller', async () => {
  const { path, file } = await watched('"long text"', 5)
  expect(await file.read()).toBeUndefined()
  expect(file.trouble()).toMatch(/larger than 5 bytes/)
  await writeFile(path, '2')
  expect(await file.read()).toBe(2)
  expect(file.trouble()).toBeUndefined()
})

it('reads a file that was put in the place of one as old and as large', async () => {
  const { path, file } = await watched('1')
  const time = new Date(2026, 0)
  await utimes(path, time, time)
  expect(await file.read()).toBe(1)
  await writeFile(`${path}.new`, '2')
  await utimes(`${path}.new`, time, time)
  await rename(`${path}.new`, path)
  expect(await file.read()).toBe(2)
})
