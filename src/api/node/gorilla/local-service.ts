import type { Arguments } from './arguments.ts'

/** An error text of a method: answered with JSON-RPC code -32000 and HTTP 200, as the node does. */
export class MethodError extends Error {}

/** JSON text that goes into the answer as it is (numbers beyond 2^53, maps with numeric names). */
export class RawJson {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Returned by a method that does not want to answer this call after all: it is forwarded as if nobody had asked. */
export const PASS_ON: unique symbol = Symbol('pass on')

/** 64-bit integers are strings in this dialect, so bigint never occurs; members keep their order. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue | undefined }

export type LocalResult = JsonValue | RawJson | typeof PASS_ON

/** What a method may know of the call besides its arguments. */
export interface LocalCall {
  /** As called, with its service: `info.peers`. */
  readonly method: string
  /** Canonical name of the endpoint that was called: `info`, `P`, `index/X/block`. */
  readonly endpoint: string
  /** Address of the caller's socket; undefined when it is gone. */
  readonly remoteAddress: string | undefined
  /** The address by which wrong passwords are counted: behind trusted proxies that of whom they serve. */
  readonly callerAddress: string | undefined
  /** First value of a request header, name in lower case. */
  header(name: string): string | undefined
  /** Fires when the caller has left. */
  readonly signal: AbortSignal
  /**
   * Asks an upstream node; resolves to the JSON text of `result`. `endpoint` is a canonical name, by default the one
   * that was called.
   * @throws MethodError with the node's own text when it answers with an error; FirnError when no node answers.
   */
  ask(method: string, params: JsonValue, endpoint?: string): Promise<string>
}

/** Throws MethodError for an error of the method itself; anything else it throws is a fault of this server. */
export interface LocalMethod {
  (args: Arguments, call: LocalCall): LocalResult | Promise<LocalResult>
  /** False = the method is not there now, which a node says before it looks at any argument; left out: it always is. */
  isThere?(): boolean | Promise<boolean>
}

/** Methods of one service that are answered here. */
export interface LocalService {
  /** Endpoints it answers at, canonical names: `admin`, `info`, `P`, `index/P/block`. */
  endpoints: readonly string[]
  /** The part of a method's name before the dot. */
  service: string
  /** By the part after the dot, as called: `getLoggerLevel`. */
  methods: Readonly<Record<string, LocalMethod>>
  /**
   * Methods that are forwarded first and answered here only when the node says that it does not have them
   * (`can't find method`): what newest nodes dropped.
   */
  fallbacks?: Readonly<Record<string, LocalMethod>>
  /** True = nothing of these endpoints is ever forwarded: unknown methods and unreadable bodies are answered here, too. */
  whole?: boolean
  /** True = not served on a public deployment (404, as a node with the API off). */
  private?: boolean
}
