/** The bytes of a WebAssembly module with Keccak's permutation, some 2 kB that are put together at the start. */

/** Bytes that one permutation takes in. */
export const RATE = 136
export const LANES = 25
export const ROUNDS = 24

/** Where the rounds' constants belong in the module's memory; the state is at its beginning. */
export const CONSTANTS_AT = 256

const OP = { loop: 0x03, end: 0x0b, brIf: 0x0d, get: 0x20, set: 0x21, tee: 0x22, load: 0x29, store: 0x37 }
const NUMBER = { i32: 0x41, i64: 0x42, ne: 0x47, add: 0x6a, and: 0x83, xor: 0x85, rotl: 0x89 }
const I32 = 0x7f
const I64 = 0x7e
const VOID = 0x40

/** Locals of the function: its parameters, a counter of rounds, the state, the state while it moves, column sums. */
const POINTER = 0
const END = 1
const ROUND = 2
const A = 3
const B = A + LANES
const C = B + LANES
const D = C + 5

/** Numbers as the format writes them, in groups of seven bits. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >> 7)]
}

function signed(value: number): number[] {
  const low = value & 0x7f
  const rest = value >> 7
  const done = (rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0)
  return done ? [low] : [low | 0x80, ...signed(rest)]
}

const get = (local: number): number[] => [OP.get, local]
const set = (local: number): number[] => [OP.set, local]
const i32 = (value: number): number[] => [NUMBER.i32, ...signed(value)]
const load = (offset: number): number[] => [OP.load, 3, ...unsigned(offset)]
const rotl = (by: number): number[] => [NUMBER.i64, ...signed(by), NUMBER.rotl]
const each = (count: number, code: (at: number) => number[]): number[] =>
  Array.from({ length: count }, (_, at) => code(at)).flat()

/** By how much each lane turns, and where it goes: a walk through all but the first. */
function moves(): { from: number; to: number; by: number }[] {
  const found = [{ from: 0, to: 0, by: 0 }]
  for (let step = 0, x = 1, y = 0; step < LANES - 1; step++) {
    const next = (2 * x + 3 * y) % 5
    found.push({ from: x + 5 * y, to: y + 5 * next, by: (((step + 1) * (step + 2)) / 2) % 64 })
    ;[x, y] = [y, next]
  }
  return found
}

/** Their bits come from a shift register of eight bits. */
export function roundConstants(): BigUint64Array {
  const constants = new BigUint64Array(ROUNDS)
  for (let round = 0, register = 1; round < ROUNDS; round++)
    for (let bit = 0; bit < 7; bit++) {
      if (register & 1) constants[round] = (constants[round] ?? 0n) ^ (1n << ((1n << BigInt(bit)) - 1n))
      register = (register << 1) ^ (register >> 7 === 1 ? 0x171 : 0)
    }
  return constants
}

function roundCode(): number[] {
  const columns = each(5, (x) => [
    ...get(A + x),
    ...each(4, (y) => [...get(A + x + 5 * (y + 1)), NUMBER.xor]),
    ...set(C + x),
  ])
  const mix = each(5, (x) => [
    ...[...get(C + ((x + 4) % 5)), ...get(C + ((x + 1) % 5)), ...rotl(1), NUMBER.xor, ...set(D)],
    ...each(5, (y) => [...get(A + x + 5 * y), ...get(D), NUMBER.xor, ...set(A + x + 5 * y)]),
  ])
  const turned = moves().flatMap(({ from, to, by }) => [...get(A + from), ...rotl(by), ...set(B + to)])
  const combined = each(LANES, (lane) => {
    const row = lane - (lane % 5)
    const [second, third] = [B + row + ((lane + 1) % 5), B + row + ((lane + 2) % 5)]
    const inverted = [...get(second), NUMBER.i64, ...signed(-1), NUMBER.xor]
    return [...get(B + lane), ...inverted, ...get(third), NUMBER.and, NUMBER.xor, ...set(A + lane)]
  })
  const constant = [...get(A), ...get(ROUND), ...load(CONSTANTS_AT), NUMBER.xor, ...set(A)]
  return [...columns, ...mix, ...turned, ...combined, ...constant]
}

/** Takes in the blocks from one address to another and goes through all rounds after each. */
function functionCode(): number[] {
  const step = (local: number, by: number): number[] => [...get(local), ...i32(by), NUMBER.add, OP.tee, local]
  const loop = (body: number[], local: number, by: number, end: number[]): number[] => [
    ...[OP.loop, VOID, ...body, ...step(local, by), ...end, NUMBER.ne, OP.brIf, 0, OP.end],
  ]
  const locals = [2, 1, I32, D + 1 - A, I64]
  const taken = each(RATE / 8, (at) => [...get(A + at), ...get(POINTER), ...load(8 * at), NUMBER.xor, ...set(A + at)])
  const rounds = [...i32(0), ...set(ROUND), ...loop(roundCode(), ROUND, 8, i32(8 * ROUNDS))]
  return [
    ...locals,
    ...each(LANES, (at) => [...i32(0), ...load(8 * at), ...set(A + at)]),
    ...loop([...taken, ...rounds], POINTER, RATE, get(END)),
    ...each(LANES, (at) => [...i32(0), ...get(A + at), OP.store, 3, ...unsigned(8 * at)]),
    OP.end,
  ]
}

/** It exports its `memory` of 64 KiB, and `absorb` for the blocks from one address to another. */
export function moduleBytes(): Uint8Array {
  const section = (id: number, bytes: number[]): number[] => [id, ...unsigned(bytes.length), ...bytes]
  const name = (text: string): number[] => [text.length, ...Buffer.from(text)]
  const code = functionCode()
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, 2, I32, I32, 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0, 1]),
    ...section(7, [2, ...name('memory'), 2, 0, ...name('absorb'), 0, 0]),
    ...section(10, [1, ...unsigned(code.length), ...code]),
  ])
}
