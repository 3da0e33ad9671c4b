import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { PATIENCE_MS } from './test/support/waiting/until.ts'

/**
 * Folders whose test files share a process and its modules, which halves what most of them take. More than these at a time
 * would keep too much in memory: whole databases, recorded networks. They run in this order, behind those that wait and those
 * that stand alone.
 */
const SHARING = [
  ['chains'],
  ['config', 'contract', 'facts', 'generate', 'lib', 'market', 'metrics', 'services', 'support', 'upstream'],
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

/**
 * Files that wait for deadlines, leases and servers for most of their time. Several run at once, ahead of all others: beside
 * the processors' work each would hold up a place that does nothing.
 */
const WAITING = [
  'api/node/evm/read/chain-reset',
  'api/node/evm/read/shown-blocks',
  'api/node/forward/answers',
  'api/node/forward/nodes/c-blocks',
  'api/node/forward/consistency/accepted-everywhere',
  'api/plugins/admission',
  'chains/chain-reset',
  'chains/other-networks',
  'docker/haproxy',
  'lib/logging/line-output',
  'security/connections',
  'services/balances/rate-limits',
  'sharing/cluster-failover',
  'sharing/news',
  'sharing/sharing',
  'sharing/unfit-server',
  'store/connection/leader-lock',
  'store/connection/silent-server',
  'store/write/leader/leader-lease',
  'upstream/chaos',
  'upstream/health/head-probe',
  'upstream/health/identity',
  'upstream/hedge',
  'upstream/no-such-thing',
  'wiring/end-while-starting',
].map((name) => `test/${name}.test.ts`)
/** The longest: it begins first. */
const LONGEST = ['test/load/load.test.ts']
const lost = [...LONGEST, ...WAITING].filter((name) => !files.includes(name))
if (lost.length > 0) throw new Error(`there is no ${lost.join(', no ')}`)

/** A clock that is set, or a function of the platform that is taken over, leaves its mark on modules that others use. */
const leavesMarks = (file: string): boolean =>
  /\bvi\.(useFakeTimers|spyOn|mock|stub)|\bpassingTime\(/.test(readFileSync(new URL(file, import.meta.url), 'utf8'))

const waiting = { maxWorkers: 6, sequence: { groupOrder: 0 } }
const sharing = files.filter((file) => !WAITING.includes(file) && !leavesMarks(file))
const groups = SHARING.map((folders, index) => ({
  // Vitest runs projects by their names.
  name: `${index + 1} ${folders[0]}`,
  include: sharing.filter((file) => folders.some((folder) => file.startsWith(`test/${folder}/`))),
}))
const elsewhere = new Set([...LONGEST, ...WAITING, ...groups.flatMap(({ include }) => include)])

export default defineConfig({
  test: {
    projects: [
      ...groups.map((group) => ({ extends: true as const, test: { ...group, isolate: false } })),
      { extends: true, test: { name: '0 alone', include: files.filter((file) => !elsewhere.has(file)) } },
      { extends: true, test: { name: '0 longest', include: LONGEST, ...waiting } },
      { extends: true, test: { name: '0 waiting', include: WAITING, ...waiting } },
    ],
    globalSetup: [
      'test/support/programs/temporary-folder.ts',
      'test/support/programs/server-program.ts',
      'test/support/store/run-postgres.ts',
    ],
    // Real chains, servers and databases run beside the tests: two files at a time fit two cores.
    maxWorkers: 2,
    sequence: { groupOrder: 1 },
    // Whole servers, indexes and chains start inside tests; two cores may be busy. This ends what hangs: no test is to
    // have a limit of its own, since how fast a machine is proves nothing.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // What is waited for comes when it comes: one second, the default, is what a busy machine stands still now and then.
    expect: { poll: { timeout: PATIENCE_MS, interval: 20 } },
    pool: 'forks',
    // Every project would transform the same sources anew, and so would the runs on other Nodes.
    experimental: { fsModuleCache: process.env['CI'] !== undefined },
  },
})
