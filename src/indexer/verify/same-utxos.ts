import { outputFields } from '../../chains/avalanche/codec/index.ts'
import type { AvalancheNetwork } from '../../chains/avalanche/index.ts'
import { readHeight, readUtxos } from '../../chains/avalanche/node/index.ts'
import { firstXBlock, isOfUnknownEnd } from '../../facts/first-x-blocks.ts'
import { CHAIN_LETTERS } from '../../facts/primary-network.ts'
import { formatBech32Address } from '../../lib/bytes/bech32-address.ts'
import { hexToBytes } from '../../lib/bytes/ids.ts'
import { utxoId } from '../../lib/bytes/utxo-id.ts'
import { steadyNow } from '../../lib/steady-clock.ts'
import { pause } from '../../lib/waiting/pause.ts'
import type { IndexReader, UtxoLife } from '../../store/index.ts'
import type { ChainLetter } from '../../store/rows/index.ts'

/** Unspent outputs are stored twice, as entries of their owners and as records: the two orders read one each. */
const ORDERS = ['timestamp', 'amount'] as const
const PAGE = 500
/** Chains move while they are read, so a sample is tried this often. */
const TRIES = 10
/** The index is briefly behind the chain after each block. */
const LOOK_AGAIN_MS = 100

export interface OwnerComparison {
  /** False if index and node were not at the same blocks from the first to the last call. */
  settled: boolean
  /** False if they never were. */
  met: boolean
  differences: string[]
}

/**
 * Compares everything that an address can spend on P, X and C, shared memory included, in the index and at the node.
 *
 * @param patience time to wait, before each try, until both are at the same blocks, milliseconds
 */
export async function compareOwner(
  { reader, network, name }: { reader: IndexReader; network: AvalancheNetwork; name: string },
  address: string,
  patience: () => number,
  signal: AbortSignal,
): Promise<OwnerComparison> {
  const { hrp, blockchainIds } = await network.facts({ signal })
  const since = firstXBlock(blockchainIds.X)
  const text = formatBech32Address(hexToBytes(address), hrp)
  for (let tries = 0; tries < TRIES; tries++) {
    const before = await meetingWithin(patience(), () => meeting(reader, network, name, signal), signal)
    if (before === undefined) return { settled: false, met: tries > 0, differences: [] }
    const differences = new Set<string>()
    for (const letter of CHAIN_LETTERS) {
      const theirs = await atNode({ reader, network, name, since }, letter, text, signal)
      for (const sortBy of ORDERS) {
        const own = await stored({ reader, name, since }, letter, address, sortBy)
        for (const utxo of theirs) if (!own.has(utxo)) differences.add(`${letter}-${text}: the index lacks ${utxo}`)
        for (const utxo of own)
          if (!theirs.has(utxo)) differences.add(`${letter}-${text}: the node does not have ${utxo}`)
      }
    }
    if ((await meeting(reader, network, name, signal)) === before)
      return { settled: true, met: true, differences: [...differences] }
  }
  return { settled: false, met: true, differences: [] }
}

async function meetingWithin(
  patienceMs: number,
  look: () => Promise<string | undefined>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const end = steadyNow() + patienceMs
  for (;;) {
    const met = await look()
    if (met !== undefined || steadyNow() >= end) return met
    await pause(LOOK_AGAIN_MS, signal)
    signal.throwIfAborted()
  }
}

/** The common heights of index and node. */
async function meeting(
  reader: IndexReader,
  { pool }: AvalancheNetwork,
  name: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const heights = await Promise.all(CHAIN_LETTERS.map((letter) => readHeight(pool, letter, { signal })))
  const progress = await reader.progress()
  const own = CHAIN_LETTERS.map((letter) => progress.find(({ stream }) => stream === `${name}:${letter}`)?.tip?.height)
  return own.every((height, i) => height === heights[i]) ? own.join() : undefined
}

const line = (txId: string, outputIndex: number, assetId: string, amount: bigint | undefined): string =>
  `${txId}:${outputIndex} (${amount ?? 'no amount'} of ${assetId})`

interface Compared {
  reader: IndexReader
  name: string
  network: AvalancheNetwork
  /** When X got blocks, if it had none before: older outputs can only be read from nodes, and are not compared. */
  since: bigint | undefined
}

async function stored(
  { reader, name, since }: Omit<Compared, 'network'>,
  letter: ChainLetter,
  address: string,
  sortBy: (typeof ORDERS)[number],
): Promise<Set<string>> {
  const query = { chain: { network: name, letter }, addresses: [address], includeSpent: false, limit: PAGE } as const
  const found = new Set<string>()
  let after: Awaited<ReturnType<typeof reader.utxos.list>>['next']
  do {
    const page = await reader.utxos.list({ ...query, sortBy, order: 'asc', ...(after ? { after } : {}) })
    for (const utxo of page.utxos) {
      const { txId, outputIndex, asset, amount, consumableOn, stake, threshold } = utxo
      if (isOfUnknownEnd(since, utxo)) continue
      // Active stake is no UTXO, and outputs that nobody has to sign for are found under no address.
      if (consumableOn !== letter || stake?.active === true || threshold === 0) continue
      found.add(line(txId, outputIndex, asset.id, amount))
    }
    after = page.next
  } while (after)
  return found
}

async function atNode(
  { reader, name, network, since }: Compared,
  letter: ChainLetter,
  address: string,
  signal: AbortSignal,
): Promise<Set<string>> {
  const found = new Set<string>()
  for (const createdOn of CHAIN_LETTERS) {
    // C itself uses accounts.
    if (letter === 'C' && createdOn === 'C') continue
    const source = createdOn === letter ? {} : { sourceChain: createdOn }
    const { utxos } = await readUtxos(
      network.pool,
      { chain: letter, addresses: [address], ...source },
      { signal, sameServer: {} },
    )
    const lives = since === undefined ? undefined : await reader.utxos.lives(name, utxos.map(utxoId))
    for (const utxo of utxos) {
      const { txId, outputIndex, assetId, output } = utxo
      if (lives && since !== undefined && isOlder(lives.get(utxoId(utxo)), createdOn, letter, since)) continue
      found.add(line(txId, outputIndex, assetId, outputFields(output).amount))
    }
  }
  return found
}

/** Whether an output of X was made by no block, or is from before X had blocks. */
const isOlder = (
  life: UtxoLife | undefined,
  createdOn: ChainLetter,
  consumableOn: ChainLetter,
  since: bigint,
): boolean =>
  life?.created === undefined
    ? life === undefined && createdOn === 'X'
    : isOfUnknownEnd(since, { createdOn, consumableOn, created: life.created })
