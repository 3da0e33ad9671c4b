import { CONSTANTS_AT, LANES, moduleBytes, RATE, ROUNDS, roundConstants } from './keccak-module.ts'

/** Where the input is in the module's memory, how many blocks of it one call takes, and the length of a hash. */
const INPUT_AT = 1_024
const BLOCKS = 240
const HASH = 32

/** What the types of Node leave out. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object) => { exports: unknown }
}

interface Exports {
  memory: { buffer: ArrayBuffer }
  /** Takes in the blocks between two addresses. */
  absorb(from: number, to: number): void
}

const { memory, absorb } = new WebAssembly.Instance(new WebAssembly.Module(moduleBytes())).exports as Exports
const state = Buffer.from(memory.buffer, 0, 8 * LANES)
const input = Buffer.from(memory.buffer, INPUT_AT, RATE * BLOCKS)
new BigUint64Array(memory.buffer, CONSTANTS_AT, ROUNDS).set(roundConstants())

/** Takes in all bytes; the state then begins with their hash. */
function hash(bytes: Uint8Array): void {
  state.fill(0)
  let from = 0
  for (; bytes.length - from >= input.length; from += input.length) {
    input.set(bytes.subarray(from, from + input.length))
    absorb(INPUT_AT, INPUT_AT + input.length)
  }
  const rest = bytes.length - from
  const end = (Math.floor(rest / RATE) + 1) * RATE
  input.set(from === 0 ? bytes : bytes.subarray(from))
  input.fill(0, rest, end)
  input[rest] = 0x01
  input[end - 1] = (input[end - 1] ?? 0) | 0x80
  absorb(INPUT_AT, INPUT_AT + end)
}

/**
 * Keccak-256 as Ethereum uses it, of `bytes` as a 32-byte Buffer of its own. In WebAssembly: its lanes are 64 bits wide,
 * which JavaScript has to take apart, for ten times as long.
 */
export function keccak256(bytes: Uint8Array): Buffer {
  hash(bytes)
  return Buffer.from(state.subarray(0, HASH))
}

/** Keccak-256 of `bytes` as 64 lower-case hex digits. */
export function keccak256Hex(bytes: Uint8Array): string {
  hash(bytes)
  return state.toString('hex', 0, HASH)
}
