import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { holdLock } from '../../../src/store/connection/leader-lock.ts'
import { startPostgres } from '../../support/store/postgres-server.ts'
import { startSessionSharingPooler } from './session-sharing-pooler.ts'

const never = new AbortController().signal
/** Milliseconds; a machine that stands still for seconds loses no lock. */
const TIMES = { retry: 50, heartbeat: 200, silence: 5_000 }

/** A process that holds the lock, and says when it has it and when it has lost it. */
const HOLDING = `import { holdLock } from './src/store/connection/leader-lock.ts'
  const [url, times] = process.argv.slice(1)
  const held = await holdLock({ connectionString: url }, 7, new AbortController().signal, undefined, JSON.parse(times))
  held.lost.addEventListener('abort', () => console.log('lost'))
  console.log('held')
  setInterval(() => undefined, 1_000)`

it('a holder that stands still loses the lock to the next one, and knows it when it goes on', async () => {
  const server = await startPostgres()
  onTestFinished(() => server.stop())
  const url = server.url('postgres')
  const holder = spawn(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '--eval', HOLDING, url, JSON.stringify(TIMES)],
    { cwd: fileURLToPath(new URL('../../../', import.meta.url)), stdio: ['ignore', 'pipe', 'inherit'] },
  )
  onTestFinished(() => void holder.kill('SIGKILL'))
  const says = linesOf(holder)
  expect(await says()).toBe('held')
  let taken = false
  const waiting = holdLock({ connectionString: url }, 7, never, undefined, TIMES).then((lock) => {
    taken = true
    return lock
  })
  expect(taken).toBe(false)
  holder.kill('SIGSTOP')
  const next = await waiting
  holder.kill('SIGCONT')
  expect(await says()).toBe('lost')
  expect(next.lost.aborted).toBe(false)
  await next.release()
  // Given back, not lost: a loss cuts what is being written.
  expect(next.lost.aborted).toBe(false)
})

function linesOf({ stdout }: ChildProcess): () => Promise<string> {
  const lines = createInterface({ input: stdout as NonNullable<typeof stdout> })
  const said: string[] = []
  lines.on('line', (line) => said.push(line))
  return async () => {
    while (said.length === 0) await once(lines, 'line')
    return said.shift() ?? ''
  }
}

it('sessions that a pooler shares are told of: two would hold the lock', async () => {
  const server = await startPostgres()
  onTestFinished(() => server.stop())
  const pooler = await startSessionSharingPooler(server.url('postgres'))
  onTestFinished(() => pooler.stop())
  const first = await holdLock({ connectionString: pooler.url }, 7, never, undefined, TIMES)
  await expect(holdLock({ connectionString: pooler.url }, 7, never, undefined, TIMES)).rejects.toThrow(
    'set store.leader to lease',
  )
  expect(first.lost.aborted).toBe(false)
  await first.release()
})

it('a lock that the session of the server no longer has is lost, though a pooler keeps the connection', async () => {
  const server = await startPostgres()
  onTestFinished(() => server.stop())
  const pooler = await startSessionSharingPooler(server.url('postgres'))
  onTestFinished(() => pooler.stop())
  const held = await holdLock({ connectionString: pooler.url }, 7, never, undefined, TIMES)
  const other = new pg.Client({ connectionString: pooler.url })
  await other.connect()
  // As the end of the server's session would.
  await other.query('select pg_advisory_unlock_all()')
  await other.end()
  await expect.poll(() => held.lost.aborted).toBe(true)
  await held.release()
})
