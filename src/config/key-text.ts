import { wordsOf } from './allowed.ts'
import type { ConfigKey } from './keys.ts'

/** The default of a key as written on a command line; undefined if there is none. */
export function defaultText({ path, schema, kind }: ConfigKey): string | undefined {
  if (path[0] === 'chains' && kind === 'json') return 'built-in catalogue'
  const value: unknown = schema.default
  if (value === undefined || value === '') return undefined
  if (Array.isArray(value))
    return kind === 'list' ? value.join(',') || undefined : value.length > 0 ? JSON.stringify(value) : undefined
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Placeholder for a key's value in a synopsis. */
export function placeholder({ schema, kind, name }: ConfigKey): string {
  if (kind === 'choice') return wordsOf(schema).join('|')
  if (kind === 'toggle') return 'true|false'
  if (kind === 'integer') return name.endsWith('Ms') ? '<duration>' : '<integer>'
  return { number: '<number>', text: '<text>', list: '<a,b,…>', json: '<json>' }[kind]
}
