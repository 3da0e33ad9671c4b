import { keccak256 } from '../../../lib/keccak256.ts'
import { createRlpWriter } from './rlp-writer.ts'

/** Keccak-256 of the RLP of nothing. */
const NOTHING = '56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
const HASH = 32

interface Entry {
  /** RLP of its number, hex digits: the way through the tree. None is the beginning of another one. */
  path: string
  value: Uint8Array
}

const writer = createRlpWriter()
const paths: string[] = []

/** Hex of the root of the Merkle Patricia tree that holds a list's items by their numbers, as headers name it. */
export function orderedRoot(values: readonly Uint8Array[]): string {
  if (values.length === 0) return NOTHING
  const entries = values.map((value, at) => ({ path: pathOf(at), value }))
  entries.sort((left, right) => (left.path < right.path ? -1 : 1))
  return keccak256(node(entries, 0)).toString('hex')
}

function pathOf(number: number): string {
  const known = paths[number]
  if (known !== undefined) return known
  writer.clear()
  writer.quantity(`0x${number.toString(16)}`)
  const path = writer.view().toString('hex')
  paths[number] = path
  return path
}

/** Encoded node of the tree below the first `depth` digits, which all of the entries share. */
function node(entries: readonly Entry[], depth: number): Uint8Array {
  const [first] = entries
  const last = entries.at(-1)
  if (first === undefined || last === undefined) return Uint8Array.of(0x80)
  if (first === last) return pair(first.path.slice(depth), '2', (to) => to.string(first.value))
  let shared = depth
  while (first.path[shared] === last.path[shared]) shared++
  const below = branch(entries, shared)
  return shared === depth ? below : pair(first.path.slice(depth, shared), '0', (to) => refer(to, below))
}

/** A leaf or an extension: digits of the way, the kind and whether they are odd in front, and what is there. */
function pair(digits: string, kind: '0' | '2', write: (to: typeof writer) => void): Uint8Array {
  const way = digits.length % 2 === 0 ? `0x${kind}0${digits}` : `0x${kind === '0' ? 1 : 3}${digits}`
  writer.clear()
  write(writer)
  writer.bytes(way)
  writer.list(0)
  return Buffer.from(writer.view())
}

function branch(entries: readonly Entry[], depth: number): Uint8Array {
  const children: Uint8Array[] = []
  for (let digit = 0, from = 0; digit < 16; digit++) {
    const name = digit.toString(16)
    let to = from
    while (entries[to]?.path[depth] === name) to++
    children.push(node(entries.slice(from, to), depth + 1))
    from = to
  }
  writer.clear()
  // No way ends at a branch.
  writer.byte(0x80)
  for (const child of children.reverse()) refer(writer, child)
  writer.list(0)
  return Buffer.from(writer.view())
}

/** Nodes that are shorter than a hash stand in their parent themselves. */
function refer(to: typeof writer, child: Uint8Array): void {
  if (child.length < HASH) to.raw(child)
  else to.string(keccak256(child))
}
