import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import solc from 'solc'

interface Compiled {
  errors?: { severity: string; formattedMessage: string }[]
  contracts?: Record<string, Record<string, { evm: { bytecode: { object: string } } }>>
}

const folder = new URL('../../../../src/chains/evm/read/', import.meta.url)
const target = new URL('reader-code.ts', folder)

/** Compiles one Yul file of src/chains/evm/read for chains as old as Istanbul; hex without 0x. */
function compileYul(file: string): string {
  const input = {
    language: 'Yul',
    sources: { [file]: { content: readFileSync(new URL(file, folder), 'utf8') } },
    settings: {
      evmVersion: 'istanbul',
      optimizer: { enabled: true, runs: 1_000_000, details: { yul: true } },
      outputSelection: { '*': { '*': ['evm.bytecode.object'] } },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as Compiled
  const broken = output.errors?.find((error) => error.severity === 'error')
  if (broken) throw new Error(broken.formattedMessage)
  const object = Object.values(output.contracts?.[file] ?? {})[0]?.evm.bytecode.object
  if (!object) throw new Error(`${file} compiled to nothing`)
  return object
}

/** What src/chains/evm/read/reader-code.ts must say. */
export function readerCodeFile(): string {
  return [
    '/**',
    ' * Compiled from balance-reader.yul and call-reader.yul (solc 0.8.30, optimised, EVM version Istanbul), hex without 0x.',
    ' * A test compiles the sources again and compares; `node --import tsx test/chains/evm/read/yul.ts` writes this file.',
    ' */',
    `export const balanceReaderCode =\n  '${compileYul('balance-reader.yul')}'`,
    '',
    `export const callReaderCode =\n  '${compileYul('call-reader.yul')}'`,
    '',
  ].join('\n')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(target, readerCodeFile())
