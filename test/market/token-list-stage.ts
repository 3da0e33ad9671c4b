import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { createTokenLists, type TokenListOptions, type TokenLists } from '../../src/market/index.ts'
import { type FaultServer, startFaultServer } from '../support/upstream/fault-server.ts'

export const CHAIN = 'eip155:777'
export const address = (index: number): string => `0x${index.toString(16).padStart(40, '0')}`
export const entry = (index: number, symbol = `T${index}`, chainId = 777) => ({
  chainId,
  address: address(index),
  name: `Token ${index}`,
  symbol,
  decimals: 18,
})

/** What one test of token lists has: made before it and taken away behind it. */
export interface TokenListStage {
  server: FaultServer
  /** What the server answers, by path. `/a.json` has two tokens at first. */
  documents: Record<string, unknown>
  /** Requests that the server got. */
  seen: { path: string; etag: string | undefined; since: string | undefined; status: number }[]
  /** A folder of this test's own; lists are kept in `cache` in it. */
  folder: string
  /** Those that `open` opened last. */
  lists: TokenLists
}

const cleared = (): Omit<TokenListStage, 'server' | 'folder' | 'lists'> => ({
  seen: [],
  documents: { '/a.json': { tokens: [entry(2), entry(1)] } },
})

/** A server of lists that knows conditional requests, and lists over it; the same object in every test of a file. */
export function useTokenLists() {
  const stage = { ...cleared() } as TokenListStage
  const url = (path: string): string => stage.server.url + path

  beforeEach(async () => {
    Object.assign(stage, cleared())
    stage.folder = await mkdtemp(join(tmpdir(), 'firn-lists-'))
    stage.server = await startFaultServer({
      handle: (request) => {
        const path = request.url ?? '/'
        const { documents } = stage
        const body = typeof documents[path] === 'string' ? String(documents[path]) : JSON.stringify(documents[path])
        const etag = `"${Buffer.from(body ?? '').length}-${body?.slice(-40, -1).replaceAll('"', '')}"`
        const status = documents[path] === undefined ? 404 : request.headers['if-none-match'] === etag ? 304 : 200
        stage.seen.push({
          path,
          etag: request.headers['if-none-match'],
          since: request.headers['if-modified-since'],
          status,
        })
        const headers = { etag, 'last-modified': 'Mon, 16 Nov 2026 08:00:00 GMT' }
        return { status, headers, body: status === 200 ? body : '' }
      },
    })
  })

  afterEach(async () => {
    await stage.lists.close()
    await stage.server.close()
    await rm(stage.folder, { recursive: true, force: true })
  })

  const begin = (options: Partial<TokenListOptions> = {}): void => {
    stage.lists = createTokenLists({
      sources: { [CHAIN]: [url('/a.json')] },
      cacheDir: join(stage.folder, 'cache'),
      refreshMs: 3_600_000,
      ...options,
    })
    stage.lists.start()
  }

  return {
    stage,
    url,
    symbols: (caip2Id = CHAIN): string[] => stage.lists.tokens(caip2Id).map((token) => token.symbol),
    /** Starts lists without waiting for any. */
    begin,
    async open(options: Partial<TokenListOptions> = {}): Promise<void> {
      begin(options)
      await stage.lists.loaded()
    },
  }
}
