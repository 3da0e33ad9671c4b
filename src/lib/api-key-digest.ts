import { hash } from 'node:crypto'

const DIGEST = 'sha256:'

/** SHA-256 of a key as a client sends it: 64 lower-case hex digits. */
export const digestOfSent = (key: string): string => hash('sha256', key, 'hex')

/** The same for a configured key, which may itself be a digest: `sha256:` and the digits in either case. */
export const digestOfConfigured = (key: string): string =>
  key.startsWith(DIGEST) ? key.slice(DIGEST.length).toLowerCase() : digestOfSent(key)
