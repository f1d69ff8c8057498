// The table of verbs: what its help says, and what a start loads.
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { parseSync } from 'oxc-parser'
import { expect, test } from 'vitest'
import { packageFile, root } from '../../../scripts/source-files.ts'
import { commandHelp, helpOverview } from './help.ts'
import { otherWord, verbGroups, verbs } from './verbs.ts'

const commands = ['bridle', 'npx bridle', 'npm run -s bridle --']

test.each(Object.entries(verbs))(
  '[C163] [C127] the help of %s has an example as it is typed here, and fits 80 columns',
  async (name, row) => {
    for (const command of commands) {
      const help = commandHelp(name, row, await row.load(), command)
      expect(help.startsWith(`${command} ${name}`)).toBe(true)
      expect(help.split('\n').at(-1)?.startsWith(`  ${command} ${name}`)).toBe(true)
      for (const line of help.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80)
      // The name of the program by itself is no command to type.
      if (command !== 'bridle') expect(help.replaceAll(/\s+/g, ' ')).not.toContain(`${command} and fh`)
      // No text of the help calls the program by another name.
      const others = help.replaceAll(command, '').match(/\bbridle (?:[a-z]+)\b/g) ?? []
      expect(others.filter((each) => Object.hasOwn(verbs, each.slice('bridle '.length)))).toEqual([])
    }
  },
)

test('[C127] the help of completion says what its scripts call, which is bridle wherever it is typed', async () => {
  const row = verbs.completion
  if (!row) throw new Error('There is no verb completion.')
  const text = commandHelp('completion', row, await row.load(), 'npm run -s bridle --').replaceAll(/\s+/g, ' ')
  const [, scripts] = /The scripts call (.*?) Example:/.exec(text) ?? []
  expect(scripts).toBe('bridle itself, with completion sessions and completion agents, which print a name per line.')
})

test.each(Object.entries(verbs))(
  '[C163] the paragraphs of the help of %s are filled, and no line begins like that of a list',
  async (name, row) => {
    for (const command of commands) {
      const [head = '', ...lines] = commandHelp(name, row, await row.load(), command).split('\n')
      expect(head).not.toContain('such')
      for (const [at, line] of lines.entries()) {
        const next = lines[at + 1] ?? ''
        expect(next).not.toMatch(/^- /)
        // A line to copy stands by itself, and a command within a text is not broken.
        const isFlow = /^\S/.test(line) && /^\S/.test(next) && !next.startsWith(command.split(' ')[0] ?? '')
        if (isFlow) expect(`${line} ${next.split(' ', 1)[0]}`.length, `${line}\n${next}`).toBeGreaterThanOrEqual(80)
      }
    }
  },
)

test.each(commands)(
  '[C281] the lines of completion that are there to be copied stand in one piece: %s',
  async (command) => {
    const row = verbs.completion
    if (!row) throw new Error('There is no verb completion.')
    const lines = commandHelp('completion', row, await row.load(), command).split('\n')
    expect(lines).toEqual(
      expect.arrayContaining([
        `  eval "$(${command} completion bash)"`,
        `  eval "$(${command} completion zsh)"`,
        `  ${command} completion fish > ~/.config/fish/completions/bridle.fish`,
        '  bridle() { npx bridle "$@"; }',
      ]),
    )
  },
)

test.each(commands)('[C127] the list of verbs where the command is %s', (command) => {
  const help = helpOverview(command)
  expect(help.replaceAll(/\s+/g, ' ')).toContain(`${command} <verb> --help says more`)
  expect(help.replaceAll(/\s+/g, ' ')).toContain(`${command} start --token keeps it`)
  for (const line of help.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
})

test.each([
  ...[
    ['inbox', 'approvals'],
    ['ps', 'sessions'],
    ['LS', 'sessions'],
    ['stop', 'cancel'],
    ['fork', 'branch'],
  ],
  ...[
    ['tail', 'logs'],
    ['serve', 'start'],
    ['rm', 'delete'],
    ['frobnicate', null],
    ['constructor', null],
  ],
])('[C282] %s means %s', (word, verb) => {
  expect(otherWord(String(word))).toBe(verb)
  // A word that is a verb needs no other.
  expect(Object.hasOwn(verbs, String(word))).toBe(false)
  if (verb) expect(Object.keys(verbs)).toContain(verb)
})

test.each(['start', 'dev', 'chat', 'run', 'build', 'doctor'])('[C102] %s takes --agents', async (name) => {
  expect(Object.keys((await verbs[name]?.load())?.options ?? {})).toContain('agents')
})

const source = root

/** The files that Node loads with a file: imports of types vanish, and those inside of functions come later. */
const loadedWith = (file: string, seen = new Set<string>()): Set<string> => {
  if (seen.has(file)) return seen
  seen.add(file)
  const path = join(source, packageFile(file))
  const { staticImports, staticExports } = parseSync(path, readFileSync(path, 'utf8')).module
  const named = [
    ...staticImports
      .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
      .map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports
      .flatMap(({ entries }) => entries)
      .flatMap(({ isType, moduleRequest }) => (isType || !moduleRequest ? [] : [moduleRequest.value])),
  ]
  for (const each of named) {
    if (each.startsWith('.')) loadedWith(join(dirname(file), each), seen)
    if (each.startsWith('@bridle/')) loadedWith(`${each.slice('@bridle/'.length)}.ts`, seen)
  }
  return seen
}

test('[C164] help and version load no command; a verb that calls a server loads no server', () => {
  const start = [...loadedWith('cli/main.ts')]
  expect(start.filter((file) => relative('cli/commands', file).startsWith('..') === false)).toEqual([])
  expect(start.length).toBeLessThan(25)
  // A chat has the client of a page, which folds the state itself.
  const { Start: _start, Server: _server, ...others } = verbGroups
  const calling = Object.values(others).flatMap((group) =>
    Object.entries(group).flatMap(([name, row]) => (name === 'chat' ? [] : [row])),
  )
  const files = calling.map(({ load }) => /commands\/[a-z-]+\.ts/.exec(String(load))?.[0])
  for (const command of new Set(files)) {
    const heavy = [...loadedWith(`cli/${command}`)].filter((file) =>
      /^(agents|history|kernel\/(projections|rules|session|host)|stores(?!\/folder-obstacle)|surfaces|voice)\/|^server\/node\/index\.ts$/.test(
        file,
      ),
    )
    expect([command, heavy]).toEqual([command, []])
  }
})
