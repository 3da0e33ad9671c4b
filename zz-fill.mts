import { readFileSync } from 'node:fs'
import { pino } from 'pino'
import { openStore } from '/work/main/src/store/index.ts'
import { fillBySql } from '/work/main/test/load/store/fill-by-sql.ts'
const url = readFileSync('/work/me/pg/url', 'utf8')
const store = openStore({ databaseUrl: url, dataDir: '', logger: pino({ level: 'warn' }), statementTimeoutMs: 600_000 })
console.log(await fillBySql(url, store, 10_000_000, 1_000_000))
await store.close()
