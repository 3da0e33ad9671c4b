import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { warnOfFewFiles } from '../../../src/wiring/process/open-files.ts'

/** What is warned of in a process that may open so many files. */
async function warnedAt(maxConnections: number, limits: () => Promise<string>): Promise<unknown[]> {
  const warned: unknown[] = []
  await warnOfFewFiles(
    { http: { maxConnections } as never },
    { warn: (fields: unknown) => void warned.push(fields) },
    limits,
  )
  return warned
}

const limitsWith = (files: number): string =>
  spawnSync('sh', ['-c', `ulimit -n ${files} && cat /proc/self/limits`], { encoding: 'utf8' }).stdout

it('a limit of open files below that of connections is warned of', async () => {
  expect(await warnedAt(10_000, async () => limitsWith(1_024))).toEqual([{ openFiles: 1_024, maxConnections: 10_000 }])
  expect(await warnedAt(500, async () => limitsWith(1_024))).toEqual([])
})

it('of other systems, which do not list it, nothing is said', async () => {
  expect(await warnedAt(10_000, () => Promise.reject(new Error('ENOENT')))).toEqual([])
  expect(
    await warnedAt(10_000, async () => 'Max open files            unlimited            unlimited   files'),
  ).toEqual([])
})
