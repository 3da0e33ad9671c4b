import {
  decodeCBlock,
  decodePBlock,
  decodePTx,
  decodeUtxo,
  decodeXBlock,
  decodeXTx,
  encodePBlock,
  encodeXBlock,
  openContainer,
} from '../../src/chains/avalanche/codec/index.ts'
import { formatBech32Address } from '../../src/lib/bytes/bech32-address.ts'
import { idToCb58 } from '../../src/lib/bytes/ids.ts'
import { decodeNodeHex } from '../../src/lib/bytes/node-hex.ts'
import { utxoId } from '../../src/lib/bytes/utxo-id.ts'
import { decodeWithAvalanchejs } from '../support/avalanche/avalanchejs-codec.ts'
import { recordedLines } from '../support/recorded/recordings.ts'
import { median, ratioLine } from './balances/figures.ts'

/**
 * The codec on the recorded network, per second of one processor, and the reading of transactions against the official
 * library's (avalanchejs), in turns. Run: npm run bench:codec
 */
const SECONDS = 1.5
const ROUNDS = 7

function measure<T>(name: string, items: readonly T[], size: (item: T) => number, work: (item: T) => unknown): void {
  const bytes = items.reduce((sum, item) => sum + size(item), 0)
  for (let round = 0; round < 3; round++) for (const item of items) work(item)
  const start = performance.now()
  const before = process.cpuUsage()
  let rounds = 0
  while (performance.now() - start < SECONDS * 1000) {
    for (const item of items) work(item)
    rounds++
  }
  // Processor time, garbage collection included: other work on the machine does not count.
  const used = process.cpuUsage(before)
  const seconds = (used.user + used.system) / 1e6
  const perSecond = (rounds * items.length) / seconds
  const megabytes = (rounds * bytes) / seconds / 1e6
  console.log(
    `${name.padEnd(34)} ${Math.round(perSecond).toLocaleString('en').padStart(11)}/s ${megabytes.toFixed(1).padStart(8)} MB/s`,
  )
}

const length = (bytes: Uint8Array) => bytes.length
const containers = (name: string) =>
  recordedLines<{ container: { bytes: string } | null }>(name).flatMap(({ container }) =>
    container ? [new Uint8Array(decodeNodeHex(container.bytes))] : [],
  )

const p = containers('p-blocks')
const x = containers('x-blocks')
const c = containers('c-blocks')
measure('P containers: envelope and block', p, length, (bytes) => decodePBlock(openContainer(bytes).innerBlock))
measure('X containers: envelope and block', x, length, (bytes) => decodeXBlock(openContainer(bytes).innerBlock))
measure('C containers: envelope and block', c, length, (bytes) => decodeCBlock(openContainer(bytes).innerBlock))

const pInner = p.map((bytes) => openContainer(bytes).innerBlock)
const xInner = x.map((bytes) => openContainer(bytes).innerBlock)
measure('P blocks, decoding', pInner, length, decodePBlock)
measure('X blocks, decoding', xInner, length, decodeXBlock)
measure(
  'P blocks, encoding',
  pInner.map((bytes) => ({ bytes, block: decodePBlock(bytes) })),
  ({ bytes }) => bytes.length,
  ({ block }) => encodePBlock(block),
)
measure(
  'X blocks, encoding',
  xInner.map((bytes) => ({ bytes, block: decodeXBlock(bytes) })),
  ({ bytes }) => bytes.length,
  ({ block }) => encodeXBlock(block),
)

const texts = recordedLines<{ utxoBytes: string }>('truth/utxos').map((row) => row.utxoBytes)
const utxos = texts.map((text) => new Uint8Array(decodeNodeHex(text)))
measure('node hex of a UTXO', texts, (text) => text.length, decodeNodeHex)
measure('UTXOs, decoding', utxos, length, decodeUtxo)
const decoded = utxos.map(decodeUtxo)
measure('utxoId', decoded, () => 36, utxoId)
measure(
  'id to cb58',
  decoded,
  () => 32,
  (utxo) => idToCb58(utxo.txId),
)
const addresses = decoded.flatMap(({ output }) =>
  output.type === 'stakeable-lock' ? output.output.addresses : output.addresses,
)
measure('address to bech32', addresses, length, (address) => formatBech32Address(address, 'fuji'))

/** Microseconds of processor time for all of them once. */
function microseconds(items: readonly Uint8Array[], work: (item: Uint8Array) => unknown): number {
  const before = process.cpuUsage()
  for (let round = 0; round < 5; round++) for (const item of items) work(item)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 5
}

const txs = (name: string) => recordedLines<{ hex: string }>(name).map(({ hex }) => new Uint8Array(decodeNodeHex(hex)))
const readers = [
  { name: 'p', vm: 'PVM', bytes: txs('p-txs'), decode: decodePTx },
  { name: 'x', vm: 'AVM', bytes: txs('x-txs'), decode: decodeXTx },
] as const
for (const { name, vm, bytes, decode } of readers) {
  // What the library cannot read is no comparison.
  const both = bytes.filter((item) => {
    try {
      return decodeWithAvalanchejs(vm, item) !== undefined
    } catch {
      return false
    }
  })
  const theirs: number[] = []
  const ours: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    theirs.push(microseconds(both, (item) => decodeWithAvalanchejs(vm, item)))
    ours.push(microseconds(both, decode))
  }
  // The first round warms the compiler.
  const [their = Number.NaN, our = Number.NaN] = [theirs, ours].map((all) => median(all.slice(1)))
  console.log(`${name}-txs: ${both.length} of ${bytes.length}, ${(our / both.length).toFixed(1)} us each`)
  console.log(ratioLine(`codec-${name}-txs-avalanchejs-over-ours`, their / our, '>= 3'))
}
