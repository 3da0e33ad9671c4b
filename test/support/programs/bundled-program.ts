import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundle } from './bundle.mjs'

/** A program of the tests as one file, for processes that are started several times; answers the file's path. */
export async function bundledProgram(entry: URL): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'firn-program-')), 'main.mjs')
  await writeFile(file, await bundle(entry))
  return file
}
