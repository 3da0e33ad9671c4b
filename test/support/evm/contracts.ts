import { readFileSync } from 'node:fs'
import { type Abi, encodeDeployData, encodeFunctionData, type Hex } from 'viem'

interface Artifact {
  abi: Abi
  bytecode: Hex
}

const folder = new URL('../../fixtures/contracts/', import.meta.url)
let artifacts: Record<string, Artifact> | undefined

function artifact(contract: string): Artifact {
  artifacts ??= (
    JSON.parse(readFileSync(new URL('artifacts.json', folder), 'utf8')) as { out: Record<string, Artifact> }
  ).out
  const found = artifacts[contract]
  if (!found) throw new Error(`no compiled contract ${contract}`)
  const bytecode = found.bytecode.startsWith('0x') ? found.bytecode : (`0x${found.bytecode}` as Hex)
  return { abi: found.abi, bytecode }
}

/** Creation data of a compiled contract of test/fixtures/contracts. */
export function deployData(contract: string, args: readonly unknown[] = []): Hex {
  const { abi, bytecode } = artifact(contract)
  return encodeDeployData({ abi, bytecode, args } as Parameters<typeof encodeDeployData>[0])
}

/** Call data of one function of a compiled contract. */
export function callData(contract: string, functionName: string, args: readonly unknown[] = []): Hex {
  const { abi } = artifact(contract)
  return encodeFunctionData({ abi, functionName, args } as Parameters<typeof encodeFunctionData>[0])
}
