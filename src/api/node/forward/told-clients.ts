import type { RawResponse } from '../../../upstream/index.ts'
import { ruleOf } from '../methods/forwarded.ts'
import { type Endpoint, endpointByName } from '../routes/endpoint.ts'
import type { ForwardCall } from './call.ts'
import { createLateNodes, type LateNodes } from './nodes/late-nodes.ts'
import type { NodeGroup, NodePools } from './nodes/node-pools.ts'
import { type BlockHeight, heightCallOf, type ShownBlock } from './nodes/shown-block.ts'
import { createShownHeights } from './nodes/shown-heights.ts'
import type { Told, ToldElsewhere } from './told-elsewhere.ts'
import { acceptedEverywhere, atomicHeightIn, createAwaitedTransactions, noteLacking } from './writes/everywhere.ts'

/** Settles an atomic transaction of the C block at this height. */
export type SettleAtomic = (height: bigint, signal: AbortSignal) => Promise<void> | undefined

/** What clients were told of P, X and atomic transactions, and which nodes lack it. */
export interface ToldClients {
  /** True for a node that lacks something of it, see `LateNodes`. */
  lacks: LateNodes['lacks']
  /** Called with an answer to a read before the client gets it. A promise = it is to be held until then. */
  read(call: ForwardCall, group: NodeGroup, answer: RawResponse): Promise<void> | undefined
  /** Called with an answer to a write. */
  written(call: ForwardCall, answer: RawResponse): void
  /** Clients are shown this block of P or X, without a node. */
  shown(chain: 'P' | 'X', height: bigint): void
  /** See `Forwarder`. */
  beforeAtomic(settle: SettleAtomic): void
  /** The chains were reset. */
  clear(): void
}

export interface ToldClientsDeps {
  pools: Pick<NodePools, 'group'>
  /** Clients hear of something new: answers that depend on the tip are old. */
  onNews: () => void
  blockHeight: BlockHeight
  elsewhere?: ToldElsewhere | undefined
}

/** Largest question (bytes) that other processes also ask lagging nodes: one for a transaction is much shorter. */
const LONGEST_TOLD = 1_024

/** The question that another process was asked. */
const callOf = (endpoint: Endpoint, method: string, body: Buffer): ForwardCall => ({
  endpoint,
  rule: ruleOf(method),
  method,
  params: undefined,
  id: undefined,
  http: { method: 'POST', contentType: 'application/json', contentEncoding: undefined, query: '', body },
  signal: new AbortController().signal,
})

export function createToldClients({ pools, onNews, blockHeight, elsewhere }: ToldClientsDeps): ToldClients {
  const awaited = createAwaitedTransactions()
  const late = createLateNodes()
  const heights = createShownHeights(late, blockHeight)
  let settleAtomic: SettleAtomic | undefined

  const heightOf = ({ height, asked: { endpoint, method = '' } }: ShownBlock, host?: string): Told => ({
    kind: 'height',
    endpoint: endpoint.name,
    method,
    height: String(height),
    host,
  })
  const isHigher = (shown: ShownBlock, host?: string): void => {
    onNews()
    elsewhere?.tell(heightOf(shown, host))
  }
  elsewhere?.recall(function* () {
    for (const shown of heights.recent()) yield heightOf(shown)
    for (const id of awaited.sent()) yield { kind: 'awaited', id, isSent: true }
  })
  const written: ToldClients['written'] = (call, answer) => {
    const transaction = awaited.note(call, answer)
    if (transaction) elsewhere?.tell({ kind: 'awaited', ...transaction })
  }
  const accepted = async (call: ForwardCall, group: NodeGroup, answer: RawResponse): Promise<void> => {
    const { endpoint, method = '', http } = call
    const hosts = await acceptedEverywhere(call, group, answer.host, late)
    const height = endpoint.source === 'C' ? atomicHeightIn(answer.body) : undefined
    if (height !== undefined) await settleAtomic?.(height, call.signal)
    onNews()
    // A truncated question would be refused by every node.
    if (hosts.length === 0 || !http.body || http.body.length > LONGEST_TOLD) return
    elsewhere?.tell({ kind: 'lacking', endpoint: endpoint.name, method, body: http.body.toString('latin1'), hosts })
  }
  elsewhere?.hear((told: Told) => {
    if (told.kind === 'awaited') return awaited.add({ id: told.id, isSent: told.isSent === true })
    // Those of EVM chains, and what is not for here.
    if (told.kind === 'block' || told.kind === 'filter' || told.kind === 'asks') return
    const endpoint = endpointByName(told.endpoint)
    if (!endpoint) return
    const group = pools.group(endpoint.source)
    const { method } = told
    if (told.kind === 'height') {
      if (heights.heard({ height: BigInt(told.height), asked: { endpoint, method } }, group, told.host)) onNews()
      return
    }
    onNews()
    const call = callOf(endpoint, method, Buffer.from(told.body, 'latin1'))
    for (const member of group.members()) if (told.hosts.includes(member.host)) noteLacking(call, member, late)
  })
  return {
    lacks: late.lacks,
    read(call, group, answer) {
      const shown = heights.note(call, group, answer)
      if (shown) isHigher(shown, answer.host)
      written(call, answer)
      return awaited.isNews(call, answer) ? accepted(call, group, answer) : undefined
    },
    written,
    shown(chain, height) {
      const shown = { height, asked: heightCallOf(chain) }
      if (heights.heard(shown, pools.group(chain))) isHigher(shown)
    },
    beforeAtomic: (settle) => {
      settleAtomic = settle
    },
    clear: () => heights.clear(),
  }
}
