#!/usr/bin/env node
import { fstatSync, writeFileSync } from 'node:fs'
import { createApp } from './app.ts'
import { loadConfig } from './config/index.ts'
import { ConfigError, messageOf, NodeConfigError } from './errors.ts'
import { shortenYoungCollections } from './wiring/process/young-generation.ts'

/** Conventional exit statuses: 1 = could not start, 2 = wrong configuration. */
const EXIT = { failed: 1, misconfigured: 2 } as const

const readConfig = (): ReturnType<typeof loadConfig> =>
  loadConfig({ argv: process.argv.slice(2), env: process.env, cwd: process.cwd() })

function load(): ReturnType<typeof loadConfig> {
  try {
    return readConfig()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const problem of error.problems) process.stderr.write(`${problem}\n`)
    process.exit(EXIT.misconfigured)
  }
}

/** The output is incomplete, which is reported; but a reader that closed the pipe has read enough. */
function tellUnwritten(error: NodeJS.ErrnoException | null | undefined): void {
  if (!error || error.code === 'EPIPE') return
  process.stderr.write(`standard output: ${error.message}\n`)
  process.exitCode = EXIT.failed
}

/** For a file, a stream does not report that there was room for only a part. */
function tell(text: string): void {
  if (!fstatSync(process.stdout.fd).isFile()) {
    process.stdout.write(text, tellUnwritten)
    return
  }
  try {
    writeFileSync(process.stdout.fd, text)
  } catch (error) {
    tellUnwritten(error as NodeJS.ErrnoException)
  }
}

/** If closing takes this long after the grace time, it hangs: whoever waits for the end of this process must not. */
const CLOSE_MS = 15_000

/**
 * One Ctrl-C arrives twice behind `npm start`: from the terminal, and from npm, which forwards it. A second signal
 * within so short a time, milliseconds, is not a new one.
 */
const SAME_SIGNAL_MS = 100

/**
 * The first signal drains, the second kills, because the operator insists. SIGHUP means that the terminal was closed.
 *
 * @param boundMs longest time that closing may take
 * @returns whether a signal came
 */
function onSignals(close: () => Promise<void>, boundMs: number): () => boolean {
  let firstAt: number | undefined
  const handle = (): void => {
    if (firstAt !== undefined) {
      if (performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(EXIT.failed)
      return
    }
    firstAt = performance.now()
    setTimeout(() => process.exit(EXIT.failed), boundMs).unref()
    close().then(
      () => process.exit(0),
      () => process.exit(EXIT.failed),
    )
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, handle)
  return () => firstAt !== undefined
}

async function main(): Promise<void> {
  const loaded = load()
  if (loaded.action !== 'run') {
    tell(loaded.text)
    return
  }
  shortenYoungCollections()
  const app = await createApp(loaded.config, {
    reload: () => {
      const again = readConfig()
      return again.action === 'run' ? again.config : loaded.config
    },
  })
  const { shutdownDelayMs, shutdownGraceMs } = loaded.config.http
  const isEnding = onSignals(() => app.close(), shutdownDelayMs + shutdownGraceMs + CLOSE_MS)
  try {
    process.stdout.write(`Firn ready at ${await app.listen()}\n`)
  } catch (error) {
    // A start that was told to end does not fail: the process ends once everything is closed.
    if (!isEnding()) throw error
  }
}

// Without a listener, a full disk or a pipe that nobody reads would end the process because of one line.
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined)

main().catch((error: unknown) => {
  const lines = error instanceof ConfigError ? error.problems : [messageOf(error)]
  // A node prints its own errors to standard output, where scripts look for them.
  const output = error instanceof NodeConfigError ? process.stdout : process.stderr
  for (const line of lines) output.write(`${line}\n`)
  process.exit(error instanceof ConfigError ? EXIT.misconfigured : EXIT.failed)
})
