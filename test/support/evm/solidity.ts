import { readFileSync } from 'node:fs'
import solc from 'solc'
import type { Abi, Hex } from 'viem'

interface Compiled {
  errors?: { severity: string; formattedMessage: string }[]
  contracts?: Record<string, Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>>
}

export interface CompiledContract {
  abi: Abi
  bytecode: Hex
}

/** All contracts of one file of test/fixtures/contracts that imports nothing, by name. */
export function compileSolidity(file: string): Record<string, CompiledContract> {
  const content = readFileSync(new URL(`../../fixtures/contracts/${file}`, import.meta.url), 'utf8')
  const input = {
    language: 'Solidity',
    sources: { [file]: { content } },
    settings: {
      evmVersion: 'paris',
      optimizer: { enabled: true, runs: 200 },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as Compiled
  const broken = output.errors?.find((error) => error.severity === 'error')
  if (broken) throw new Error(broken.formattedMessage)
  const contracts = Object.entries(output.contracts?.[file] ?? {})
  return Object.fromEntries(
    contracts.map(([name, { abi, evm }]) => [name, { abi, bytecode: `0x${evm.bytecode.object}` as Hex }]),
  )
}
