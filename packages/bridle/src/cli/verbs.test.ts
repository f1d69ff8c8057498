// The table of verbs: what its help says, and what a start loads.
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'
import { expect, test } from 'vitest'
import { commandHelp } from './help.ts'
import { verbs } from './verbs.ts'

test.each(Object.entries(verbs))(
  '[C163] the help of %s has an example of it, and fits 80 columns',
  async (name, row) => {
    const help = commandHelp(name, row, await row.load())
    expect(help.split('\n').at(-1)).toMatch(new RegExp(`^ {2}bridle ${name}\\b`))
    for (const line of help.split('\n').slice(1)) expect(line.length).toBeLessThanOrEqual(80)
  },
)

test.each(['start', 'dev', 'chat', 'run', 'build', 'doctor'])('[C102] %s takes --agents', async (name) => {
  expect(Object.keys((await verbs[name]?.load())?.options ?? {})).toContain('agents')
})

const source = fileURLToPath(new URL('..', import.meta.url))

/** The files that Node loads with a file: imports of types vanish, and those inside of functions come later. */
const loadedWith = (file: string, seen = new Set<string>()): Set<string> => {
  if (seen.has(file)) return seen
  seen.add(file)
  const path = join(source, file)
  const { staticImports, staticExports } = parseSync(path, readFileSync(path, 'utf8')).module
  const named = [
    ...staticImports
      .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
      .map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports
      .flatMap(({ entries }) => entries)
      .flatMap(({ isType, moduleRequest }) => (isType || !moduleRequest ? [] : [moduleRequest.value])),
  ]
  for (const each of named) if (each.startsWith('.')) loadedWith(join(dirname(file), each), seen)
  return seen
}

test('[C164] help and version load no command; a verb that calls a server loads no server', () => {
  const start = [...loadedWith('cli/main.ts')]
  expect(start.filter((file) => relative('cli/commands', file).startsWith('..') === false)).toEqual([])
  expect(start.length).toBeLessThan(20)
  // A chat has the client of a page, which folds the state itself.
  const calling = Object.entries(verbs).flatMap(([name, row]) =>
    name === 'chat' || row.group === 'Start' || row.group === 'Server' ? [] : [row],
  )
  const commands = calling.map(({ load }) => /commands\/[a-z-]+\.ts/.exec(String(load))?.[0])
  for (const command of new Set(commands)) {
    const heavy = [...loadedWith(`cli/${command}`)].filter((file) =>
      /^(agents|history|kernel\/(projections|rules|session|host)|stores|surfaces|voice)\/|^targets\/node\/index\.ts$/.test(
        file,
      ),
    )
    expect([command, heavy]).toEqual([command, []])
  }
})
