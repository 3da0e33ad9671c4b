import type { ChainLetter } from '../../../../facts/primary-network.ts'
import type { RawResponse } from '../../../../upstream/index.ts'
import type { ChainTips } from '../../evm/read/chain-tips.ts'
import { ruleOf } from '../../methods/forwarded.ts'
import { type Endpoint, endpointByName } from '../../routes/endpoint.ts'
import { type ForwardCall, posted } from '../call.ts'
import type { NodeGroup, NodePools } from '../nodes/node-pools.ts'
import { acceptedEverywhere, noteLacking } from './accepted-everywhere.ts'
import { createAwaitedTransactions } from './awaited-transactions.ts'
import { createCBlocks } from './c-blocks.ts'
import { dependsOnC } from './depends-on-c.ts'
import { createLateNodes, type LateNodes } from './late-nodes.ts'
import type { PeerMessage, PeerProcesses } from './peer-processes.ts'
import { atomicHeightIn, type BlockHeight, heightCallOf, type ShownBlock, shownBlockOfC } from './shown-block.ts'
import { blockBehind, shownExports } from './shown-exports.ts'
import { createShownHeights } from './shown-heights.ts'

/**
 * What clients were shown of P, X, blocks of C and atomic transactions, and which nodes lack it: no client is to be shown
 * an older state next (monotonic reads), or one without what it sent (read your writes), whichever node is asked.
 */
export interface ReadConsistency {
  /** True for a node that lacks something of it, blocks of C aside; see `LateNodes`. */
  lacks: LateNodes['lacks']
  /**
   * The same, and for a node of this group that lacks blocks of C where the answer to the call depends on them, or of an
   * EVM chain that is called.
   */
  lacksFor(call: ForwardCall, group: NodeGroup): LateNodes['lacks']
  /**
   * Called with an answer to a read; the client gets the answer only afterwards. False = its node did not report by which
   * block it has what it shows (it is gone, say), so that it would not be known which nodes are older. Never rejects.
   */
  read(call: ForwardCall, group: NodeGroup, answer: RawResponse): Promise<boolean>
  /** Called with an answer to a write. */
  written(call: ForwardCall, answer: RawResponse): void
  /** Clients are shown this block, without a node. */
  shown(chain: ChainLetter, height: bigint): void
  /** Height of the newest block of C that clients were told of, if known. */
  newestOfC(): bigint | undefined
  /** The chains were reset. */
  clear(): void
}

export interface ReadConsistencyDeps {
  pools: Pick<NodePools, 'group'>
  tips: ChainTips
  /** Clients hear of something new: answers that depend on the tip are old. */
  onNews: () => void
  blockHeight: BlockHeight
  peers?: PeerProcesses | undefined
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
  http: posted(body),
  signal: new AbortController().signal,
})

export function createReadConsistency(deps: ReadConsistencyDeps): ReadConsistency {
  const { pools, tips, onNews, blockHeight, peers } = deps
  const blocksOfC = createCBlocks({ pools, tips })
  const awaited = createAwaitedTransactions()
  const late = createLateNodes()
  const heights = createShownHeights(late, blockHeight)

  const heightOf = ({ height, asked: { endpoint, method = '' } }: ShownBlock, host?: string): PeerMessage => ({
    kind: 'height',
    endpoint: endpoint.name,
    method,
    height: String(height),
    host,
  })
  const isHigher = (shown: ShownBlock, host?: string): void => {
    onNews()
    peers?.tell(heightOf(shown, host))
  }
  peers?.recall(function* () {
    for (const shown of heights.recent()) yield heightOf(shown)
    for (const id of awaited.sent()) yield { kind: 'awaited', id, isSent: true }
  })
  const written: ReadConsistency['written'] = (call, answer) => {
    const transaction = awaited.note(call, answer)
    if (transaction) peers?.tell({ kind: 'awaited', ...transaction })
  }
  const accepted = async (call: ForwardCall, group: NodeGroup, answer: RawResponse): Promise<void> => {
    const { endpoint, method = '', http } = call
    const hosts = await acceptedEverywhere(call, group, answer.host, late)
    const height = endpoint.source === 'C' ? atomicHeightIn(answer.body) : undefined
    if (height !== undefined) await blocksOfC.settle(height, call.signal)
    onNews()
    // A truncated question would be refused by every node.
    if (hosts.length === 0 || !http.body || http.body.length > LONGEST_TOLD) return
    peers?.tell({ kind: 'lacking', endpoint: endpoint.name, method, body: http.body.toString('latin1'), hosts })
  }
  /** Behind what shows a block of C, or in which one an atomic transaction is, clients ask about that block. */
  const shownOfC = (call: ForwardCall, answer: RawResponse): Promise<void> | undefined => {
    if (call.endpoint.source !== 'C') return undefined
    const height = call.rule.news ? atomicHeightIn(answer.body) : shownBlockOfC(call, answer, blockHeight)
    return height === undefined ? undefined : blocksOfC.shown(height, answer.host, call.signal)
  }
  /** Behind outputs that it was shown, a client asks for them again, or imports them. */
  const exported = async (call: ForwardCall, group: NodeGroup, answer: RawResponse): Promise<boolean> => {
    const { host } = answer
    let isKnown = true
    for (const chain of shownExports(call, group, answer)) {
      if (chain === 'C') {
        if ((await blocksOfC.look(host)) === false) isKnown = false
        continue
      }
      const shown = await blockBehind(chain, host, { group, signal: call.signal })
      if (!shown) isKnown = false
      else if (heights.heard(shown, pools.group(chain), host)) isHigher(shown, host)
    }
    return isKnown
  }
  /** Tells of a node whether it lacks blocks that the answer to a call depends on; undefined = it depends on none. */
  const blockLackOf = (call: ForwardCall, group: NodeGroup): ((host: string) => boolean) | undefined => {
    const { endpoint } = call
    if (endpoint.dialect === 'evm') return (host) => tips.of(endpoint).mayLackNewest(host, group, endpoint)
    return dependsOnC(call) ? blocksOfC.lacks : undefined
  }
  peers?.hear((told: PeerMessage) => {
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
    lacksFor(call, group) {
      const lacksBlocks = blockLackOf(call, group)
      if (group.hosts.length < 2 || !lacksBlocks) return late.lacks
      return (host, chain) => {
        // Calls both: each triggers a look at the node.
        const isBehind = lacksBlocks(host)
        return late.lacks(host, chain) || isBehind
      }
    },
    async read(call, group, answer) {
      const shown = heights.note(call, group, answer)
      if (shown) isHigher(shown, answer.host)
      written(call, answer)
      await shownOfC(call, answer)
      if (awaited.isNews(call, answer)) await accepted(call, group, answer)
      return exported(call, group, answer)
    },
    written,
    shown(chain, height) {
      if (chain === 'C') return blocksOfC.own(height)
      const shown = { height, asked: heightCallOf(chain) }
      if (heights.heard(shown, pools.group(chain))) isHigher(shown)
    },
    newestOfC: blocksOfC.newest,
    clear() {
      heights.clear()
      late.clear()
    },
  }
}
