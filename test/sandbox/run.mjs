/**
 * What `npm run sandbox` starts: its sources as one file, made in half a second. A loader that compiles each of their
 * thousand modules as it is imported takes three seconds of processor time more, and two of whoever waits.
 * `node --import tsx test/sandbox/main.ts` is the same with stacks that name the sources; flags, `--recordings` among them,
 * are read there.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, stop } from 'esbuild'

/** Each module goes on knowing where it stands, for what it reads beside itself; packages stay where npm put them. */
const inPlace = {
  name: 'in-place',
  /** @param {import('esbuild').PluginBuild} bundle */
  setup(bundle) {
    bundle.onResolve({ filter: /^[^./]/ }, ({ path }) => ({ path: import.meta.resolve(path), external: true }))
    bundle.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      return {
        contents: source.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
        loader: 'ts',
      }
    })
  },
}

const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL('./main.ts', import.meta.url))],
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: `node${process.versions.node}`,
  write: false,
  plugins: [inPlace],
  logLevel: 'error',
})
// It is a process of its own, and would stay.
await stop()

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
writeFileSync(program, outputFiles[0].contents)
await import(pathToFileURL(program).href)
