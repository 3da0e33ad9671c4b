import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { takeLock } from '../../../src/store/connection/lock-file.ts'
import { StoreLockedError } from '../../../src/store/errors.ts'

const folders: string[] = []
afterEach(() => Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true }))))

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'firn-lock-'))
  folders.push(folder)
  return folder
}

it('lets one in, names it to the others, and lets the next one in behind it', async () => {
  const folder = await newFolder()
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => takeLock(folder)))
  const held = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  expect(held).toHaveLength(1)
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  for (const reason of refused) expect(reason).toBeInstanceOf(StoreLockedError)
  expect(String(refused[0])).toContain(`in use by another process: process ${process.pid} has ${folder}`)
  // Where the database is, and whose, is none of a client's business.
  expect(refused[0]).toMatchObject({ expose: false, retryable: true })
  await held[0]?.()
  await (await takeLock(folder))()
})

it('takes over from a killed process at once, also when its number was given to another one', async () => {
  const folder = await newFolder()
  const release = await takeLock(folder)
  const file = join(folder, 'firn.lock')
  const mine: Record<string, unknown> = JSON.parse(await readFile(file, 'utf8'))
  await release()
  const child = spawn('sleep', ['60'])
  const alive = { ...mine, pid: child.pid, token: 'other' }
  await writeFile(file, JSON.stringify({ ...alive, started: '1' }))
  await (await takeLock(folder))()
  child.kill('SIGKILL')
  await once(child, 'exit')
  await writeFile(file, JSON.stringify({ ...alive, started: '' }))
  await (await takeLock(folder))()
  await writeFile(file, 'half a fil')
  await (await takeLock(folder))()
})

it.each([
  ['a silent machine', { 'firn.lock': 'far' }],
  ['a file that names nobody', { 'firn.lock': undefined }],
  ['somebody who died while taking over', { 'firn.lock': 'far', 'firn.lock.after.far': 'farther' }],
])('of many who take over from %s one does', async (_, dead) => {
  for (let round = 0; round < 20; round += 1) {
    const folder = await newFolder()
    const long = new Date(Date.now() - 60_000)
    for (const [name, token] of Object.entries(dead)) {
      const owner = token ? JSON.stringify({ pid: 1, space: 'elsewhere', started: '5', token }) : 'half a fil'
      await writeFile(join(folder, name), owner)
      await utimes(join(folder, name), long, long)
    }
    const starters = Array.from({ length: 8 }, async () => {
      await sleep(Math.random() * 4)
      return takeLock(folder)
    })
    const results = await Promise.allSettled(starters)
    const held = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    expect(held).toHaveLength(1)
    await held[0]?.()
    expect(await readdir(folder)).toEqual([])
  }
})
