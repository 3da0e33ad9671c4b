import { parseArgs } from 'node:util'
import { loadConfig } from './config/index.ts'
import { ConfigError, messageOf } from './errors.ts'
import { runVerify } from './wiring/indexed/verify.ts'

const HELP = `npm run verify -- [--samples N] [--seconds N] [--seed N] [-- options of the server]

Compares the index with the nodes it came from: blocks at random heights, all that random addresses can
spend, random outputs with the transactions that made and spent them, and random L1 validators.
  --samples N  addresses, outputs and L1 validators of each network and heights of each chain (default 100)
  --seconds N  stop after this long (default 300)
  --seed N     repeat a run; left out, one is chosen and printed
Exit status 0: all equal. 1: something differs, is missing, or nothing could be compared. 2: wrong options.
The embedded database belongs to one process: stop the server first. The chains are followed here meanwhile, since
addresses are compared only while index and node stand at the same blocks.
`

const OPTIONS = {
  samples: { type: 'string', default: '100' },
  seconds: { type: 'string', default: '300' },
  seed: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

function wholeNumber(name: string, text: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw new TypeError(`--${name}: a whole number from 1 on is expected`)
  return Number(text)
}

/** Own options come first, the server's after `--`. */
async function main(argv: readonly string[]): Promise<number> {
  const end = argv.indexOf('--')
  const own = end < 0 ? argv : argv.slice(0, end)
  const { values } = parseArgs({ args: [...own], options: OPTIONS })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const seed = wholeNumber('seed', values.seed ?? String(1 + Math.floor(Math.random() * 99_999_998)))
  const options = {
    samples: wholeNumber('samples', values.samples),
    seconds: wholeNumber('seconds', values.seconds),
    seed,
  }
  const loaded = loadConfig({ argv: end < 0 ? [] : argv.slice(end + 1), env: process.env, cwd: process.cwd() })
  if (loaded.action !== 'run')
    throw new TypeError('options after -- must be those of a server that runs, not --help, --version or --print-config')
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  const report = await runVerify(loaded.config, options, stop.signal)
  for (const difference of report.differences) process.stdout.write(`differs: ${difference}\n`)
  for (const name of report.missing) process.stdout.write(`missing: ${name} is not in the index\n`)
  if (report.unsettled > 0)
    process.stdout.write(
      `not compared: ${report.unsettled} addresses or L1 validators, index and node never stood at the same blocks\n`,
    )
  for (const reason of report.unanswered) process.stdout.write(`not compared: ${reason}\n`)
  process.stdout.write(
    `compared ${report.blocks} blocks, ${report.addresses} addresses, ${report.outputs} outputs and ${report.l1Validators} L1 validators, ${report.differences.length} differences (seed ${seed})\n`,
  )
  const bad = report.differences.length + report.missing.length + report.unsettled + report.unanswered.length
  return bad === 0 && report.blocks + report.addresses + report.outputs + report.l1Validators > 0 ? 0 : 1
}

main(process.argv.slice(2)).then(
  (status) => {
    process.exitCode = status
  },
  (error: unknown) => {
    process.stderr.write(`${messageOf(error)}\n`)
    process.exitCode = error instanceof ConfigError || error instanceof TypeError ? 2 : 1
  },
)
