import { BadAnswerError, JsonRpcError } from '../../errors.ts'
import { steadyNow } from '../../lib/steady-clock.ts'
import { mapBounded } from '../../lib/waiting/map-bounded.ts'
import type { CallOptions, UpstreamPool } from '../../upstream/types.ts'
import { createBlockReceipts, mayBeElsewhere, readCall } from './block-receipts.ts'
import { createBlockTracer } from './block-tracer.ts'
import { createContractNames } from './contract-names.ts'
import { createBlockProof, type SettlingBlock } from './proof/index.ts'
import { bare, type EvmFacts, quantity, type RpcBlock } from './rpc-block.ts'
import { createTracing, type Executed, type TracePolicy } from './tracing.ts'

/** `id`: its hash if the caller knows it, hex without 0x. */
export interface WantedBlock {
  height: bigint
  id?: string
}

export interface EvmReader {
  /** Height and hash of the last block. */
  tip(signal: AbortSignal): Promise<{ height: bigint; id: string }>
  /**
   * The same from a server that last told of a block above `height`, which others may lack since they stand still;
   * `told` is the highest of those. Undefined, and no call, if there is no such server.
   */
  laterTip(height: bigint, signal: AbortSignal): Promise<{ height: bigint; id: string; told: bigint } | undefined>
  /**
   * Complete blocks of these heights, checked against their hashes as far as possible.
   * @param nameless contracts whose names come with them, whether they are in these blocks or not; hex without 0x
   */
  read(blocks: readonly WantedBlock[], signal: AbortSignal, nameless?: readonly string[]): Promise<EvmFacts[]>
  /**
   * Blocks again, each with the accounts that sent or received native value inside its transactions; hex without 0x.
   * @param atOnce blocks that nodes run at the same time
   * @throws FirnError when no node traces one of them
   */
  traced(blocks: readonly WantedBlock[], atOnce: number, signal: AbortSignal): Promise<TracedBlock[]>
  /** Call this when the store may lack blocks that were read: contract names are read again. */
  restart(): void
  /** For status and health: whether blocks and receipts cannot be checked against hashes, and what no node traces. */
  notes(): string[]
  /**
   * Finds the receipts of these blocks that have this root together, using other servers' answers. From then on answers
   * with other receipts are rejected. Nothing changes if no server has such receipts.
   */
  correct(blocks: readonly SettlingBlock[], root: string, signal: AbortSignal): Promise<void>
  /** The chain's first block: of height 0, or one without a parent. Undefined if no node has it. */
  first(signal: AbortSignal): Promise<{ height: bigint; id: string } | undefined>
  /** Undefined if there is no block of that height. */
  hashAt(height: bigint, signal: AbortSignal): Promise<string | undefined>
}

export interface TracedBlock {
  block: RpcBlock
  parties: readonly string[]
}

export interface EvmReaderOptions {
  /** True for a chain with a known way of hashing, whatever its blocks look like. */
  hashes?: boolean
  /** Whether value that contracts send inside transactions is read; default `off`. */
  traces?: TracePolicy
  /** True for a block of which another server may tell more: this one is used only if none does. */
  isPartial?: (block: RpcBlock) => boolean
  /** Milliseconds; steady. */
  now?: () => number
}

const placeOf = ({ number, hash }: RpcBlock) => ({ height: quantity(number), id: bare(hash) })
/** Throws for what is no block. */
const expectPlace = (said: unknown): void => void (said !== null && placeOf(said as RpcBlock))

const orRefusal = (error: unknown): JsonRpcError => {
  if (error instanceof JsonRpcError) return error
  throw error
}

const isFirst = (said: unknown): said is RpcBlock => {
  const { number, parentHash } = (said ?? {}) as Partial<RpcBlock>
  return number !== undefined && (quantity(number) === 0n || /^0x0+$/.test(parentHash ?? ''))
}

/**
 * Reads blocks and receipts in as few exchanges as the pool's batches allow; all of a page is requested at once.
 * Servers whose answers do not match the blocks' hashes are skipped.
 */
export function createEvmBlockReader(
  pool: UpstreamPool,
  path: string,
  { hashes, traces = 'off', isPartial = () => false, now = steadyNow }: EvmReaderOptions = {},
): EvmReader {
  const names = createContractNames(pool, path)
  const tracer = createBlockTracer(pool, path)
  const tracing = createTracing(tracer, traces)
  const proof = createBlockProof(hashes)
  const receipts = createBlockReceipts(pool, path, { proof, now })

  const lookUp = (height: bigint, full: boolean, options: CallOptions): Promise<RpcBlock | null> => {
    const isOther = (told: RpcBlock) => quantity(told.number) !== height || (full && isPartial(told))
    const doubts = (said: unknown) => mayBeElsewhere(said) || !said || isOther(said as RpcBlock)
    return pool.rpc(path, 'eth_getBlockByNumber', [`0x${height.toString(16)}`, full], { ...options, doubts })
  }

  /**
   * Chains on CometBFT have no block 0. They return block 1 instead, or a block that is nobody's parent (Sei), or begin
   * at the height of their restart. The earliest block of a pruned node has a parent.
   */
  async function first(signal: AbortSignal): Promise<{ height: bigint; id: string } | undefined> {
    for (const place of ['0x1', '0x0', 'earliest']) {
      // On most chains block 1 has a parent, and no node has another block 1.
      const doubts = place === '0x1' ? mayBeElsewhere : (said: unknown) => !isFirst(said)
      const options = { ...readCall(signal), doubts }
      const found = await pool.rpc<unknown>(path, 'eth_getBlockByNumber', [place, false], options).catch(orRefusal)
      if (isFirst(found)) return placeOf(found)
    }
    return undefined
  }

  const block = async ({ height, id }: WantedBlock, signal: AbortSignal): Promise<RpcBlock> => {
    const check = (answer: unknown) => {
      if (answer) expectWanted(answer as RpcBlock, height, id)
      if (answer) proof.expectBlock(answer as RpcBlock)
    }
    const answer = await lookUp(height, true, { ...readCall(signal), check })
    if (!answer) throw new BadAnswerError(`block ${height} is not there yet`)
    return answer
  }

  async function executed(wanted: readonly WantedBlock[], signal: AbortSignal): Promise<Executed[]> {
    const blocks = await Promise.all(wanted.map((one) => block(one, signal)))
    const told = await Promise.all(blocks.map((found) => receipts.of(found, signal)))
    return blocks.map((found, at) => ({ block: found, receipts: told[at] ?? [] }))
  }

  async function tip(call: CallOptions): Promise<{ height: bigint; id: string }> {
    const options = { ...call, check: expectPlace, doubts: mayBeElsewhere }
    const latest = await pool.rpc<RpcBlock | null>(path, 'eth_getBlockByNumber', ['latest', false], options)
    if (!latest) throw new BadAnswerError('there is no latest block')
    return placeOf(latest)
  }

  return {
    tip: (signal) => tip(readCall(signal)),
    async laterTip(height, signal) {
      const { hosts, highest } = toldAbove(pool, height)
      if (hosts.size === 0) return undefined
      return { ...(await tip({ ...readCall(signal), avoid: (host) => !hosts.has(host) })), told: highest }
    },
    restart: names.forget,
    correct: receipts.correct,
    notes: () => [
      ...(proof.hashes === false ? ['receipts not checked: hashes are made in an unknown way'] : []),
      ...tracing.notes(),
    ],
    first,
    async hashAt(height, signal) {
      const found = await lookUp(height, false, { ...readCall(signal), check: expectPlace })
      const place = found && placeOf(found)
      return place?.height === height ? place.id : undefined
    },
    async traced(wanted, atOnce, signal) {
      const trace = async ({ block: found, receipts: own }: Executed): Promise<TracedBlock> => {
        const parties = await tracer.trace(found, own, signal)
        if (parties !== undefined) tracing.resume()
        return { block: found, parties: parties ?? [] }
      }
      return mapBounded(await executed(wanted, signal), atOnce, trace, signal)
    },
    async read(wanted, signal, nameless = []) {
      const all = await executed(wanted, signal)
      const logged = all.flatMap((one) => one.receipts)
      const [known, told] = await Promise.all([names.learn(logged, signal, nameless), tracing.parties(all, signal)])
      names.passedOn(known)
      return all.map((one, at) => {
        const parties = told[at]
        return { ...one, names: known, ...(parties ? { parties } : { isUntraced: true }) }
      })
    },
  }
}

/** Healthy servers that last told of a block above this one; no height counts that the pool does not believe. */
function toldAbove(pool: UpstreamPool, height: bigint): { hosts: ReadonlySet<string>; highest: bigint } {
  const head = pool.head() ?? height
  const hosts = new Set<string>()
  let highest = height
  for (const { host, healthy, height: told = height } of pool.status()) {
    if (!healthy || told <= height || told > head) continue
    hosts.add(host)
    if (told > highest) highest = told
  }
  return { hosts, highest }
}

function expectWanted(found: RpcBlock, height: bigint, id: string | undefined): void {
  if (quantity(found.number) !== height) throw new BadAnswerError(`block ${found.number} where ${height} belongs`)
  if (id !== undefined && bare(found.hash) !== id)
    throw new BadAnswerError(`block ${found.number} has the hash ${found.hash}, expected 0x${id}`)
}
