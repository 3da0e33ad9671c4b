/** Serves content-addressed logos to browsers, which do not support ipfs:. */
const IPFS_GATEWAY = 'https://ipfs.io/ipfs/'
const MAX_LENGTH = 1_024
const IPFS = /^ipfs:\/\/(?:ipfs\/)?([A-Za-z0-9]{1,100}(?:\/[^\s]{0,400})?)$/

/**
 * A logo that a wallet may load: https without credentials, or ipfs:// through a gateway. Everything else (http, data,
 * other schemes, damaged text) is left out: wallets' content policies block http, and attackers write these fields.
 */
export const logoUri = (raw: unknown): string | undefined => {
  if (typeof raw !== 'string' || raw.length > MAX_LENGTH) return undefined
  const text = raw.trim()
  const content = IPFS.exec(text)?.[1]
  const candidate = content === undefined ? text : IPFS_GATEWAY + content
  if (!candidate.startsWith('https://') || !URL.canParse(candidate)) return undefined
  const url = new URL(candidate)
  return url.username === '' && url.password === '' ? url.href : undefined
}
