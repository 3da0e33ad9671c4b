import type { AvalancheNetwork } from '../../chains/avalanche/index.ts'
import { BadAnswerError, CancelledError, FirnError } from '../../errors.ts'
import type { ChainLetter } from '../../facts/primary-network.ts'
import type { IndexReader } from '../../store/index.ts'
import type { StreamProgress } from '../../store/rows/index.ts'
import type { UpstreamPool } from '../../upstream/types.ts'
import { createEvmBlockReader } from '../evm/index.ts'
import { createRandom, type Random } from './random.ts'
import { compareBlock } from './same-block.ts'
import { compareL1Validator } from './same-l1-validator.ts'
import { compareOutput } from './same-output.ts'
import { compareOwner } from './same-utxos.ts'

/** How long to wait for index and node to reach the same blocks, unless they did not recently. */
const PATIENCE_MS = 15_000

/** Consecutive failed samples after which a chain is left out. */
const MOST_FAILURES = 3

/** P, X and C of a network, under its name in the store. */
export interface VerifiedNetwork {
  name: string
  network: AvalancheNetwork
  /** Those of its chains that are to be in the index. */
  letters: readonly ChainLetter[]
}

/** An EVM stream. */
export interface VerifiedEvmChain {
  name: string
  chainId: bigint
  pool: UpstreamPool
  path: string
}

export interface VerifyTask {
  reader: IndexReader
  networks: readonly VerifiedNetwork[]
  evm: readonly VerifiedEvmChain[]
  /** Addresses, outputs and L1 validators per network, and heights per stream. */
  samples: number
  /** Ends early after this long, milliseconds. */
  durationMs: number
  seed: number
  signal: AbortSignal
  clock?: () => number
}

export interface VerifyReport {
  blocks: number
  addresses: number
  /** Of P, X and C, spent or not, each with its owners' entries. */
  outputs: number
  /** Removed ones included. */
  l1Validators: number
  /** Addresses and L1 validators whose chains never stood still for long enough to be compared. */
  unsettled: number
  /** Chains without an answer from any node at the end, left out or not, each with its last reason. */
  unanswered: string[]
  /** Configured streams that are not in the index. */
  missing: string[]
  /** One text for each. */
  differences: string[]
}

/** Samples all streams in turn until there are enough samples or time is up. */
export async function verifyIndex(task: VerifyTask): Promise<VerifyReport> {
  const { reader, networks, evm, samples, durationMs, seed, signal, clock = () => performance.now() } = task
  const end = clock() + durationMs
  const left = (): number => Math.max(0, end - clock())
  const random = createRandom(seed)
  const nothing = { blocks: 0, addresses: 0, outputs: 0, l1Validators: 0, unsettled: 0 }
  const report: VerifyReport = { ...nothing, unanswered: [], missing: [], differences: [] }
  const progress = new Map((await reader.progress()).map((stream) => [stream.stream, stream]))
  const turns: Turn[] = [
    ...networks.flatMap((network) => networkTurns({ ...task, left }, network, progress, random, report)),
    ...evm.flatMap((chain) => evmTurns(task, chain, progress, random, report)),
  ]
  await takeAll(turns, samples, () => left() === 0, signal)
  for (const { name, reason } of turns) if (reason !== undefined) report.unanswered.push(`${name}: ${reason}`)
  return report
}

async function takeAll(
  turns: readonly Turn[],
  samples: number,
  isOver: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  for (let sample = 0; sample < samples; sample++) {
    for (const one of turns) {
      signal.throwIfAborted()
      if (isOver()) return
      if (one.failures < MOST_FAILURES) await take(one)
    }
  }
}

type Progress = ReadonlyMap<string, StreamProgress>

/** One kind of sample. */
interface Turn {
  name: string
  run: () => Promise<void>
  /** In a row. */
  failures: number
  /** Why the last one failed, if it did. */
  reason?: string | undefined
}

const turn = (name: string, run: () => Promise<void>): Turn => ({ name, run, failures: 0 })

/** One chain's failing nodes must not affect the others. */
async function take(one: Turn): Promise<void> {
  try {
    await one.run()
    one.failures = 0
    one.reason = undefined
  } catch (error) {
    if (!(error instanceof FirnError) || error instanceof CancelledError) throw error
    one.failures += 1
    one.reason = error.message
  }
}

function networkTurns(
  { reader, seed, signal, left }: VerifyTask & { left: () => number },
  { name, network, letters }: VerifiedNetwork,
  progress: Progress,
  random: Random,
  report: VerifyReport,
): Turn[] {
  const known = letters.filter((letter) => progress.get(`${name}:${letter}`)?.tip !== undefined)
  for (const letter of letters.filter((one) => !known.includes(one))) report.missing.push(`${name}:${letter}`)
  const blocks = known.map((letter) =>
    turn(`${name}:${letter}`, async () => {
      const height = heightBelow(random, progress.get(`${name}:${letter}`))
      const differences = await compareBlock({ reader, pool: network.pool, network: name }, letter, height, signal)
      report.differences.push(...differences)
      report.blocks += 1
    }),
  )
  let patienceMs = PATIENCE_MS
  const address = async (): Promise<void> => {
    const owner = await reader.samples.ownerFrom(name, random.hex(20))
    if (owner === undefined) return
    const patience = (): number => Math.min(patienceMs, left())
    const { settled, met, differences } = await compareOwner({ reader, network, name }, owner, patience, signal)
    // If the index is far behind or has no writer, each address is checked once instead of using up the time.
    patienceMs = met ? PATIENCE_MS : 0
    report.differences.push(...differences)
    if (settled) report.addresses += 1
    // A reading cut off by the end of the time is no failure; waiting in vain until then is one.
    else if (!met || left() > 0) report.unsettled += 1
  }
  const output = async (): Promise<void> => {
    const sampled = await reader.samples.outputFrom(name, random.hex(16))
    if (sampled === undefined) return
    report.differences.push(...(await compareOutput({ pool: network.pool, name }, sampled, signal)))
    report.outputs += 1
  }
  // Of their own, so that a seed draws the same addresses and outputs where a network has none.
  const validators = createRandom(seed)
  const validator = async (): Promise<void> => {
    const patience = Math.min(patienceMs, left())
    const compared = { reader, pool: network.pool, name }
    const differences = await compareL1Validator(compared, validators.hex(32), patience, signal)
    if (differences === undefined) return
    patienceMs = differences === 'unsettled' ? 0 : PATIENCE_MS
    if (differences === 'unsettled') report.unsettled += 1
    else report.l1Validators += 1
    if (differences !== 'unsettled') report.differences.push(...differences)
  }
  const ofP = known.includes('P') ? [turn(`L1 validators of ${name}`, validator)] : []
  // Outputs of one chain may come from another: all three have to be there.
  if (known.length < 3) return [...blocks, ...ofP]
  return [...blocks, turn(`addresses of ${name}`, address), turn(`outputs of ${name}`, output), ...ofP]
}

function evmTurns(
  { reader, signal }: VerifyTask,
  { name, chainId, pool, path }: VerifiedEvmChain,
  progress: Progress,
  random: Random,
  report: VerifyReport,
): Turn[] {
  const stream = progress.get(name)
  if (stream?.tip === undefined) {
    report.missing.push(name)
    return []
  }
  const node = createEvmBlockReader(pool, path)
  return [
    turn(name, async () => {
      const height = heightBelow(random, stream, await reader.samples.firstHeight(chainId))
      const [own, theirs] = [await reader.evm.hashAt(chainId, height), await node.hashAt(height, signal)]
      if (theirs === undefined) throw new BadAnswerError(`no node has block ${height}`)
      report.blocks += 1
      if (own !== theirs) report.differences.push(`${name} block ${height}: hash ${own}, the node has ${theirs}`)
    }),
  ]
}

/** Any height of a chain; numbers are exact up to 2^53 blocks. */
const heightBelow = (random: Random, stream: StreamProgress | undefined, first = 0n): bigint =>
  first + BigInt(random.below(Number((stream?.tip?.height ?? 0n) - first) + 1))
