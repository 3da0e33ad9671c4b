import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import pg from 'pg'

/** Environment: the socket at which the Postgres of the run is asked for. Not `FIRN_…`: servers would take it for a setting. */
export const RUN_POSTGRES = 'TESTS_POSTGRES'
/** The database there that is migrated and empty. */
export const MIGRATED = 'migrated'

/** What is told at that socket; without a URL it did not start. */
export interface RunPostgres {
  url?: string
}

/** Databases of a Postgres that other files use, too. */
export interface Databases {
  /** Makes one, migrated and empty; answers its URL. @throws Error where no run of tests is around this process */
  create(): Promise<string>
  /** Drops all that were made here, with whoever is connected to them. */
  drop(): Promise<void>
}

/** Nothing happens before the first is made. */
export function runDatabases(): Databases {
  const made: string[] = []
  return {
    async create() {
      address ??= askForIt()
      const base = await address
      const name = `db_${randomUUID().replaceAll('-', '')}`
      await run(base, `create database ${name} template ${MIGRATED} strategy file_copy`)
      made.push(name)
      return Object.assign(new URL(base), { pathname: `/${name}` }).href
    },
    async drop() {
      for (const name of made.splice(0))
        await run(await (address as Promise<string>), `drop database ${name} with (force)`)
    },
  }
}

let address: Promise<string> | undefined

async function askForIt(): Promise<string> {
  const place = process.env[RUN_POSTGRES]
  if (place === undefined) throw new Error('there is no run of tests that has a Postgres')
  const socket = connect(place)
  await once(socket, 'connect')
  const { url } = JSON.parse(await text(socket)) as RunPostgres
  if (url === undefined) throw new Error('the Postgres of the run does not start: its log is in that of the run')
  return url
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}
