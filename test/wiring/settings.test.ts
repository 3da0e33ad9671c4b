import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createApp } from '../../src/app.ts'
import { type Config, createConfig, type Partially } from '../../src/config/index.ts'
import { configKeys } from '../../src/config/keys.ts'

/** What is looked at in a configuration, by dotted names; lists and what is no plain object as a whole. */
function watched(config: Config): { config: Config; seen: Set<string> } {
  const seen = new Set<string>()
  const watch = (value: unknown, path: readonly string[]): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return new Proxy({ ...value } as Record<string, unknown>, {
      get: (target, name) => {
        if (typeof name === 'symbol') return Reflect.get(target, name)
        const own = [...path, name]
        seen.add(own.join('.'))
        return watch(target[name], own)
      },
    })
  }
  return { config: watch(config, []) as Config, seen }
}

const DATABASE = { databaseUrl: 'postgres://127.0.0.1:1/firn' }

/** Servers that have, together, every part that a server can have. Nothing is asked of anybody before one listens. */
const SERVERS: readonly Partially<Config>[] = [
  {
    balance: { appCheck: { mode: 'static', tokens: ['a-token'] } },
    node: {
      api: {
        auth: { required: true, password: 'a-long-password-of-9' },
        keystore: { enabled: true },
      },
    },
    redis: { url: 'redis://127.0.0.1:1' },
    otel: { enabled: true, endpoint: 'http://127.0.0.1:1' },
  },
  { balance: { appCheck: { mode: 'jwt', secret: 'x'.repeat(32) } }, index: { enabled: true }, store: DATABASE },
  { balance: { appCheck: { mode: 'firebase', projectNumber: '1' } } },
]

const ADMIN = /^node\.(api\.admin\.|profileDir$)/

/** Read when a server begins to listen. */
const LATER = ['index.allowIncomplete']

async function seenBy(server: Partially<Config>): Promise<ReadonlySet<string>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'firn-settings-'))
  const { config, seen } = watched(
    createConfig({ ...server, dataDir, log: { level: 'silent' }, market: { defaultTokenLists: [] } }),
  )
  const app = await createApp(config)
  await app.close()
  return seen
}

/**
 * A part that gets a setting as an option which may be left out works without it, by a default of its own: whoever
 * changes such a setting then changes nothing, and no other test shows it.
 */
it('no setting is passed over by all parts of a server', async () => {
  const seen = new Set<string>()
  for (const server of SERVERS) for (const name of await seenBy(server)) seen.add(name)
  // Where admin is on it writes all settings down, to be asked for: of its server only its own ones count.
  for (const name of await seenBy({ node: { api: { admin: { enabled: true } } } })) if (ADMIN.test(name)) seen.add(name)
  expect(
    configKeys
      .map(({ name }) => name)
      .filter((name) => !seen.has(name))
      .sort(),
  ).toEqual(LATER)
})
