import { randomUUID } from 'node:crypto'
import { isRecord } from '../../../lib/json-record.ts'
import type { Source } from '../routes/endpoint.ts'

/** What clients were told by one process, and what the others have to know of it. */
export type Told =
  /** Somebody may wait for this transaction to be accepted; `isSent`: a node has taken it. */
  | { kind: 'awaited'; id: string; isSent?: boolean }
  /** Of P or X, by this node. */
  | { kind: 'height'; endpoint: string; method: string; height: string; host: string }
  /** That a transaction is accepted, which these nodes do not know yet; `body` asks them. */
  | { kind: 'lacking'; endpoint: string; method: string; body: string; hosts: readonly string[] }
  /** Of an EVM chain; `host` has it, where that is known. */
  | { kind: 'block'; path: string; source: Source; height: string; host?: string | undefined }

/** Texts that reach all processes at once, this one too, or are lost. */
export interface SharedNews {
  tell(text: string): void
  listen(listener: (text: string) => void): void
}

/**
 * Behind a balancer the next call of a client is another process's. Nobody waits for it: a message is there before the
 * client's next call, or the answer is as if nothing had been told.
 */
export interface ToldElsewhere {
  tell(told: Told): void
  hear(listener: (told: Told) => void): void
}

const isHeight = (value: unknown): boolean => typeof value === 'string' && /^\d{1,20}$/.test(value)
const areTexts = (...values: unknown[]): boolean => values.every((value) => typeof value === 'string')
const isSource = (value: unknown): boolean =>
  areTexts(value) || (isRecord(value) && areTexts(value['blockchainId'], value['extension']))

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What another process than `me` has told. Another version of this server may say something else. */
function read(text: string, me: string): Told | undefined {
  const told = parsed(text)
  if (!isRecord(told) || told['by'] === me) return undefined
  const { kind, id, endpoint, method, body, height, host, hosts, path, source } = told
  const isTold =
    (kind === 'awaited' && areTexts(id)) ||
    (kind === 'height' && areTexts(endpoint, method, host) && isHeight(height)) ||
    (kind === 'lacking' &&
      areTexts(endpoint, method, body) &&
      Array.isArray(hosts) &&
      hosts.every((host) => areTexts(host))) ||
    (kind === 'block' && areTexts(path) && isHeight(height) && isSource(source))
  return isTold ? (told as unknown as Told) : undefined
}

export function createToldElsewhere(news: SharedNews): ToldElsewhere {
  const listeners: ((told: Told) => void)[] = []
  const me = randomUUID()
  news.listen((text) => {
    const told = read(text, me)
    for (const listener of told ? listeners : [])
      try {
        listener(told as Told)
      } catch {
        // What somebody else says there must not end this process: it is as if nothing had been told.
      }
  })
  return {
    tell: (told) => news.tell(JSON.stringify({ ...told, by: me })),
    hear: (listener) => void listeners.push(listener),
  }
}
