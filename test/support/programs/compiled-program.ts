import { createHash } from 'node:crypto'
import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { keptFile } from './kept-file.ts'

/**
 * The program of these sources as one file that Node runs, beside the packages that it imports. A loader that compiles each
 * module as it is imported takes most of a second more at each start. For programs that read no files beside themselves.
 */
export async function compiledProgram(source: URL): Promise<string> {
  const file = fileURLToPath(source)
  const { outputFiles } = buildSync({
    entryPoints: [file],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    write: false,
  })
  const code = outputFiles[0]?.contents ?? new Uint8Array()
  const hash = createHash('sha256').update(code).digest('hex').slice(0, 16)
  return keptFile(`${basename(dirname(file))}-${basename(file, '.ts')}-${hash}.mjs`, async () => code)
}
