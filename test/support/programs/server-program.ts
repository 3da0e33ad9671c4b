import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Arguments to Node that start the server, in the project's folder. */
export const SERVER_PROGRAM: readonly string[] = ['dist/main.js']

/** What is built from: a package that changed has changed the lock file. */
const INPUTS = ['build.mjs', 'package.json', 'package-lock.json', 'tsconfig.json']

/** Builds the server anew where it was not built of these sources; before a run, once. */
export default function setup(): void {
  if (isBuilt()) return
  const { status } = spawnSync(process.execPath, ['build.mjs'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) throw new Error('the server cannot be built')
}

function isBuilt(): boolean {
  const built = join(root, ...SERVER_PROGRAM)
  if (!existsSync(built)) return false
  const { mtimeMs } = statSync(built)
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  return [...INPUTS, ...sources.map((name) => join('src', name))].every(
    (name) => statSync(join(root, name)).mtimeMs <= mtimeMs,
  )
}
