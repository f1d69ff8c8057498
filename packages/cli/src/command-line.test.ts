// The command without a server and without a process. main.test.ts has what only a process shows.
import { describe, expect, test } from 'vitest'
import { runCommandLine } from './command-line.ts'
import { keepingOutput } from './verb-calls.suite.ts'
import { verbs } from './verbs.ts'

/** A call in a pipe. */
const bridle = async (args: readonly string[]) => {
  const { out, printed } = keepingOutput(true, 80)
  const errors: string[] = []
  const code = await runCommandLine(args, {
    environmentOf: async () => ({}),
    outputOf: () => out,
    print: out.write,
    printError: (text) => errors.push(text),
    errorColumns: () => null,
  })
  return { code, stdout: printed.join('').trimEnd(), stderr: errors.join('') }
}

test.each<[string, string[], string]>([
  ['an unknown verb', ['sesions'], 'There is no "sesions". Did you mean bridle sessions?'],
  ['a verb like no other', ['frobnicate'], 'There is no "frobnicate". Try bridle --help.'],
  ['a name of every object', ['constructor'], 'There is no "constructor". Try bridle --help.'],
  ['an unknown flag', ['run', 'scripted', '--foo'], 'There is no --foo in bridle run. Try bridle run --help.'],
  [
    'a misspelt flag',
    ['start', '--prot', '80'],
    'There is no --prot in bridle start. Did you mean --port? Try bridle start --help.',
  ],
  ['a flag without its value', ['run', 'scripted', '--id'], '--id needs a value. Try bridle run --help.'],
  ['a flag in place of a value', ['run', 'scripted', '--url', '--json'], '--url needs a value. Try bridle run --help.'],
  ['a value for a switch', ['sessions', '--json=yes'], '--json takes no value. Try bridle sessions --help.'],
  [
    'an argument that is missing',
    ['approve', 's'],
    'bridle approve needs <approvalId>; bridle approvals lists them. Try bridle approve --help.',
  ],
  ['a word of other programs', ['inbox'], 'There is no "inbox". Did you mean bridle approvals?'],
  ['an argument too many', ['attach', 'a', 'b'], '"b" is one argument too many. Try bridle attach --help.'],
  ['a payload that is no object', ['run', 'scripted', '--payload', '[1]'], '--payload is not a JSON object.'],
  ['a file that is not there', ['run', 'scripted', '--payload-file', 'no.json'], 'no.json cannot be read: ENOENT'],
  ['a setting without a key', ['run', 'scripted', '--set', '=3'], '--set =3 is not key=value.'],
  [
    'a URL that is none',
    ['sessions', '--url', 'nowhere'],
    '"nowhere" is not a URL of a server; http://127.0.0.1:4317 would be one.',
  ],
  [
    'a URL without its beginning',
    ['sessions', '--url', 'localhost:4417'],
    '"localhost:4417" is not a URL of a server; http://localhost:4417 would be one.',
  ],
  [
    'a URL of another kind',
    ['sessions', '--url', 'ftp://localhost:4417'],
    '"ftp://localhost:4417" is not a URL of a server; http://127.0.0.1:4317 would be one.',
  ],
  [
    'a store for Cloudflare',
    ['dev', '--target', 'cloudflare', '--store', 'memory'],
    '--store is for the target node; an object keeps its own sessions.',
  ],
  ['a limit that is none', ['sessions', '--limit', 'x'], '--limit x is not a number from 1 to 500.'],
  ['a replay that is none', ['attach', 's', '--replay', 'x'], '--replay x is neither all, none nor a number.'],
  ['an event that is none', ['attach', 's', '--after', 'x'], '--after x is not the id of an event, such as ev-12.'],
  ['arguments that are no JSON', ['approve', 's', 'a', '--args', '3'], '--args is not a JSON object.'],
  ['a signal without a name', ['signal', 's'], 'bridle signal needs <name>. Try bridle signal --help.'],
  ['a speed that is none', ['replay', 's', '--speed', 'fast'], '--speed fast is neither a factor such as 4x nor max.'],
  ['a tier that is none', ['logs', 's', '--tier', 'all'], '--tier all is neither default nor debug.'],
  ['a pattern that is none', ['logs', 's', '--grep', '('], '--grep ( is not a regular expression.'],
  ['a point that is none', ['branch', 's', '--from', 'x'], '--from x is not the id of an event, such as ev-12.'],
  ['a score that is none', ['health', '--below', '0'], '--below 0 is not a number from 1 to 100.'],
  ['an unknown shell', ['completion', 'ksh'], 'There is no completion for "ksh"; there is one for bash, zsh, fish.'],
  ['a deletion that nobody confirms', ['delete', 's'], 'Nobody can be asked here: bridle delete needs --yes.'],
  [
    'an editor without a terminal',
    ['approve', 's', 'a', '--edit'],
    '--edit needs a terminal; elsewhere use --args JSON.',
  ],
  ['a target that is none', ['dev', '--target', 'moon'], 'There is no target "moon"; node and cloudflare are.'],
  ['a build for nowhere', ['build', '--target', 'moon'], 'There is no target "moon"; cloudflare is one.'],
])('[C1] %s is a usage error in one line', async (_name, args, message) => {
  expect(await bridle(args)).toEqual({ code: 2, stdout: '', stderr: `bridle: ${message}\n` })
})

test('[C1] a payload that is not JSON says where it stops being JSON', async () => {
  const { code, stderr } = await bridle(['run', 'scripted', '--payload', '{'])
  expect([code, stderr.split('\n').length]).toEqual([2, 2])
  expect(stderr).toMatch(/^bridle: --payload is not JSON: .*position 1/)
  expect((await bridle(['signal', 's', 'paid', 'yes'])).stderr).toMatch(/^bridle: The payload is not JSON: /)
})

describe('[C2] help', () => {
  test.each([[['--help']], [['-h']], [['help']], [[]]])('%j lists the verbs', async (args) => {
    const { code, stdout } = await bridle(args)
    expect(code).toBe(0)
    for (const verb of Object.keys(verbs)) expect(stdout).toMatch(new RegExp(`^ {2}${verb}\\b`, 'm'))
    // Grouped by what a person wants to do, and no wider than a terminal.
    expect(stdout.match(/^[A-Z][a-z]+$/gm)).toEqual(['Start', 'Talk', 'Look', 'Steer', 'Files', 'Server'])
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  })

  test.each([[['run', '--help']], [['help', 'run']], [['run', 'scripted', '-h']]])(
    '%j explains the verb',
    async (args) => {
      const { code, stdout } = await bridle(args)
      expect([code, stdout.split('\n')[0]]).toEqual([
        0,
        'bridle run <agent> [prompt] [options]: run an agent and watch it',
      ])
    },
  )
})

describe('[C4] without a server', () => {
  test.each([
    ['sessions'],
    ['approvals'],
    ['approve', 's', 'a'],
    ['reject', 's', 'a'],
    ['signal', 's', 'a'],
    ['export'],
    ['export', 's'],
    ['inspect', 's'],
    ['cancel', 's'],
    ['delete', 's', '--yes'],
    ['open'],
  ])('bridle %s says that nobody answers', async (...args) => {
    const { code, stdout, stderr } = await bridle([...args, '--url', 'http://127.0.0.1:1'])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(
      /^bridle: No Bridle answers at http:\/\/127\.0\.0\.1:1: bad port\. Start one with bridle start --port 1, or/,
    )
  })
})
