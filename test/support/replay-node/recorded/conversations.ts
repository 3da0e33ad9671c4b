import { gunzipSync } from 'node:zlib'
import type { Answer, Incoming } from '../wire/answer.ts'
import type { Recordings } from './recordings.ts'

/** A set of recorded conversations that is replayed byte for byte. */
export type ConversationSet =
  /** Read methods of the newest node whose answers do not change with time. */
  | 'network'
  /** As `network`, and those whose answers were of the moment, too. */
  | 'network-moment'
  /** What was answered once only: admin calls and freshly sent transactions. In the order recorded. */
  | 'network-once'
  | 'l1'
  /** The last node with access tokens, in the order recorded. */
  | 'auth'
  /** The last node with a keystore, in the order recorded. */
  | 'keystore'
  /** info, health, admin and index of that node, in the order recorded. */
  | 'legacy'

interface RecordedBody {
  body?: string
  bodyBase64?: string
  bodyGzipBase64?: string
}

interface Generated {
  prefix: string
  fill: string
  suffix: string
  bytes: number
  chunked?: string
}

/** One line of a conversations file. */
export interface Conversation {
  name: string
  request: RecordedBody & { method: string; path: string; headers: [string, string][]; gen?: Generated; port?: number }
  response: RecordedBody & { status: number; headers: [string, string][] }
  volatile?: string[]
  once?: boolean
}

const FILES: Record<ConversationSet, string> = {
  network: 'network/conversations.ndjson.gz',
  'network-moment': 'network/conversations.ndjson.gz',
  'network-once': 'network/conversations.ndjson.gz',
  l1: 'l1/conversations.ndjson.gz',
  auth: 'legacy/auth-v1.10.19.ndjson.gz',
  keystore: 'legacy/keystore-v1.12.1.ndjson.gz',
  legacy: 'legacy/info-health-admin-index-v1.12.1.ndjson.gz',
}

/** Sets where one call changes the answer to the next. */
const IN_ORDER = new Set<ConversationSet>(['network-once', 'auth', 'keystore', 'legacy'])

const MEMBERS: Partial<Record<ConversationSet, (one: Conversation) => boolean>> = {
  network: (one) => one.once !== true && (one.volatile ?? []).every((path) => path.includes('header')),
  'network-moment': (one) => one.once !== true,
  'network-once': (one) => one.once === true,
}

/** The bytes of a recorded body, large ones unpacked, generated ones built. */
export function bodyOf(recorded: RecordedBody & { gen?: Generated }): Buffer {
  if (recorded.gen !== undefined) {
    const { prefix, fill, suffix, bytes } = recorded.gen
    return Buffer.from(prefix + fill.repeat(bytes - prefix.length - suffix.length) + suffix)
  }
  if (recorded.bodyBase64 !== undefined) return Buffer.from(recorded.bodyBase64, 'base64')
  if (recorded.bodyGzipBase64 !== undefined) return gunzipSync(Buffer.from(recorded.bodyGzipBase64, 'base64'))
  return Buffer.from(recorded.body ?? '')
}

/** Conversations of a set, in the order recorded. */
export function readConversations(recordings: Recordings, set: ConversationSet): Conversation[] {
  const wanted = MEMBERS[set] ?? (() => true)
  return (
    [...recordings.lines(FILES[set])]
      .map((line) => JSON.parse(line) as Conversation)
      .filter((one) => one.request !== undefined && one.response !== undefined && one.response.headers !== undefined)
      // A few were had with another node of the network, behind another port.
      .filter((one) => one.request.port === undefined)
      .filter(wanted)
  )
}

/** Headers that change what a node answers. */
const MATTERS = [
  'authorization',
  'origin',
  'access-control-request-method',
  'access-control-request-headers',
  'avalanche-api-route',
  'content-encoding',
  'upgrade',
]

function isLocal(host: string): boolean {
  return /^(\d+\.\d+\.\d+\.\d+|\[[0-9a-f:]+\]|localhost)(:\d+)?$/i.test(host)
}

/** `application/json` in all its spellings is one media type; any other is compared as it is. */
function mediaOf(contentType: string | undefined): string {
  const media = (contentType ?? '').split(';')[0]?.toLowerCase() ?? ''
  return media === 'application/json' ? media : (contentType ?? '')
}

function fingerprint(header: (name: string) => string | undefined): string {
  const host = header('host') ?? ''
  const values = MATTERS.map((name) => header(name) ?? '')
  return JSON.stringify([mediaOf(header('content-type')), isLocal(host) ? '' : host.toLowerCase(), ...values])
}

function keyOf(method: string, target: string, body: Buffer, header: (name: string) => string | undefined): string {
  return `${method} ${target} ${fingerprint(header)} ${body.toString('latin1')}`
}

function recordedKey({ request }: Conversation): string {
  const headers = new Map<string, string>()
  for (const [name, value] of request.headers) {
    if (!headers.has(name.toLowerCase())) headers.set(name.toLowerCase(), value)
  }
  const chunked = headers.get('transfer-encoding') === 'chunked' && request.gen === undefined
  const body = chunked ? Buffer.from(unchunked(bodyOf(request).toString('latin1')), 'latin1') : bodyOf(request)
  return keyOf(request.method, request.path, body, (name) => headers.get(name))
}

function unchunked(text: string): string {
  let rest = text
  let body = ''
  for (;;) {
    const head = /^([0-9a-fA-F]+)\r\n/.exec(rest)
    const size = Number.parseInt(head?.[1] ?? '0', 16)
    if (head === null || size === 0) return body
    body += rest.slice(head[0].length, head[0].length + size)
    rest = rest.slice(head[0].length + size + 2)
  }
}

export interface ConversationReplay {
  /** The recorded answer to exactly this request; undefined when there is none. */
  answer(request: Incoming): Answer | undefined
}

function toAnswer({ response }: Conversation): Answer {
  return { status: response.status, headers: response.headers, body: bodyOf(response), verbatim: true }
}

function createSetReplay(
  conversations: readonly Conversation[],
  inOrder: boolean,
): (key: string) => Answer | undefined {
  const places = new Map<string, number[]>()
  for (const [index, one] of conversations.entries()) {
    const key = recordedKey(one)
    places.set(key, [...(places.get(key) ?? []), index])
  }
  let cursor = 0
  return (key) => {
    const found = places.get(key)
    if (found === undefined) return undefined
    // State carries over: the next recorded occurrence counts, and only if there is none the first.
    const index = (inOrder ? found.find((place) => place >= cursor) : found[0]) ?? found[0] ?? 0
    cursor = index + 1
    const conversation = conversations[index]
    return conversation === undefined ? undefined : toAnswer(conversation)
  }
}

/** Replays the named sets, the first that knows a request answers it. */
export function createConversationReplay(recordings: Recordings, sets: readonly ConversationSet[]): ConversationReplay {
  let replays: ((key: string) => Answer | undefined)[] | undefined
  return {
    answer(request) {
      replays ??= sets.map((set) => createSetReplay(readConversations(recordings, set), IN_ORDER.has(set)))
      if (replays.length === 0) return undefined
      const key = keyOf(request.method, request.target, request.body, (name) => request.headers[name])
      for (const replay of replays) {
        const answer = replay(key)
        if (answer !== undefined) return answer
      }
      return undefined
    },
  }
}
