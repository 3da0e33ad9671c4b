/**
 * What `npm run sandbox` starts: its sources as one file. `node --import tsx test/sandbox/main.ts` is the same, slower, with
 * stacks that name the sources; flags, `--recordings` among them, are read there.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bundle } from '../support/programs/bundle.mjs'

const contents = await bundle(new URL('./main.ts', import.meta.url))

// The file goes with a start that is broken off, or when the sandbox sees to signals itself. Both do for a moment: a signal
// that came while modules were evaluated is told when they are, and is lost where nobody listens then.
const folder = mkdtempSync(join(tmpdir(), 'firn-sandbox-program-'))
const remove = () => rmSync(folder, { recursive: true, force: true })
const leave = () => process.exit(1)
process.once('exit', remove)
process.on('SIGINT', leave).on('SIGTERM', leave)
const takenOver = (event) => {
  if (event !== 'SIGINT') return
  process.off('newListener', takenOver)
  queueMicrotask(() => {
    remove()
    process.off('exit', remove).off('SIGINT', leave).off('SIGTERM', leave)
  })
}
process.on('newListener', takenOver)
const program = join(folder, 'main.mjs')
writeFileSync(program, contents)
await import(pathToFileURL(program).href)
