/**
 * `npm run sandbox`: the whole server with local chains of every family behind it. No internet, no key, no container.
 * `--recordings DIR` replays another recorded network; all other flags go to the server.
 */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Config, loadConfig } from '../../src/config/index.ts'
import { ConfigError } from '../../src/errors.ts'
import { refusedAddress } from '../../src/wiring/process/listen.ts'
import { lackingFiles } from '../support/replay-node/recorded/recordings.ts'
import { examples, indexed } from './examples.ts'
import { indexAnswers } from './index-ready.ts'
import { startSandbox } from './start.ts'

/** Nobody waits for an index for longer than this, however slow the machine is: counted from the command on. */
const PATIENCE_MS = 12_000
/** It has come to the tip by then, or something is wrong with it. */
const INDEXED_MS = 60_000

const { recordings, argv } = readArguments(process.argv.slice(2))
expectWhole(recordings)
await expectFree(checkFlags().http)
// What is made of the sources before this line is waited for, too.
const began = Math.floor(performance.timeOrigin)
// What is still starting is ended with the process: whatever it has begun takes its files along.
const starting = (): never => process.exit(1)
const signals = ['SIGINT', 'SIGTERM'] as const
for (const signal of signals) process.on(signal, starting)
const sandbox = await startSandbox({ argv, ...(recordings === undefined ? {} : { recordings }) })

let stopping = false
const stop = async (): Promise<void> => {
  if (stopping) process.exit(1)
  stopping = true
  await sandbox.stop()
  process.exit(0)
}
// In this order: a signal that nobody listens for at the moment is lost.
for (const signal of signals) process.on(signal, stop).off(signal, starting)

// Whoever pastes a line at once would wait for the database to be made, and be told "not yet" then.
const answers = await indexAnswers(sandbox.url, indexed(sandbox), PATIENCE_MS - (Date.now() - began))
if (!answers)
  process.stderr.write('the index is still catching up: indexed answers are 503 until it has reached the tip\n')
process.stdout.write(`${examples(sandbox)}\n`)
process.stdout.write(`Firn ready at ${sandbox.url}\n`)
process.stderr.write(`started in ${((Date.now() - began) / 1000).toFixed(1)} s; Ctrl-C stops everything\n`)
// Not beside the index, which is waited for. Where it cannot be kept the next start is like this one.
if (sandbox.indexes && (answers || (await indexAnswers(sandbox.url, indexed(sandbox), INDEXED_MS))))
  sandbox.keep().catch(() => undefined)

/** A mistyped folder is found before any chain is started. */
function expectWhole(folder: string | undefined): void {
  const lacking = folder === undefined ? [] : lackingFiles(folder)
  if (lacking.length === 0) return
  process.stderr.write(
    `--recordings: ${folder} holds no recorded network, it lacks ${lacking.join(', ')}: see test/fixtures/README.md\n`,
  )
  process.exit(2)
}

/** What is only to be shown, and what is wrong, is said before any chain is started. */
function checkFlags(): Config {
  try {
    // A folder that holds no settings of somebody else's.
    const loaded = loadConfig({ argv, env: {}, cwd: join(tmpdir(), `firn-sandbox-none-${process.pid}`) })
    if (loaded.action === 'run') return loaded.config
    const own =
      '  --recordings <folder>                       Recorded network to replay instead of the built-in one.\n\n' +
      'The sandbox takes flags only, and ignores firn.config.json, .env and the environment.\n\n'
    process.stdout.write(`${argv.some((flag) => flag === '--help' || flag === '-h') ? own : ''}${loaded.text}`)
    process.exit(0)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const problem of error.problems) process.stderr.write(`${problem}\n`)
    process.exit(2)
  }
}

/** Chains take a while to start: that the port is taken is said before. */
async function expectFree({ host, port }: Config['http']): Promise<void> {
  const server = createServer().listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    const refused = refusedAddress(error, { host, port })
    process.stderr.write(`${refused instanceof Error ? refused.message : refused}\n`)
    process.exit(1)
  }
  server.close()
  await once(server, 'close')
}

/** Takes `--recordings DIR` out of the arguments; the server reads the rest. */
function readArguments(args: readonly string[]): { recordings: string | undefined; argv: string[] } {
  const { tokens } = parseArgs({
    args: [...args],
    options: { recordings: { type: 'string' } },
    strict: false,
    tokens: true,
  })
  const own = tokens.filter((token) => token.kind === 'option' && token.name === 'recordings')
  const taken = new Set<number>()
  let recordings: string | undefined
  for (const token of own) {
    if (token.kind !== 'option') continue
    taken.add(token.index)
    if (!token.inlineValue) taken.add(token.index + 1)
    recordings = token.value
  }
  return { recordings, argv: args.filter((_, index) => !taken.has(index)) }
}
