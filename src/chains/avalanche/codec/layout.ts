import { CodecError } from './codec-error.ts'
import { type Cursor, expectEnd, expectVersion, openCursor, readCount, readU32 } from './reader.ts'
import { openWriter, type Writer, writeU16, writeU32, written } from './writer.ts'

/** Description of a wire type; provides both its decoder and its encoder. */
export interface Layout<T> {
  /** Smallest size of a value; bounds the counts of lists. */
  readonly minBytes: number
  read(cursor: Cursor): T
  write(writer: Writer, value: T): void
}

/** The value type of a layout. */
export type Decoded<L> = L extends Layout<infer T> ? T : never

type Fields = Record<string, Layout<unknown>>
type FieldValues<F extends Fields> = { [K in keyof F]: Decoded<F[K]> }

/** Consecutive fields in the order of the object. */
export function struct<F extends Fields>(type: string, fields: F): Layout<FieldValues<F>> {
  return fieldLayout(type, fields, {}) as Layout<FieldValues<F>>
}

/** A struct with a u32 type id in front; its value carries `type`. */
export interface Variant<T> extends Layout<T> {
  readonly typeId: number
  readonly type: string
}

export function variant<N extends string, F extends Fields>(
  typeId: number,
  type: N,
  fields: F,
): Variant<{ type: N } & FieldValues<F>> {
  const layout = fieldLayout(type, fields, { type }) as Layout<{ type: N } & FieldValues<F>>
  return { typeId, type, ...layout }
}

/** An interface value: u32 type id, then the body of the variant. Unknown ids are rejected. */
export function union<V extends readonly Variant<{ type: string }>[]>(
  type: string,
  ...variants: V
): Layout<Decoded<V[number]>> {
  const byId: (V[number] | undefined)[] = []
  const byType = new Map<string, V[number]>()
  for (const entry of variants) {
    byId[entry.typeId] = entry
    byType.set(entry.type, entry)
  }
  return {
    minBytes: 4 + Math.min(...variants.map((entry) => entry.minBytes)),
    read(cursor) {
      const typeId = readU32(cursor)
      const entry = byId[typeId]
      if (!entry) throw new CodecError(`unknown type id ${typeId}`, cursor.offset - 4, `${cursor.type} (${type})`)
      return entry.read(cursor) as Decoded<V[number]>
    },
    write(writer, value) {
      const entry = byType.get((value as { type: string }).type)
      if (!entry) throw new TypeError(`${(value as { type: string }).type} is no ${type}`)
      writeU32(writer, entry.typeId)
      entry.write(writer, value as { type: string })
    },
  }
}

/** u32 count, then the items. */
export function list<T>(item: Layout<T>): Layout<T[]> {
  return {
    minBytes: 4,
    read(cursor) {
      const count = readCount(cursor, item.minBytes)
      const items: T[] = []
      for (let i = 0; i < count; i++) items.push(item.read(cursor))
      return items
    },
    write(writer, items) {
      writeU32(writer, items.length)
      for (const entry of items) item.write(writer, entry)
    },
  }
}

/**
 * Decodes a top-level object: u16 version, body, and no further bytes.
 * @throws CodecError
 */
export function decodeTop<T>(layout: Layout<T>, bytes: Uint8Array, type: string): T {
  const cursor = openCursor(bytes, type)
  expectVersion(cursor)
  const value = layout.read(cursor)
  expectEnd(cursor)
  return value
}

/** Encodes a top-level object: u16 version, body. */
export function encodeTop<T>(layout: Layout<T>, value: T, version = 0): Buffer {
  const writer = openWriter()
  writeU16(writer, version)
  layout.write(writer, value)
  return written(writer)
}

function fieldLayout(type: string, fields: Fields, extra: Record<string, unknown>): Layout<Record<string, unknown>> {
  const names = Object.keys(fields)
  const layouts = Object.values(fields)
  // Cloned for every value, so that all values of a type share one shape from the start.
  const blank: Record<string, unknown> = { ...extra }
  for (const name of names) blank[name] = undefined
  return {
    minBytes: layouts.reduce((sum, layout) => sum + layout.minBytes, 0),
    read(cursor) {
      const outer = cursor.type
      cursor.type = type
      const value = { ...blank }
      for (let i = 0; i < names.length; i++) value[names[i] as string] = (layouts[i] as Layout<unknown>).read(cursor)
      cursor.type = outer
      return value
    },
    write(writer, value) {
      for (let i = 0; i < names.length; i++) (layouts[i] as Layout<unknown>).write(writer, value[names[i] as string])
    },
  }
}
