import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'

const LONGEST_FILE = 300
const LONGEST_FUNCTION = 40

const filesOf = (root: string): string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(root, file))

type WithBody = ts.FunctionDeclaration | ts.FunctionExpression | ts.ArrowFunction | ts.MethodDeclaration

const isFunction = (node: ts.Node): node is WithBody =>
  (ts.isFunctionDeclaration(node) ||
    ts.isFunctionExpression(node) ||
    ts.isArrowFunction(node) ||
    ts.isMethodDeclaration(node)) &&
  node.body !== undefined

/** Lines of a function that are not those of functions inside it, which count by themselves; comments and blanks left out. */
function ownLines(source: ts.SourceFile, lines: readonly string[], outer: WithBody): number {
  const lineOf = (position: number): number => source.getLineAndCharacterOfPosition(position).line
  const own = new Set<number>()
  for (let line = lineOf(outer.getStart()); line <= lineOf(outer.end); line++) own.add(line)
  const leaveOut = (node: ts.Node): void => {
    if (!isFunction(node)) return void ts.forEachChild(node, leaveOut)
    // The line on which it begins belongs to whoever holds it.
    for (let line = lineOf(node.getStart()) + 1; line <= lineOf(node.end); line++) own.delete(line)
  }
  ts.forEachChild(outer, leaveOut)
  return [...own].filter((line) => !/^\s*(\/\/.*|\/?\*.*)?$/.test(lines[line] ?? '')).length
}

function longFunctions(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
  const lines = source.text.split('\n')
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (isFunction(node)) {
      const own = ownLines(source, lines, node)
      const { line } = source.getLineAndCharacterOfPosition(node.getStart())
      if (own > LONGEST_FUNCTION) found.push(`${file}:${line + 1} has ${own} lines`)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

it('files are short', () => {
  const files = ['src', 'test'].flatMap(filesOf).filter((file) => !file.startsWith(join('test', 'fixtures')))
  const lines = (file: string): number => readFileSync(file, 'utf8').split('\n').length - 1
  expect(files.length).toBeGreaterThan(500)
  expect(files.filter((file) => lines(file) > LONGEST_FILE)).toEqual([])
})

it('functions are short, without those that they hold', () => {
  const files = filesOf('src')
  expect(files.length).toBeGreaterThan(300)
  expect(files.flatMap(longFunctions)).toEqual([])
})
