import { readFile } from 'node:fs/promises'
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

/**
 * A program's sources as one module, made in half a second. A loader that compiles each of a thousand of them as it is
 * imported takes three seconds of processor time more, and two of whoever waits.
 * @param {URL} entry
 * @returns {Promise<Uint8Array>}
 */
export async function bundle(entry) {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(entry)],
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
  return outputFiles[0].contents
}
