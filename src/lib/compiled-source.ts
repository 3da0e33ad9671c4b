import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url))

/**
 * A program or thread of these sources as one file that Node runs, beside the packages that it imports: a loader that
 * compiles each module as it is imported takes most of a second more at each start. Only where the sources are run, not the
 * build; for programs that read no files beside themselves.
 *
 * @returns the file's path
 */
export function compiledSource(source: URL): string {
  const { buildSync } = createRequire(import.meta.url)('esbuild') as typeof import('esbuild')
  const entry = fileURLToPath(source)
  const { outputFiles } = buildSync({
    entryPoints: [entry],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    write: false,
  })
  const code = outputFiles[0]?.text ?? ''
  const hash = createHash('sha256').update(code).digest('hex').slice(0, 16)
  const file = join(FOLDER, `${basename(dirname(entry))}-${basename(entry, '.ts')}-${hash}.mjs`)
  if (existsSync(file)) return file
  mkdirSync(FOLDER, { recursive: true })
  // Several processes may do so at once: none finds half of it.
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, code)
  renameSync(draft, file)
  return file
}
