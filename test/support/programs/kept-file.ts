import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What later runs use, too; what is temporary goes with the run. */
const KEPT = fileURLToPath(new URL('../../../node_modules/.cache/firn-tests', import.meta.url))

/**
 * The file of that name; where there is none yet, it is made. The name says all that it depends on. Several processes may
 * make it at once: none finds half of it.
 */
export async function keptFile(name: string, make: () => Promise<Uint8Array>): Promise<string> {
  const file = join(KEPT, name)
  if (existsSync(file)) return file
  await mkdir(KEPT, { recursive: true })
  const draft = `${file}.${randomUUID()}`
  await writeFile(draft, await make())
  await rename(draft, file)
  return file
}
