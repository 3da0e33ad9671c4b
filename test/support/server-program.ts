import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const SOURCES = ['--import', 'tsx', 'src/main.ts'] as const

/**
 * Arguments to Node that start the server, in the project's folder: as it was built, where that is of these sources (it
 * starts in a third of the time), and otherwise from the sources.
 */
export const SERVER_PROGRAM: readonly string[] = isBuilt() ? ['dist/main.js'] : SOURCES

function isBuilt(): boolean {
  const built = join(root, 'dist/.tsbuildinfo')
  if (!existsSync(built)) return false
  const { mtimeMs } = statSync(built)
  const inputs = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).map((name) => join('src', name))
  return [...inputs, 'package.json', 'tsconfig.json', 'tsconfig.build.json'].every(
    (name) => statSync(join(root, name)).mtimeMs <= mtimeMs,
  )
}
