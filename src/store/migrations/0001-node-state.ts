import type { Kysely } from 'kysely'
import { run } from './statements.ts'

/** State of the node APIs: aliases, credential and revoked tokens, keystore users; and the row of the health probe. */
export const up = (db: Kysely<unknown>): Promise<void> =>
  run(db, [
    `create table store_probe (single boolean primary key default true check (single), checked_at int8 not null)`,
    `create table node_endpoint_alias (
      alias text primary key, endpoint text not null, position int8 generated always as identity)`,
    `create table node_chain_alias (
      alias text primary key, chain text not null, position int8 generated always as identity)`,
    `create table node_credential (
      single boolean primary key default true check (single), salt bytea not null, fingerprint text not null)`,
    `create table node_revocation (jti text primary key, until int8 not null)`,
    `create table node_generation (topic text primary key, generation int8 not null)`,
    `insert into node_generation values ('aliases', 0), ('auth', 0)`,
    `create table keystore_user (name bytea primary key, hash bytea not null, salt bytea not null)`,
    `create table keystore_entry (
      name bytea not null references keystore_user on delete cascade,
      key bytea not null, value bytea not null, primary key (name, key))`,
  ])
