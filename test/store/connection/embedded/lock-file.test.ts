import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import { takeLock } from '../../../../src/store/connection/embedded/lock-file.ts'
import { StoreLockedError } from '../../../../src/store/errors.ts'
import { until } from '../../../support/waiting/until.ts'

const folders: string[] = []
afterEach(() => Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true }))))

/** Silence is a matter of looks, so that few of them do. */
const QUICK = { beatMs: 5, lookMs: 10, silentLooks: 30, mostLooks: 60, freshMs: 0 }

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
  await held[0]?.release()
  await (await takeLock(folder)).release()
})

it('takes over from a killed process at once, also when its number was given to another one', async () => {
  const folder = await newFolder()
  const first = await takeLock(folder)
  const file = join(folder, 'firn.lock')
  const mine: Record<string, unknown> = JSON.parse(await readFile(file, 'utf8'))
  await first.release()
  const child = spawn('sleep', ['60'])
  const alive = { ...mine, pid: child.pid, token: 'other' }
  await writeFile(file, JSON.stringify({ ...alive, started: '1' }))
  await (await takeLock(folder)).release()
  child.kill('SIGKILL')
  await once(child, 'exit')
  await writeFile(file, JSON.stringify({ ...alive, started: '' }))
  await (await takeLock(folder)).release()
  await writeFile(file, 'half a fil')
  await (await takeLock(folder)).release()
})

it('takes over from a killed process of which nobody has asked how it ended', async () => {
  const folder = await newFolder()
  const first = await takeLock(folder)
  const file = join(folder, 'firn.lock')
  const mine: Record<string, unknown> = JSON.parse(await readFile(file, 'utf8'))
  await first.release()
  // The parent becomes a program that knows nothing of the child.
  const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'])
  onTestFinished(() => void parent.kill('SIGKILL'))
  const pid = Number(String(await once(parent.stdout, 'data')))
  const status = () => readFile(`/proc/${pid}/stat`, 'latin1')
  const started = (await status()).split(') ')[1]?.split(' ')[19]
  await writeFile(file, JSON.stringify({ ...mine, pid, started, token: 'other' }))
  await expect(takeLock(folder)).rejects.toThrow(StoreLockedError)
  process.kill(pid, 'SIGKILL')
  await until(async () => (await status()).includes(') Z'), 'ended')
  await (await takeLock(folder)).release()
})

it.each([
  ['a silent machine', { 'firn.lock': 'far' }],
  ['a file that names nobody', { 'firn.lock': undefined }],
  ['somebody who died while taking over', { 'firn.lock': 'far', 'firn.lock.after.far': 'farther' }],
])('of many who take over from %s one does', async (_, dead) => {
  for (let round = 0; round < 20; round += 1) {
    const folder = await newFolder()
    for (const [name, token] of Object.entries(dead)) {
      const owner = token ? JSON.stringify({ pid: 1, space: 'elsewhere', started: '5', token }) : 'half a fil'
      await writeFile(join(folder, name), owner)
    }
    const starters = Array.from({ length: 8 }, async () => {
      await sleep(Math.random() * 4)
      return takeLock(folder, { times: { ...QUICK, silentLooks: 3 } })
    })
    const results = await Promise.allSettled(starters)
    const held = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    expect(held).toHaveLength(1)
    await held[0]?.release()
    expect(await readdir(folder)).toEqual([])
  }
})

const elsewhere = JSON.stringify({ pid: 1, space: 'elsewhere', started: '5', token: 'far' })

it.each([
  ['an hour behind', -3_600_000],
  ['an hour ahead', 3_600_000],
])('leaves the folder to who lives elsewhere, though his clock is %s', async (_, skewMs) => {
  const folder = await newFolder()
  const file = join(folder, 'firn.lock')
  const touch = () => utimes(file, (Date.now() + skewMs) / 1_000, (Date.now() + skewMs) / 1_000)
  await writeFile(file, elsewhere)
  await touch()
  const beat = setInterval(touch, QUICK.beatMs)
  await expect(takeLock(folder, { times: QUICK })).rejects.toThrow(StoreLockedError)
  clearInterval(beat)
})

it('takes over from the dead of elsewhere, though the time of their last beat is still to come', async () => {
  const folder = await newFolder()
  const file = join(folder, 'firn.lock')
  const ahead = new Date(Date.now() + 3_600_000)
  await writeFile(file, elsewhere)
  await utimes(file, ahead, ahead)
  await (await takeLock(folder, { times: QUICK })).release()
})

it('takes over from the process before in a container that gives all of them one number and one start', async () => {
  const folder = await newFolder()
  const first = await takeLock(folder)
  const mine: Record<string, unknown> = JSON.parse(await readFile(join(folder, 'firn.lock'), 'utf8'))
  await first.release()
  await writeFile(join(folder, 'firn.lock'), JSON.stringify({ ...mine, token: 'before' }))
  await (await takeLock(folder, { times: QUICK })).release()
})

it.each([
  ['has it', (file: string) => writeFile(file, elsewhere)],
  ['had it', (file: string) => rm(file)],
])('gives the folder up where another process %s since this one stood still', async (_, change) => {
  const folder = await newFolder()
  const file = join(folder, 'firn.lock')
  const lost: StoreLockedError[] = []
  const times = { ...QUICK, beatMs: 60_000 }
  const lock = await takeLock(folder, { times, onLost: (error) => lost.push(error) })
  await lock.confirm()
  await change(file)
  await expect(lock.confirm()).rejects.toThrow(StoreLockedError)
  expect(lock.isFresh()).toBe(false)
  expect(lost).toHaveLength(1)
  const left = await readdir(folder)
  await lock.release()
  expect(await readdir(folder)).toEqual(left)
})

it('puts a lock back that was there a moment ago and was tidied away', async () => {
  const folder = await newFolder()
  const lock = await takeLock(folder, { times: { ...QUICK, beatMs: 60_000, freshMs: 60_000 } })
  await rm(join(folder, 'firn.lock'))
  await lock.confirm()
  expect(await readdir(folder)).toEqual(['firn.lock'])
  await expect(takeLock(folder)).rejects.toThrow(StoreLockedError)
  await lock.release()
})
