import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What later runs use, too; what is temporary goes with the run. */
const KEPT = fileURLToPath(new URL('../../../node_modules/.cache/firn-tests', import.meta.url))

/** The file of that name, if there is one. */
export function keptBefore(name: string): string | undefined {
  const file = join(KEPT, name)
  return existsSync(file) ? file : undefined
}

/**
 * The file of that name; where there is none yet, it is made. The name says all that it depends on. Several processes may
 * make it at once: none finds half of it.
 */
export async function keptFile(name: string, make: () => Promise<Uint8Array>): Promise<string> {
  const before = keptBefore(name)
  if (before !== undefined) return before
  const file = join(KEPT, name)
  await mkdir(KEPT, { recursive: true })
  const draft = `${file}.${randomUUID()}`
  await writeFile(draft, await make())
  await rename(draft, file)
  return file
}
