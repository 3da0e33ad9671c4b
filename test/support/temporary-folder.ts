import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

const PREFIX = 'firn-tests-'

/**
 * One folder for everything temporary of a run, gone with it. Tests cannot see to that themselves: a worker is ended by a
 * signal, behind which nothing runs any more. The name is short, since paths of sockets end after 107 bytes.
 */
export default function setup(): (() => void) | undefined {
  // Called for each group of files.
  if (basename(tmpdir()).startsWith(PREFIX)) return undefined
  const folder = mkdtempSync(join(tmpdir(), PREFIX))
  // Where the tests run as root, the test Postgres is another user's.
  chmodSync(folder, 0o755)
  process.env['TMPDIR'] = folder
  const discard = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  process.once('exit', discard)
  return discard
}
