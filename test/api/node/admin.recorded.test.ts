import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { App } from '../../../src/app.ts'
import { type ReplayNode, startReplayNode } from '../../support/replay-node/index.ts'
import type { Conversation, ConversationSet } from '../../support/replay-node/recorded/conversations.ts'
import { bodyOf } from '../../support/replay-node/recorded/conversations.ts'
import { sendRaw } from '../../support/server/raw-http.ts'
import { adminDifferences } from './admin-differences.ts'
import { conversationsOf, createTestApp, testConfig } from './recorded-node.ts'

const ofAdmin = (set: ConversationSet, names: RegExp): Conversation[] =>
  conversationsOf(set).filter(({ name, request }) => names.test(name) && request.port === undefined)

const text = (reply: { status: number; body: Buffer }): string => `${reply.status} ${reply.body.toString()}`

/** The recorded sets and the networks whose ids their aliases are about. */
const SETS: readonly { set: ConversationSet; ids: { X: string; C: string } }[] = [
  {
    set: 'network-once',
    ids: {
      X: '2MKu1acJvZmquPwrDGA9n3ySwUfuyYhpuxNgfuQHABtywcqjoQ',
      C: '2VAWjEMo1KuAs7Y1jKpjXDTepd4VNhgV9d5W5LvzPfMRvpn6yQ',
    },
  },
  {
    set: 'legacy',
    ids: {
      X: '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed',
      C: '2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC',
    },
  },
]

describe.each(SETS)('recorded admin calls of $set, in order', ({ set, ids }) => {
  let app: App
  let node: ReplayNode
  let port: number
  let dataDir: string

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'firn-admin-'))
    node = await startReplayNode({ conversations: [set] })
    app = await createTestApp(
      testConfig([], {
        dataDir,
        log: { level: 'info', displayLevel: set === 'legacy' ? 'info' : 'error' },
        node: { api: { admin: { enabled: true } } },
        chains: {
          catalogue: false,
          avalanche: {
            testnet: {
              name: 'Recorded',
              upstreams: [{ url: node.url }],
              xBlockchainId: ids.X,
              cBlockchainId: ids.C,
            },
          },
        },
      }),
      { logger: pino({ level: 'silent' }) },
    )
    port = Number(new URL(await app.listen()).port)
  })
  afterAll(async () => {
    await app.close()
    await node.stop()
    await rm(dataDir, { recursive: true, force: true })
  })

  it('answers as the node did, but for what is decided otherwise', async () => {
    const lines = ofAdmin(set, /^admin\//)
    expect(lines.length).toBeGreaterThan(25)
    for (const { name, request, response } of lines) {
      const reply = await sendRaw(port, {
        method: request.method,
        target: request.path,
        headers: request.headers,
        body: bodyOf(request),
      })
      const difference = adminDifferences.find(({ names }) => names.test(name))
      if (difference) {
        const { result } = JSON.parse(reply.body.toString()) as { result?: unknown }
        expect(result, name).toBeDefined()
        if (difference.result !== undefined) expect(result, name).toEqual(difference.result)
      } else if (request.path.startsWith('/ext/admin'))
        expect(`${name}: ${text(reply)}`).toBe(`${name}: ${text({ status: response.status, body: bodyOf(response) })}`)
      else expect(reply.status, name).toBe(response.status)
    }
  })

  it('wrote the profiles, for its owner only', async () => {
    if (set !== 'network-once') return
    for (const name of ['cpu.profile', 'mem.profile', 'lock.profile']) {
      const { mode, size } = await stat(join(dataDir, 'profiles', name))
      expect(mode & 0o777, name).toBe(0o600)
      expect(size, name).toBeGreaterThan(2)
    }
  })
})
