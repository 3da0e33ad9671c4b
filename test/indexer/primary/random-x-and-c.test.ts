import { createHash } from 'node:crypto'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { decodeUtxo, openContainer, outputFields } from '../../../src/chains/avalanche/codec/index.ts'
import { createCApplier } from '../../../src/indexer/primary/c/applier.ts'
import { cFormat, xFormat } from '../../../src/indexer/primary/sources/formats.ts'
import { createXApplier } from '../../../src/indexer/primary/x/applier.ts'
import { idFromCb58 } from '../../../src/lib/bytes/ids.ts'
import { utxoBytes } from '../../../src/services/utxo-bytes/index.ts'
import type { PrimaryRows, Store, UtxoRecord } from '../../../src/store/index.ts'
import { ERAS, recordedLines } from '../../support/recorded/recordings.ts'
import { openTestStore } from '../../support/store/store.ts'

// What avalanchego made of random transactions on X, of every type and feature extension, of imports to C, some of other
// assets than AVAX, as before Banff, and of exports from it. A third of what X spent was made in the same block.

type Letter = 'X' | 'C'
interface Start {
  network: number
  x: string
  c: string
  avax: string
  /** What X was born with: bytes of UTXOs, hex. */
  genesis: string[]
}
interface Block {
  chain: Letter
  /** Of the container. */
  hex: string
}

const CHAINS = { X: { network: 'n', letter: 'X' }, C: { network: 'n', letter: 'C' } } as const
let start: Start
let blocks: Block[]
/**
 * Of every output that has owners: hash of its bytes, where it was made and where it can be spent, height and time; when it
 * was spent by whom, height and time.
 */
let lives: string[]
beforeAll(() => {
  const [first, ...rest] = recordedLines<unknown>('x-and-c', ERAS)
  start = first as Start
  lives = (rest.pop() as { lives: string[] }).lives
  blocks = rest as Block[]
})

const inner = ({ hex }: Block): Uint8Array => openContainer(Buffer.from(hex, 'hex')).innerBlock

/** Writes blocks of one chain as one range. */
async function write(store: Store, letter: Letter, range: readonly Block[], owners: Set<string>): Promise<void> {
  const { network: networkId, x, c, avax } = start
  const [xChainId, cChainId, avaxAssetId] = [idFromCb58(x), idFromCb58(c), idFromCb58(avax)]
  const ids = { networkId, xChainId, cChainId, avaxAssetId }
  const sources = range.map((block) => (letter === 'X' ? xFormat : cFormat).decode(inner(block)))
  const appliers = { X: () => createXApplier(ids, false), C: () => createCApplier({ ids, keepContainers: false }) }
  const { rows } = await appliers[letter]().apply(sources as never)
  const [first, last] = [sources[0], sources.at(-1)]
  if (!first || !last || !rows.primary) throw new Error('a range has blocks')
  for (const { addresses } of rows.primary.utxos ?? []) for (const address of addresses) owners.add(address)
  if (letter === 'X' && first.height === 1n) await writeGenesis(store, first.parentId)
  const { parentId, height: from } = first
  await store.writer.commitRange(`n:${letter}`, rows, {
    from,
    parentId,
    height: last.height,
    blockId: last.id,
    time: last.time,
  })
}

async function writeGenesis(store: Store, id: string): Promise<void> {
  const utxos: PrimaryRows['utxos'] = start.genesis.map((hex) => {
    const { txId, outputIndex, assetId, output } = decodeUtxo(Buffer.from(hex, 'hex'))
    return { txId, outputIndex, assetId, ...outputFields(output), height: 0n, time: 0n }
  })
  const place = { from: 0n, parentId: '0'.repeat(64), height: 0n, blockId: id, time: 0n }
  await store.writer.commitRange('n:X', { primary: { utxos } }, place)
}

const hashOf = (hex: string): string => createHash('sha256').update(Buffer.from(hex, 'hex')).digest('hex').slice(0, 8)

function lifeOf(utxo: UtxoRecord): string {
  const { created, consumed, createdOn, consumableOn } = utxo
  // Behind 0x, and before the checksum.
  const made = [hashOf(utxoBytes(utxo).slice(2, -8)), createdOn + consumableOn, created.height, created.time]
  return [...made, ...(consumed ? [consumed.by.slice(0, 8), consumed.height, consumed.time] : [])].join(' ')
}

async function livesOn(store: Store, letter: Letter, addresses: string[], includeSpent: boolean): Promise<string[]> {
  const query = {
    chain: CHAINS[letter],
    addresses,
    includeSpent,
    sortBy: 'timestamp',
    order: 'asc',
    limit: 100,
  } as const
  const found: string[] = []
  let page = await store.reader.utxos.list(query)
  for (;;) {
    // What X was born with is told by its genesis and not by blocks.
    found.push(...page.utxos.filter(({ created }) => created.height > 0n).map(lifeOf))
    if (!page.next) return found.sort()
    page = await store.reader.utxos.list({ ...query, after: page.next })
  }
}

const runs: Record<string, () => { letter: Letter; range: Block[] }[]> = {
  'X in one go, then C': () => (['X', 'C'] as const).map((letter) => ({ letter, range: of(letter) })),
  'C in one go, then X': () => (['C', 'X'] as const).map((letter) => ({ letter, range: of(letter) })),
  'block by block, X first': () =>
    (['X', 'C'] as const).flatMap((letter) => of(letter).map((one) => ({ letter, range: [one] }))),
}
const of = (letter: Letter): Block[] => blocks.filter(({ chain }) => chain === letter)

it.each(Object.entries(runs))('outputs come and go as avalanchego has them: %s', async (_, ranges) => {
  const store = openTestStore()
  onTestFinished(() => store.close())
  const definition = { kind: 'primary', network: 'n', testnet: false } as const
  await store.writer.register({ ...definition, name: 'n:X', chain: 'X' })
  await store.writer.register({ ...definition, name: 'n:C', chain: 'C', evmChainId: 43_112n })
  const owners = new Set<string>()
  for (const { letter, range } of ranges()) await write(store, letter, range, owners)
  for (const letter of ['X', 'C'] as const) {
    const all = lives.filter((life) => life.split(' ')[1]?.includes(letter)).sort()
    expect(await livesOn(store, letter, [...owners], true)).toEqual(all)
    const unspent = all.filter((life) => life.split(' ').length === 4)
    expect(await livesOn(store, letter, [...owners], false)).toEqual(unspent)
  }
})
