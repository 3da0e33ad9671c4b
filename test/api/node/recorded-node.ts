import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type App, type AppOverrides, createApp } from '../../../src/app.ts'
import { createConfig, type Partially } from '../../../src/config/index.ts'
import type { Config } from '../../../src/config/schema.ts'
import { FIXTURES } from '../../support/recorded/recordings.ts'
import { type ReplayNode, startReplayNode } from '../../support/replay-node/index.ts'
import {
  bodyOf,
  type Conversation,
  type ConversationSet,
  readConversations,
} from '../../support/replay-node/recorded/conversations.ts'
import { compareReplies, type Verdict } from '../../support/replay-node/recorded/recorded-comparison.ts'
import { openRecordings } from '../../support/replay-node/recorded/recordings.ts'
import { sendRaw } from '../../support/server/raw-http.ts'
import { prepareDatabase } from '../../support/server/stage.ts'

export const recordings = openRecordings(FIXTURES)

/** Firn before a node that replays recorded conversations word for word. */
export interface RecordedStage {
  node: ReplayNode
  app: App
  url: string
  port: number
  close(): Promise<void>
}

/** A configuration with only this network: nothing is asked of the world. */
export const testConfig = (urls: readonly string[], over: Partially<Config> = {}): Config =>
  createConfig({
    // Of its own for every server: what another one left behind, or damaged, changes nothing.
    dataDir: mkdtempSync(join(tmpdir(), 'firn-node-')),
    log: { level: 'silent' },
    market: { prices: { provider: 'none' }, defaultTokenLists: [] },
    ...over,
    http: { port: 0, shutdownDelayMs: 0, ...over.http },
    chains: {
      catalogue: false,
      avalanche: { testnet: { name: 'Recorded', upstreams: urls.map((url) => ({ url })) } },
      ...over.chains,
    },
  })

/** The whole server with a database in place where it needs one. */
export async function createTestApp(config: Config, overrides: AppOverrides = {}): Promise<App> {
  await prepareDatabase(config)
  return createApp(config, overrides)
}

export async function startStage(
  conversations: readonly ConversationSet[],
  over: Partially<Config> = {},
): Promise<RecordedStage> {
  const node = await startReplayNode({ conversations })
  const app = await createTestApp(testConfig([node.url], over))
  const url = await app.listen()
  await untilKnown(url)
  return {
    node,
    app,
    url,
    port: Number(new URL(url).port),
    close: async () => {
      await app.close()
      await node.stop()
    },
  }
}

/** Until the server knows whose id its own answers carry. */
async function untilKnown(url: string): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const answer = await fetch(`${url}/ext/unknown`)
    await answer.arrayBuffer()
    if (answer.headers.has('node-id')) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('the node id was not learned')
}

type Loose = Conversation & {
  request: { httpVersion?: string; gen?: { chunked?: string } }
}

/** Sends a recorded request byte for byte and compares the reply with the recorded one. */
export async function replay(
  port: number,
  recorded: Conversation,
): Promise<{ verdict: Verdict | 'none'; seen: string }> {
  const { request } = recorded as Loose
  try {
    const reply = await sendRaw(port, {
      method: request.method,
      target: request.path,
      headers: request.headers.map(([name, value]) => [name, /^\((\d+) × a\)$/.test(value) ? big(value) : value]),
      body: bodyOf(request),
      ...(request.httpVersion === undefined ? {} : { version: request.httpVersion }),
      ...(request.gen?.chunked === undefined
        ? {}
        : { chunks: request.gen.chunked === 'one chunk' ? Number.MAX_SAFE_INTEGER : 65_536 }),
    })
    const seen = { ...reply, body: reply.body.toString('utf8') }
    return { verdict: compareReplies(recorded, seen), seen: JSON.stringify(seen).slice(0, 600) }
  } catch (error) {
    return { verdict: 'none', seen: String(error) }
  }
}

const big = (value: string): string => 'a'.repeat(Number(/\d+/.exec(value)?.[0]))

export const conversationsOf = (set: ConversationSet): Conversation[] => readConversations(recordings, set)
