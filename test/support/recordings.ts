import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

const folder = new URL('../fixtures/network/', import.meta.url)
/** A network on which validators renew themselves (Helicon), as far as its P-chain goes. */
export const RENEWALS = new URL('../fixtures/renewals/', import.meta.url)
/** Blocks that avalanchego made of random transactions, and its state: of P from Apricot to Helicon; of X and C. */
export const ERAS = new URL('../fixtures/eras/', import.meta.url)

/** All lines of a recorded `<name>.ndjson.gz` of the fixture network, for example `p-blocks` or `truth/utxos`. */
export function recordedLines<T>(name: string, from = folder): T[] {
  const text = gunzipSync(readFileSync(new URL(`${name}.ndjson.gz`, from))).toString('utf8')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T)
}

/** A recorded plain JSON file of the fixture network, for example `network`. */
export function recordedJson<T>(name: string, from = folder): T {
  return JSON.parse(readFileSync(new URL(`${name}.json`, from), 'utf8')) as T
}
