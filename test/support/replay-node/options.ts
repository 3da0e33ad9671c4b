import type { ChainName, Heights } from './recorded/chain-tips.ts'
import type { ConversationSet } from './recorded/conversations.ts'
import type { RunningChains } from './running-chain.ts'

/** What can go wrong on purpose; every knob can be turned while the node runs. */
export interface Faults {
  /** Each answer waits this long, milliseconds. */
  latencyMs: number
  /** Blocks the node is behind the tips, on every chain. */
  lagBlocks: number
  /** The next so many requests lose their connection without an answer. */
  dropNext: number
  /** Every request loses its connection. */
  dropAll: boolean
  /** Every request gets an HTML page with this status, as from a proxy in front of a dead node. */
  html: number | undefined
  /** /ext/index is not there. */
  indexOff: boolean
  /** Health checks fail with this text. */
  unhealthy: string | undefined
  /** Chain endpoints answer 503, and no chain is bootstrapped, as while bootstrapping. */
  bootstrapping: boolean
  /** Only requests whose path contains this text meet `latencyMs`, drops and `html`. */
  onPath: string
}

export interface ReplayNodeOptions {
  /** Folder of recordings. Default: test/fixtures. */
  recordings?: string
  /** 0 = any free port (default). */
  port?: number
  /** Heights the chains stand at in the beginning. Default: their recorded ends. */
  upTo?: Partial<Heights>
  /** Recorded conversations to replay byte for byte before anything is computed. Default: none. */
  conversations?: readonly ConversationSet[]
  /** Answer what cannot be computed from recorded answers to the same question. Default: true. */
  facts?: boolean
  /** Asked for what neither recordings nor facts tell of the C-chain and the L1. Default: nobody is. */
  running?: RunningChains
  faults?: Partial<Faults>
  /** Host names accepted beside IP addresses. Default: localhost. `*` accepts all. */
  allowedHosts?: readonly string[]
  /** The node's wall clock in unix seconds. Default: the recorded time of the tips. */
  clock?: () => number
}

export interface ReplayCounters {
  requests: number
  /** Answers replayed from conversations. */
  replayed: number
  /** Answers taken from recorded facts. */
  facts: number
  /** Calls by JSON-RPC method, batch entries one by one. */
  methods: Record<string, number>
  /** Requests that are being answered now, and the most there were at once. */
  active: number
  mostActive: number
  /** Requests whose client left before the answer. */
  aborted: number
  /** Transactions a client asked the node to issue, in order. */
  issued: { chain: string; bytes: string }[]
}

export interface ReplayNode {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  url: string
  port: number
  counters: ReplayCounters
  faults: Faults
  /** Heights served now, faults included. */
  heights(): Heights
  /** Recorded ends of the chains. */
  readonly last: Heights
  /** Accepts the next blocks in recorded order; returns the chains that moved. */
  advance(blocks?: number): ChainName[]
  /** Sets single chains' tips. */
  moveTo(heights: Partial<Heights>): void
  stop(): Promise<void>
}
