import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { PATIENCE_MS } from '../support/waiting/until.ts'
import { examples, indexed } from './examples.ts'
import { indexAnswers } from './index-ready.ts'
import { paste } from './pasted.ts'
import { type Sandbox, startSandbox } from './start.ts'

/** All that callers may have to show, with what means something to a shell and in JSON. */
const PASSWORD = `it's "ten" $HOME \\ horses`
const KEY = "key of 'data'"
const DIGEST = createHash('sha256').update('kept by others').digest('hex')

let folder: string
let sandbox: Sandbox
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'firn-password-'))
  writeFileSync(join(folder, 'password'), `${PASSWORD}\n`)
  sandbox = await startSandbox({
    argv: [
      ['--http-port', '0'],
      ['--api-auth-required', `--api-auth-password-file=${join(folder, 'password')}`],
      ['--balance-app-check-mode', 'static', '--balance-app-check-tokens', "app's own"],
      ['--data-path-prefix', '/indexed', '--data-key-required'],
      ['--data-api-keys', JSON.stringify([{ key: `sha256:${DIGEST}` }, { key: KEY }])],
    ].flat(),
  })
})
afterAll(async () => {
  await sandbox?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const linesOf = (printed: string): string[] => printed.split('\n').filter((line) => line.startsWith('curl '))

it('where callers have to show something, the lines do', async () => {
  expect(await indexAnswers(sandbox.url, indexed(sandbox), PATIENCE_MS)).toBe(true)
  const printed = examples(sandbox)
  const [first = ''] = printed.split('\n').filter((line) => line.startsWith('TOKEN='))
  expect(linesOf(printed)).toHaveLength(9)
  for (const line of linesOf(printed)) {
    const said = async () => (await paste(line, first)).status
    await expect.poll(said, { message: line }).toBe(200)
  }
  expect(printed).not.toContain('horses')
})

it('lines that would be refused for something that the settings do not tell are left out, and it says so', () => {
  const lacking = (credential: 'token' | 'appCheck' | 'apiKey') =>
    examples({ ...sandbox, credentials: { ...sandbox.credentials, [credential]: null } })
  expect(lacking('token')).toMatch(/^# Every path needs an access token.*$/)
  expect(linesOf(lacking('appCheck')).map((line) => /127\.0\.0\.1:\d+([^?']*)/.exec(line)?.[1])).toEqual([
    '/ext/bc/P',
    '/indexed/v1/networks/fuji/blockchains/p-chain/balances',
  ])
  expect(lacking('appCheck')).toContain('x-firebase-appcheck, which the settings do not contain')
  expect(linesOf(lacking('apiKey'))).toHaveLength(8)
  expect(lacking('apiKey')).toContain('x-glacier-api-key, which the settings do not contain')
})

it('an IPv6 address is no pattern for a shell', () => {
  const lines = linesOf(examples({ ...sandbox, url: 'http://[::1]:8650' }))
  expect(lines).toHaveLength(9)
  for (const line of lines) expect(line).toMatch(/^curl (-N -X POST )?'http:\/\/\[::1\]:8650\//)
})
