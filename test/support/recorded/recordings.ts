import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'

/** The folder of all recordings, as a path. */
export const FIXTURES = fileURLToPath(new URL('../../fixtures', import.meta.url))

/** The recorded network, and an L1 of it. */
export const NETWORK = new URL('../../fixtures/network/', import.meta.url)
export const L1 = new URL('../../fixtures/l1/', import.meta.url)
/** A network on which validators renew themselves (Helicon), as far as its P-chain goes. */
export const RENEWALS = new URL('../../fixtures/renewals/', import.meta.url)
/** Blocks that avalanchego made of random transactions, and its state: of P from Apricot to Helicon; of X and C. */
export const ERAS = new URL('../../fixtures/eras/', import.meta.url)

/** All lines of a recorded `<name>.ndjson.gz` of the fixture network, for example `p-blocks` or `truth/utxos`. */
export function recordedLines<T>(name: string, from = NETWORK): T[] {
  const text = gunzipSync(readFileSync(new URL(`${name}.ndjson.gz`, from))).toString('utf8')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T)
}

/** A recorded plain JSON file of the fixture network, for example `network`. */
export function recordedJson<T>(name: string, from = NETWORK): T {
  return JSON.parse(readFileSync(new URL(`${name}.json`, from), 'utf8')) as T
}

/** What accounts of a recorded EVM chain own of its native coin in the end, wei as `balance`. */
export function nativeFinals(from: URL): { address: string; balance: string }[] {
  const lines = recordedLines<{ t: string; what?: string; address: string; balance: string }>('manifest-evm', from)
  return lines.filter(({ t, what }) => t === 'final' && what === 'native')
}
