import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { openStore } from '../../src/store/index.ts'
import { bundledProgram } from '../support/programs/bundled-program.ts'
import { putDatabase } from '../support/store/migrated-archive.ts'
import { chainRange } from './write/endless-chain.ts'
import { output } from './write/range-samples.ts'

const program = new URL('./write/endless-chain-process.ts', import.meta.url)

/** Lets a process write ranges until it has written some, then kills it in the middle of whatever it does. */
async function writeAndKill(child: string, folder: string, ranges: number): Promise<bigint> {
  const writer = spawn(process.execPath, [child, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  let acknowledged = -1n
  let count = 0
  for await (const line of createInterface({ input: writer.stdout })) {
    acknowledged = BigInt(line)
    if (++count === ranges) setTimeout(() => writer.kill('SIGKILL'), 7 * ranges)
  }
  if (writer.exitCode === null && writer.signalCode === null) await once(writer, 'exit')
  expect(writer.signalCode).toBe('SIGKILL')
  return acknowledged
}

it('loses nothing that was acknowledged and writes nothing by halves, however often it is killed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'firn-kill-'))
  await putDatabase(folder)
  const child = await bundledProgram(program)
  let acknowledged = -1n
  for (const ranges of [1, 3, 6]) {
    const now = await writeAndKill(child, folder, ranges)
    expect(now).toBeGreaterThan(acknowledged)
    acknowledged = now
  }
  const store = openStore({ dataDir: folder, logger: pino({ level: 'silent' }) })
  const [progress] = await store.reader.progress()
  const tip = progress?.tip?.height ?? -1n
  expect(tip).toBeGreaterThanOrEqual(acknowledged)
  const chain = { network: 'testnet', letter: 'P' as const }
  expect(await store.reader.blocks.atHeight(chain, tip)).toBeDefined()
  expect(await store.reader.blocks.atHeight(chain, tip + 1n)).toBeUndefined()
  const groups = await store.reader.balances.groups({
    chain,
    addresses: [output(1, 0).addresses[0] ?? ''],
    locksAt: 0n,
  })
  // Each block makes two outputs and consumes one of the block before.
  expect(groups.reduce((sum, group) => sum + group.utxoCount, 0)).toBe(Number(tip) + 2)
  const { rows, progress: range } = chainRange(Number(tip) + 1, 5)
  await store.writer.commitRange('testnet:P', { primary: rows }, range)
  await store.close()
  await rm(folder, { recursive: true, force: true })
})
