import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

const folder = new URL('../../fixtures/legacy/', import.meta.url)

export interface RecordedExchange {
  seq: number
  name: string
  request: { method: string; path: string; headers: [string, string][]; body: string | null; bodyBase64?: string }
  response: { status: number; headers: [string, string][]; body: string | null; bodyBase64?: string }
  volatile: string[]
}

export interface KeystoreVector {
  node: string
  note: string
  username: string
  password: string
  blobHex: string
  keys: { chain: 'P' | 'X' | 'C'; blockchainID: string; address: string; privateKey: string; privateKeyHex: string }[]
}

export const keystoreVectors = JSON.parse(
  readFileSync(new URL('keystore-vectors.json', folder), 'utf8'),
) as KeystoreVector[]

/** What a real node with a keystore was asked and answered, in order. */
export const keystoreExchanges = gunzipSync(readFileSync(new URL('keystore-v1.12.1.ndjson.gz', folder)))
  .toString()
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as RecordedExchange)
