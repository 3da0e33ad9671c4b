const EVM_TYPES = new Set(['application/json', 'application/json-rpc', 'application/jsonrequest'])
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const PARAMETER = new RegExp(`\\s*;\\s*(${TOKEN})\\s*=\\s*(${TOKEN}|"(?:[^"\\\\]|\\\\.)*")`, 'y')

/** Gorilla endpoints compare the part before the first semicolon, lower-cased but not trimmed. */
export const gorillaMediaType = (contentType: string | undefined): string => (contentType ?? '').split(';', 1)[0] ?? ''

/** EVM endpoints read the media type as Go's `mime` does: trimmed, parameters checked but ignored. */
export function isEvmMediaType(contentType: string | undefined): boolean {
  if (contentType === undefined) return false
  if (contentType === 'application/json') return true
  const semicolon = contentType.indexOf(';')
  const type = (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase()
  return EVM_TYPES.has(type) && (semicolon < 0 || areParameters(contentType.slice(semicolon)))
}

/** Well formed, and no name with two values. Parsed sequentially, so that the time is linear in the length. */
function areParameters(text: string): boolean {
  const values = new Map<string, string>()
  let at = 0
  for (;;) {
    PARAMETER.lastIndex = at
    const [all, name = '', value = ''] = PARAMETER.exec(text) ?? []
    if (all === undefined) break
    const plain = value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value
    const key = name.toLowerCase()
    if ((values.get(key) ?? plain) !== plain) return false
    values.set(key, plain)
    at += all.length
  }
  const rest = text.slice(at).trim()
  return rest === '' || rest === ';'
}
