const EVM_TYPES = new Set(['application/json', 'application/json-rpc', 'application/jsonrequest'])
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const QUOTED = /"([^"\\]|\\.)*"/g
/** No two runs of spaces stand next to each other: a header of spaces would be tried in all their divisions. */
const PARAMETERS = new RegExp(`^(\\s*;\\s*${TOKEN}\\s*=\\s*(${TOKEN}|"([^"\\\\]|\\\\.)*"))*\\s*(;\\s*)?$`)

/** Gorilla endpoints compare what stands before the first semicolon, lower-cased but not trimmed. */
export const gorillaMediaType = (contentType: string | undefined): string => (contentType ?? '').split(';', 1)[0] ?? ''

/** EVM endpoints read the media type as Go's `mime` does: trimmed, parameters checked but ignored. */
export function isEvmMediaType(contentType: string | undefined): boolean {
  if (contentType === undefined) return false
  if (contentType === 'application/json') return true
  const semicolon = contentType.indexOf(';')
  const type = (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase()
  return EVM_TYPES.has(type) && (semicolon < 0 || areParameters(contentType.slice(semicolon)))
}

/** Well formed, and none named twice. */
function areParameters(text: string): boolean {
  if (!PARAMETERS.test(text)) return false
  const parts = text.replace(QUOTED, '').split(';')
  const names = parts.filter((part) => part.includes('=')).map((part) => part.split('=', 1)[0]?.trim().toLowerCase())
  return new Set(names).size === names.length
}
