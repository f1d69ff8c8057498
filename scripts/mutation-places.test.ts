import { expect, test } from 'vitest'
import { drawPlaces, findMutant, type Mutant, mutantsOf, mutate } from './mutation-places.ts'

const read = (files: Record<string, string>, name = 'kernel') => mutantsOf(name, new Map(Object.entries(files)))
const mutations = (text: string): string[] =>
  read({ 'a.ts': text }).map((mutant) => `${mutant.kind}: ${mutate(text, mutant)}`)

test.each<[name: string, text: string, mutated: string[]]>([
  ['an equality', 'const f = a === b', ['equality: const f = a !== b']],
  ['an inequality', 'const f = a !== b', ['equality: const f = a === b']],
  ['an order', 'const f = a < b', ['order: const f = a <= b']],
  ['an order with its limit', 'const f = a >= b', ['order: const f = a > b']],
  [
    'both operators of a chain',
    'const f = a && b || c',
    ['logic: const f = a && b && c', 'logic: const f = a || b || c'],
  ],
  [
    'an operator after a parenthesis',
    'const f = (a || b) && c',
    ['logic: const f = (a || b) || c', 'logic: const f = (a && b) && c'],
  ],
  ['a condition of an expression', 'const f = a ? b : c', ['condition: const f = !(a) ? b : c']],
  ['a condition that has an operator of its own', 'const f = a === 1 ? b : c', ['equality: const f = a !== 1 ? b : c']],
  [
    'a guard',
    'const f = () => { if (a) return 1; b() }',
    ['condition: const f = () => { if (!(a)) return 1; b() }', 'guard: const f = () => {  b() }'],
  ],
  [
    'a guard with a block',
    'const f = () => { if (a < b) { return } b() }',
    ['guard: const f = () => {  b() }', 'order: const f = () => { if (a <= b) { return } b() }'],
  ],
  [
    'a last return is not a guard',
    'const f = () => { if (a < b) return }',
    ['order: const f = () => { if (a <= b) return }'],
  ],
  ['a boolean', 'const f = { sync: true }', ['boolean: const f = { sync: false }']],
  ['types have no booleans to change', 'const f = (a: true) => a', []],
  ['an offset', 'const f = at - 1', ['offset: const f = at - 2']],
  ['an index', 'const f = list[0]', ['offset: const f = list[1]']],
  ['an offset of a call', 'const f = text.slice(0, end)', ['offset: const f = text.slice(1, end)']],
  ['other numbers stay', 'const f = wait(3)', []],
])('mutants of %s', (_name, text, mutated) => {
  expect(mutations(text)).toEqual(mutated)
})

test('a place is named by its declaration, and counted within it', () => {
  const text = `
export const first = (a: number) => a === 1
class Session {
  #open = false
  append(a: number) {
    return a === 1 && a === 2
  }
}
function last() {
  return list[0]
}
export { other } from './b.ts'
`
  const places = read({ 'a.ts': text }).map(({ symbol, kind, ordinal, text, line }) => [
    symbol,
    kind,
    ordinal,
    text,
    line,
  ])
  expect(places).toEqual([
    ['first', 'equality', 1, 'a === 1', 2],
    ['Session.open', 'boolean', 1, '#open = false', 4],
    ['Session.append', 'logic', 1, 'a === 1 && a === 2', 6],
    ['Session.append', 'equality', 1, 'a === 1', 6],
    ['Session.append', 'equality', 2, 'a === 2', 6],
    ['last', 'offset', 1, 'list[0]', 10],
  ])
})

test('tests have no mutants', () => {
  expect(
    read({ 'a.test.ts': 'const f = a === b', 'a.suite.ts': 'const g = a === b', 'a.d.ts': 'declare const h: true' }),
  ).toEqual([])
})

const named = (mutants: readonly Pick<Mutant, 'symbol' | 'ordinal'>[]) =>
  mutants.map(({ symbol, ordinal }) => `${symbol} ${ordinal}`)
const letters = [...'abcdefgh']
const declarations = letters.map((name) => `const ${name} = x === 1 || x === 2`)
const one = read({ 'all.ts': declarations.join('\n') })
const moved = read(Object.fromEntries(declarations.toReversed().map((text, at) => [`moved/${at}.ts`, text])))

test('a seed draws the same places wherever the files are, one per symbol', () => {
  const drawn = drawPlaces(one, moved, 4, 7)
  expect(new Set(drawn.map(({ symbol }) => symbol)).size).toBe(4)
  expect(drawPlaces(moved, one, 4, 7)).toEqual(drawn)
  expect(drawPlaces(one, moved, 4, 8)).not.toEqual(drawn)
})

test('a draw has only places of both versions, of symbols that one file declares', () => {
  const twins = { 'a.ts': 'const a = x === 1', 'b.ts': 'const a = 1' }
  const kept = { 'c.ts': 'const c = x === 1' }
  const now = read({ ...twins, ...kept, 'd.ts': 'const d = x === 1' })
  const before = read({ ...twins, ...kept, 'd.ts': 'const d = x === 2' })
  expect(named(drawPlaces(now, before, 9, 7))).toEqual(['c 1'])
})

test.each<[name: string, source: string, name: string, found: string | undefined]>([
  ['the same node', 'const f = x === 1 && x === 2', 'kernel', 'f 2'],
  ['a node behind a new one', 'const f = x === 0 && x === 1 && x === 2', 'kernel', 'f 3'],
  ['a node that reads differently now', 'const f = y === 1 && y === 2', 'kernel', 'f 2'],
  ['a symbol in another package', 'const f = x === 1 && x === 2', 'events', 'f 2'],
  ['no symbol of this name', 'const g = x === 1 && x === 2', 'kernel', undefined],
])('a place finds %s', (_name, source, packageName, found) => {
  const place = read({ 'a.ts': 'const f = x === 1 && x === 2' }).find(({ text }) => text === 'x === 2')!
  const mutant = findMutant(place, read({ 'b.ts': source }, packageName))
  expect(mutant && `${mutant.symbol} ${mutant.ordinal}`).toEqual(found)
})
