import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RUN_POSTGRES, type RunPostgres } from './databases.ts'

/**
 * One Postgres for all files of a run that only need databases of one: to start and to migrate one takes two seconds of a
 * processor, and a copy of a migrated database a thirtieth of one. It is started for the first file that asks, in a process
 * of its own, because its package takes over the signals of the process that starts it.
 */
export default function setup(): (() => Promise<void>) | undefined {
  // Called for each group of files.
  if (process.env[RUN_POSTGRES] !== undefined) return undefined
  const place = join(tmpdir(), 'postgres.sock')
  process.env[RUN_POSTGRES] = place
  let end = async (): Promise<void> => {}
  let running: Promise<string> | undefined
  const start = async (): Promise<string> => {
    const program = fileURLToPath(new URL('run-postgres-process.ts', import.meta.url))
    const child = fork(program, { execArgv: ['--import', 'tsx'], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    const ended = once(child, 'exit')
    end = async () => {
      if (child.connected) child.disconnect()
      await ended
    }
    const told = (await Promise.race([once(child, 'message'), ended.then(() => [])])) as RunPostgres[]
    return JSON.stringify(told[0] ?? {})
  }
  const door: Server = createServer((caller) => {
    caller.on('error', () => undefined)
    running ??= start()
    void running.then((told) => caller.end(told))
  })
  door.listen(place)
  door.unref()
  return async () => {
    door.close()
    await end()
  }
}
