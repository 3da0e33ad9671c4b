import { randomUUID } from 'node:crypto'
import { isRecord } from '../../../../lib/json/json-record.ts'
import type { Source } from '../../routes/endpoint.ts'

/** What clients of one process were told, as far as other processes have to know it. */
export type PeerMessage =
  /** A client may wait for this transaction to be accepted; `isSent`: a node has accepted it for processing. */
  | { kind: 'awaited'; id: string; isSent?: boolean }
  /** Height of P or X; `host` has it, if known. */
  | { kind: 'height'; endpoint: string; method: string; height: string; host?: string | undefined }
  /** A transaction is accepted but these nodes do not have it yet; `body` is the question to them. */
  | { kind: 'lacking'; endpoint: string; method: string; body: string; hosts: readonly string[] }
  /** Block of an EVM chain; `host` has it, if known. */
  | { kind: 'block'; path: string; source: Source; height: string; host?: string | undefined }
  /** What is known of a filter of an EVM chain (`HeldFilter`), as JSON; left out = it is forgotten. */
  | { kind: 'filter'; path: string; id: string; filter?: string | undefined }
  /** A process has started, or messages to it were lost: the others tell again what they know. */
  | { kind: 'asks' }

/** Texts that reach all processes at once, including this one, or are lost. */
export interface SharedNews {
  /** True once all of them have been sent it, false = it may be lost; undefined = it is not sent. Never rejects. */
  tell(text: string): Promise<boolean> | undefined
  /** @param onJoined called whenever messages go both ways after a gap */
  listen(listener: (text: string) => void, onJoined?: () => void): void
}

/** Behind a load balancer, a client's next call may go to another process, which is to know what this one told. */
export interface PeerProcesses {
  tell(told: PeerMessage): void
  /**
   * Until the other processes have been sent what was told before, for an answer to wait for; undefined = they have, or
   * nobody knows when they will be. A message takes two round trips to the server between them, once for each news.
   */
  sent(): Promise<unknown> | undefined
  hear(listener: (told: PeerMessage) => void): void
  /** Registers what is told again to processes that may not have heard of it. */
  recall(known: () => Iterable<PeerMessage>): void
}

/** Several processes that ask at a time, as behind a restart of the server between them, are answered once. Milliseconds. */
const GATHER_MS = 50

const isHeight = (value: unknown): boolean => typeof value === 'string' && /^\d{1,20}$/.test(value)
const areTexts = (...values: unknown[]): boolean => values.every((value) => typeof value === 'string')
const isHost = (value: unknown): boolean => value === undefined || areTexts(value)
const isSource = (value: unknown): boolean =>
  areTexts(value) || (isRecord(value) && areTexts(value['blockchainId'], value['extension']))

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A message of a process other than `me`. Another version of this server may send unknown messages. */
function read(text: string, me: string): PeerMessage | undefined {
  const told = parsed(text)
  if (!isRecord(told) || told['by'] === me) return undefined
  const { kind, id, endpoint, method, body, height, host, hosts, path, source, filter } = told
  const isTold =
    kind === 'asks' ||
    (kind === 'awaited' && areTexts(id)) ||
    (kind === 'height' && areTexts(endpoint, method) && isHeight(height) && isHost(host)) ||
    (kind === 'lacking' &&
      areTexts(endpoint, method, body) &&
      Array.isArray(hosts) &&
      hosts.every((host) => areTexts(host))) ||
    (kind === 'block' && areTexts(path) && isHeight(height) && isSource(source) && isHost(host)) ||
    (kind === 'filter' && areTexts(path, id) && (filter === undefined || areTexts(filter)))
  return isTold ? (told as unknown as PeerMessage) : undefined
}

export function createPeerProcesses(news: SharedNews): PeerProcesses {
  const listeners: ((told: PeerMessage) => void)[] = []
  const memories: (() => Iterable<PeerMessage>)[] = []
  const me = randomUUID()
  const sending = new Set<Promise<void>>()
  /** A server that hangs is waited for once, not with each message. */
  let isAnswering = true
  const tell = (told: PeerMessage): void => {
    const result = news.tell(JSON.stringify({ ...told, by: me }))
    const own = result?.then((isSent) => {
      isAnswering = isSent
      sending.delete(own as Promise<void>)
    })
    if (own) sending.add(own)
  }
  let isRecalling = false
  const tellAgain = (): void => {
    if (isRecalling) return
    isRecalling = true
    setTimeout(() => {
      isRecalling = false
      for (const known of memories) for (const told of known()) tell(told)
    }, GATHER_MS).unref()
  }
  const onText = (text: string): void => {
    const told = read(text, me)
    if (told?.kind === 'asks') tellAgain()
    for (const listener of told ? listeners : [])
      try {
        listener(told as PeerMessage)
      } catch {
        // A bad message must not crash this process: it is ignored.
      }
  }
  news.listen(onText, () => {
    tell({ kind: 'asks' })
    // Clients of this process were told more meanwhile.
    tellAgain()
  })
  return {
    tell,
    sent: () => (isAnswering && sending.size > 0 ? Promise.all(sending) : undefined),
    hear: (listener) => void listeners.push(listener),
    recall: (known) => void memories.push(known),
  }
}
