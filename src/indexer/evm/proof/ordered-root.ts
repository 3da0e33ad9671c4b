import { keccak256, keccak256Hex } from '../../../lib/bytes/keccak256.ts'
import { createRlpWriter } from './rlp-writer.ts'

/** Keccak-256 of the RLP of nothing. */
const NOTHING = '56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
const HASH = 32
const NO_NODE = Uint8Array.of(0x80)

interface Entry {
  /** RLP of the item's number, hex digits: the path through the tree. No path is a prefix of another. */
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
  return keccak256Hex(node(entries, 0))
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

/**
 * Encoded tree node below the first `depth` digits, which all entries share. It stays in the writer until the next node
 * is requested.
 */
function node(entries: readonly Entry[], depth: number): Uint8Array {
  const [first] = entries
  const last = entries.at(-1)
  if (first === undefined || last === undefined) return NO_NODE
  if (first === last) {
    writer.clear()
    writer.string(first.value)
    return pair(first.path.slice(depth), '2')
  }
  let shared = depth
  while (first.path[shared] === last.path[shared]) shared++
  const below = branch(entries, shared)
  if (shared === depth) return below
  const child = reference(below)
  writer.clear()
  refer(child)
  return pair(first.path.slice(depth, shared), '0')
}

/** A leaf or an extension around the written content, with path digits, kind and parity in front. */
function pair(digits: string, kind: '0' | '2'): Uint8Array {
  writer.bytes(digits.length % 2 === 0 ? `0x${kind}0${digits}` : `0x${kind === '0' ? 1 : 3}${digits}`)
  writer.list(0)
  return writer.view()
}

function branch(entries: readonly Entry[], depth: number): Uint8Array {
  const children: Uint8Array[] = []
  for (let digit = 0, from = 0; digit < 16; digit++) {
    const name = digit.toString(16)
    let to = from
    while (entries[to]?.path[depth] === name) to++
    children.push(to === from ? NO_NODE : reference(node(entries.slice(from, to), depth + 1)))
    from = to
  }
  writer.clear()
  // No path ends at a branch.
  writer.byte(0x80)
  for (const child of children.reverse()) refer(child)
  writer.list(0)
  return writer.view()
}

/** A node's reference in its parent: its hash, or the node itself if that is shorter. */
const reference = (encoded: Uint8Array): Uint8Array =>
  encoded.length < HASH ? Uint8Array.from(encoded) : keccak256(encoded)

function refer(child: Uint8Array): void {
  if (child.length < HASH) writer.raw(child)
  else writer.string(child)
}
