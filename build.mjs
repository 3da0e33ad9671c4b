/**
 * Makes `dist/` of `src/`, in a second or two: what a process starts from is a few files, and not the three thousand modules
 * of the server and its packages, which take Node a second and a half to find and read at each start. Nothing is checked
 * here; `npm run types` does.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('.', import.meta.url))
const { dependencies, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/**
 * Packages of many small modules that read no files of their own go into the bundle, with what they import in turn. All
 * others stay where npm put them: they are CommonJS, or have binaries, threads and files beside themselves.
 */
const BUNDLED = ['@noble/ciphers', '@noble/curves', '@noble/hashes', '@sinclair/typebox', 'jose', 'kysely', 'viem']

/** @param {string} path of a module, as it is imported */
const packageOf = (path) => path.split('/', path.startsWith('@') ? 2 : 1).join('/')

const leftOutside = {
  name: 'left-outside',
  /** @param {import('esbuild').PluginBuild} bundle */
  setup(bundle) {
    bundle.onResolve({ filter: /^[^./]/ }, ({ path, importer }) => {
      const name = packageOf(path)
      if (!Object.hasOwn(dependencies, name) || BUNDLED.includes(name)) return undefined
      // What is bundled would get the server's version of it.
      const nested = importer.includes('/node_modules/') && resolvedFrom(importer, path) !== resolvedFrom(root, path)
      return nested ? { errors: [{ text: `${importer} has a ${name} of its own` }] } : { path, external: true }
    })
  },
}

/** @param {string} place file or folder @param {string} path of a module */
const resolvedFrom = (place, path) => createRequire(place).resolve(path)

/** In a bundle each module still knows itself by the place that it would have in `dist`: files are read from there. */
const ownPlace = {
  name: 'own-place',
  /** @param {import('esbuild').PluginBuild} bundle */
  setup(bundle) {
    bundle.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
      const place = relative(join(root, 'src'), path).replace(/\.ts$/, '.js')
      const source = await readFile(path, 'utf8')
      return {
        contents: source.replaceAll(
          'import.meta.url',
          `new URL(${JSON.stringify(`./${place}`)}, import.meta.url).href`,
        ),
        loader: 'ts',
      }
    })
  },
}

/** @type {import('esbuild').BuildOptions & { write: false }} */
const options = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: `node${engines.node.replace('>=', '')}`,
  outdir: 'dist',
  sourcemap: true,
  plugins: [leftOutside, ownPlace],
  logLevel: 'warning',
  write: false,
}

/** @param {import('esbuild').OutputFile} file */
const isEntry = ({ path }) => /\/(main|verify)\.js$/.test(path)

const built = await Promise.all([
  build({ ...options, entryPoints: ['src/main.ts', 'src/verify.ts'], splitting: true }),
  // A thread and process of its own, which loads nothing of the server.
  build({ ...options, entryPoints: ['src/store/connection/embedded/worker.ts'], outbase: 'src' }),
])

const dist = join(root, 'dist')
const page = 'api/page/browser'
/** Contents by path; what a process starts from comes last, behind all that it imports. */
const files = new Map([
  ...readdirSync(join(root, 'src', page)).map((name) => [
    join(dist, page, name),
    readFileSync(join(root, 'src', page, name)),
  ]),
  ...built
    .flatMap(({ outputFiles }) => outputFiles)
    .sort((a, b) => Number(isEntry(a)) - Number(isEntry(b)))
    .map(({ path, contents }) => [path, contents]),
])

// Processes may start from the same files at this moment, or another build write them: each is there at any time, and whole.
for (const [path, contents] of files) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.${process.pid}`, contents)
  renameSync(`${path}.${process.pid}`, path)
}
/** @param {string | undefined} pid of the build that is writing a file, or that was killed before it was whole */
const isRunning = (pid) => {
  if (pid === undefined) return false
  try {
    return process.kill(Number(pid), 0)
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM'
  }
}
for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name)
  if (entry.isFile() && !files.has(path) && !isRunning(/\.(\d+)$/.exec(path)?.[1])) rmSync(path, { force: true })
}
