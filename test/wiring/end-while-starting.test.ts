import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { createApp } from '../../src/app.ts'
import { createConfig } from '../../src/config/index.ts'
import { CancelledError } from '../../src/errors.ts'
import { SERVER_PROGRAM } from '../support/programs/server-program.ts'
import { createStage } from '../support/server/stage.ts'

const createPlaces = () => {
  const stage = createStage()
  onTestFinished(() => stage.clear())
  return stage
}

it('begins nothing more when it is closed while it starts', async () => {
  const app = await createApp(
    createConfig({
      dataDir: createPlaces().folder(),
      log: { level: 'silent' },
      http: { port: 0, shutdownDelayMs: 0 },
      market: { prices: { provider: 'none' }, defaultTokenLists: [] },
      chains: { catalogue: false },
    }),
  )
  const started = app.listen().catch((error: unknown) => error)
  await app.close()
  expect(await started).toBeInstanceOf(CancelledError)
  expect(app.http.server.listening).toBe(false)
})

it('is no failure when the process is told to end while it starts', async () => {
  // A database that takes connections and says nothing: the start waits for it until it gives up, and so does the end.
  const database = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void database.close())
  await once(database, 'listening')
  const address = database.address()
  const url = `postgres://firn@127.0.0.1:${typeof address === 'object' ? address?.port : ''}/firn`
  const store = ['--api-keystore-enabled', '--store-database-url', url, '--data-dir', createPlaces().folder()]
  const flags = ['--chains-catalogue', 'false', '--http-port', '0', ...store]
  const child = spawn(process.execPath, [...SERVER_PROGRAM, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const said = Promise.all([text(child.stdout), text(child.stderr)])
  const ended = once(child, 'exit')
  await once(database, 'connection')
  child.kill('SIGTERM')
  expect([await ended, await said]).toEqual([
    [0, null],
    ['', ''],
  ])
})
