import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { deployData } from './contracts.ts'

export interface AnvilOptions {
  chainId?: number
  /** Default: any that is free. */
  port?: number
  /** Block gas limit, which is also what an eth_call may burn; default 50,000,000 like most public nodes. */
  gasLimit?: number
  /** More of anvil's own flags. */
  args?: string[]
}

/** A local EVM chain in a process of its own. Blocks are mined with each transaction. */
export interface Anvil {
  url: string
  chainId: number
  /** Ten unlocked accounts with 10,000 coins each, lower-case. */
  accounts: string[]
  rpc<T = string>(method: string, params?: unknown[]): Promise<T>
  /** Sends a transaction from an unlocked account and waits for its receipt; throws when it reverted. */
  send(transaction: { from?: string; to?: string; data?: string; value?: bigint }): Promise<{ contractAddress: string }>
  /** Deploys a contract of test/fixtures/contracts; resolves to its lower-case address. */
  deploy(contract: string, args?: readonly unknown[], from?: string): Promise<string>
  stop(): Promise<void>
}

interface Receipt {
  status: string
  contractAddress: string
}

const require = createRequire(import.meta.url)

/** The native binary itself: the npm wrapper would leave it running when killed. */
function binary(): string {
  const platform = process.platform === 'win32' ? 'win32' : process.platform
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  const name = `@foundry-rs/anvil-${platform}-${arch}`
  const wrapper = createRequire(require.resolve('@foundry-rs/anvil/package.json'))
  return wrapper.resolve(`${name}/bin/anvil${platform === 'win32' ? '.exe' : ''}`)
}

function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-8192)
      const found = /Listening on (127\.0\.0\.1:\d+)/.exec(output)
      if (found) resolve(`http://${found[1]}`)
    })
    child.stderr?.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-8192)
    })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`anvil ended with ${code}: ${output}`)))
  })
}

async function call<T>(url: string, method: string, params: unknown[]): Promise<T> {
  const response = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const body = (await response.body.json()) as { result?: T; error?: { message: string } }
  if (body.error) throw new Error(`${method}: ${body.error.message}`)
  return body.result as T
}

/**
 * Starts anvil on a loopback port. The child is killed with this process at the latest. What it writes of old
 * states goes with it: by itself anvil leaves them in the user's home when it is killed, some 50 MB each time.
 */
export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  const chainId = options.chainId ?? 31_337
  const gasLimit = options.gasLimit ?? 50_000_000
  const flags = [
    '--host',
    '127.0.0.1',
    '--port',
    `${options.port ?? 0}`,
    '--chain-id',
    `${chainId}`,
    '--gas-limit',
    `${gasLimit}`,
  ]
  const states = mkdtempSync(join(tmpdir(), 'firn-anvil-'))
  const discard = () => rmSync(states, { recursive: true, force: true, maxRetries: 5 })
  const child = spawn(binary(), [...flags, '--cache-path', states, ...(options.args ?? [])], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const kill = () => {
    child.kill('SIGKILL')
    discard()
  }
  process.once('exit', kill)
  const url = await listening(child)
  const rpc = <T = string>(method: string, params: unknown[] = []) => call<T>(url, method, params)
  const accounts = (await rpc<string[]>('eth_accounts')).map((account) => account.toLowerCase())

  const send: Anvil['send'] = async ({ from = accounts[0], to, data, value = 0n }) => {
    const hash = await rpc('eth_sendTransaction', [
      { from, ...(to && { to }), ...(data && { data }), value: `0x${value.toString(16)}` },
    ])
    let receipt: Receipt | null = null
    // The block is mined right away, but not before the hash is answered.
    for (let tries = 0; !receipt && tries < 1_000; tries++) {
      receipt = await rpc<Receipt | null>('eth_getTransactionReceipt', [hash])
      if (!receipt) await sleep(5)
    }
    if (receipt?.status !== '0x1') throw new Error(`transaction ${hash} reverted`)
    return receipt
  }
  return {
    url,
    chainId,
    accounts,
    rpc,
    send,
    deploy: async (contract, args = [], from = accounts[0] ?? '') =>
      (await send({ from, data: deployData(contract, args) })).contractAddress.toLowerCase(),
    stop: async () => {
      process.off('exit', kill)
      if (child.exitCode === null && child.signalCode === null) {
        const gone = once(child, 'exit')
        child.kill('SIGKILL')
        await gone
      }
      discard()
    },
  }
}
