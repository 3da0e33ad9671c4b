import { expect } from 'vitest'

/** Holds a value against an expectation. */
export type Check = (value: unknown) => void
/** Members by name; `?` at the end = may be absent. */
export interface Shape {
  [name: string]: Check | Shape
}

export const string: Check = (value) => expect(value).toBeTypeOf('string')
export const number: Check = (value) => expect(value).toBeTypeOf('number')
export const bool: Check = (value) => expect(value).toBeTypeOf('boolean')
/** 64-bit integers: decimal strings on the wire (specification, convention 4). */
export const uint: Check = (value) => expect(String(value)).toMatch(/^\d+$/)
export const decimal: Check = (value) => expect(String(value)).toMatch(/^\d+(\.\d+)?$/)
export const time: Check = (value) => expect(Date.parse(String(value))).not.toBeNaN()
export const hex: Check = (value) => expect(value).toMatch(/^0x[0-9a-f]*$/)
export const hexOf =
  (bytes: number): Check =>
  (value) =>
    expect(value).toMatch(new RegExp(`^0x[0-9a-f]{${bytes * 2}}$`))
export const nodeID: Check = (value) => expect(value).toMatch(/^NodeID-/)
export const cb58: Check = (value) => expect(value).toMatch(/^[1-9A-HJ-NP-Za-km-z]{30,}$/)
export const oneOf =
  (...values: unknown[]): Check =>
  (value) =>
    expect(values).toContain(value)
export const list =
  (item: Check | Shape, least = 1): Check =>
  (value) => {
    expect(Array.isArray(value), String(value)).toBe(true)
    const items = value as unknown[]
    expect(items.length).toBeGreaterThanOrEqual(least)
    for (const one of items) check(item, one)
  }
export const mapOf =
  (item: Check | Shape, least = 1): Check =>
  (value) =>
    list(item, least)(Object.values(value as object))

/** Every named member is there and as expected. */
export function check(shape: Check | Shape, value: unknown): void {
  if (typeof shape === 'function') {
    shape(value)
    return
  }
  const record = value as Record<string, unknown>
  for (const [key, inner] of Object.entries(shape)) {
    const name = key.replace(/\?$/, '')
    if (key !== name && record[name] === undefined) continue
    expect(record, name).toHaveProperty([name])
    check(inner, record[name])
  }
}
