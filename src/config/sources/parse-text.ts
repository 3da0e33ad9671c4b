import type { ConfigKey } from '../keys.ts'

const UNIT_MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }
const DURATION = /^(\d+(?:\.\d+)?(?:ms|s|m|h))+$/
const DURATION_PART = /(\d+(?:\.\d+)?)(ms|s|m|h)/g

const YES = new Set(['true', '1', 'yes', 'on'])
const NO = new Set(['false', '0', 'no', 'off'])

export const isToggleWord = (text: string) => YES.has(text.toLowerCase()) || NO.has(text.toLowerCase())

/** Durations in nodes' format such as `1m30s`; undefined if the text is no duration. */
function durationMs(text: string): number | undefined {
  if (!DURATION.test(text)) return undefined
  let total = 0
  for (const [, amount, unit] of text.matchAll(DURATION_PART)) total += Number(amount) * (UNIT_MS[unit ?? ''] ?? 0)
  // `16.1s` is a fraction more than 16,100 as a product of doubles. Half a millisecond stays one, and is refused.
  return Math.round(total * 1_000) / 1_000
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** IPv6 addresses in front of a port. JSON has no colon so near its beginning. */
const IN_BRACKETS = /^\[[0-9a-f]*:[0-9a-f:.]*\]/i

function list(text: string): unknown {
  const trimmed = text.trim()
  if (trimmed === '') return []
  if (trimmed.startsWith('[') && !IN_BRACKETS.test(trimmed)) return json(trimmed)
  return trimmed.split(',').map((item) => item.trim())
}

/**
 * Converts the text of a flag or a variable into the value its key takes. Text that does not fit is returned unchanged:
 * the schema then refuses it with the same line as a wrong value from a file.
 */
export function parseText(key: ConfigKey, text: string): unknown {
  switch (key.kind) {
    case 'toggle':
      return isToggleWord(text) ? YES.has(text.toLowerCase()) : text
    case 'integer':
      if (/^-?\d+$/.test(text)) return Number(text)
      return (key.name.endsWith('Ms') ? durationMs(text) : undefined) ?? text
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
    case 'list':
      return list(text)
    case 'json':
      return json(text)
    default:
      return text
  }
}
