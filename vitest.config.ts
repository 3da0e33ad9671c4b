import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

/**
 * Folders whose test files share a process and its modules, which halves what most of them take. More than these at a time
 * would keep too much in memory: whole databases, recorded networks. They run in this order, behind those that stand alone: the
 * first wait for a third of their time, when `.ci/run` has other work for the processors.
 */
const SHARING = [
  ['chains'],
  ['config', 'contract', 'generate', 'lib', 'market', 'metrics', 'services', 'support', 'upstream'],
  ['api/balance', 'api/page', 'api/plugins', 'security'],
  ['api/data'],
  ['api/node'],
  ['docker', 'sandbox', 'sharing', 'wiring'],
  ['indexer'],
  ['store'],
]

const files = readdirSync(new URL('test', import.meta.url), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => `test/${name}`)

/** A clock that is set, or a function of the platform that is taken over, leaves its mark on modules that others use. */
const leavesMarks = (file: string): boolean =>
  /\bvi\.(useFakeTimers|spyOn|mock|stub)/.test(readFileSync(new URL(file, import.meta.url), 'utf8'))

const groups = SHARING.map((folders, index) => ({
  // Vitest runs groups by their names.
  name: `${index + 1} ${folders[0]}`,
  include: files.filter((file) => folders.some((folder) => file.startsWith(`test/${folder}/`)) && !leavesMarks(file)),
}))
const shared = new Set(groups.flatMap(({ include }) => include))

export default defineConfig({
  test: {
    projects: [
      ...groups.map((group) => ({ extends: true as const, test: { ...group, isolate: false } })),
      // One of these waits for a minute and a half: others run beside it.
      { extends: true, test: { name: '0 alone', include: files.filter((file) => !shared.has(file)) } },
    ],
    globalSetup: 'test/support/temporary-folder.ts',
    // Real chains, servers and databases run beside the tests: two files at a time fit two cores.
    maxWorkers: 2,
    // Whole servers, indexes and chains start inside tests; two cores may be busy. This ends what hangs: no test is to
    // have a limit of its own, since how fast a machine is proves nothing.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // What is waited for comes when it comes: one second, the default, is what a busy machine stands still now and then.
    expect: { poll: { timeout: 60_000, interval: 20 } },
    pool: 'forks',
  },
})
