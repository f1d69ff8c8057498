import { expect, test } from 'vitest'
import { mcpServersProblem, runMcpServers } from './declaration.ts'

const url = 'https://docs.example.com/mcp'

test.each<[string, unknown]>([
  ['none', undefined],
  ['an address', { docs: { url } }],
  [
    'an address with all it can have',
    { docs: { url, headers: { Authorization: 'a' }, requests: 0, include: ['a*'], exclude: [] } },
  ],
  ['a function for headers', { docs: { url, headers: () => ({}) } }],
  [
    'a program with all it can have',
    { 'my-files_2': { command: 'node', args: ['s.js'], env: { A: 'b' }, cwd: 'tools' } },
  ],
  ['names of one and of 32 characters', { a: { url }, ['b'.repeat(32)]: { url } }],
])('[EN40] %s is taken', (_name, servers) => expect(mcpServersProblem(servers)).toBeNull())

test.each<[string, unknown, RegExp]>([
  ['a list', [{ name: 'docs', url }], /"mcp" must be an object of MCP servers by name/],
  ['the name of our own server', { bridle: { url } }, /"bridle": its name is reserved for your own tools/],
  ['the same in capitals', { Bridle: { url } }, /its name is reserved for your own tools/],
  ['a name with a dot', { 'a.b': { url } }, /"a.b": its name may have at most 32 letters/],
  ['a name with the mark between server and tool', { bridle__x: { url } }, /its name may have at most 32 letters/],
  ['a name that ends with _', { bridle_: { url } }, /its name may have at most 32 letters/],
  ['an empty name', { '': { url } }, /its name may have at most 32 letters/],
  ['a name of 33 characters', { ['a'.repeat(33)]: { url } }, /at most 32 letters/],
  [
    'names that an engine cannot tell apart',
    { 'a-b': { url }, a_b: { url } },
    /"a_b": its name differs from "a-b" only in case/,
  ],
  ['a text', { docs: url }, /it must be \{ url \} or \{ command \}/],
  ['neither', { docs: {} }, /needs either a command or a url/],
  ['both', { docs: { url, command: 'node' } }, /needs either a command or a url/],
  ['another scheme', { docs: { url: 'file:///etc' } }, /does not begin with http/],
  ['a password in the url', { docs: { url: 'https://u:secret@x' } }, /has a password. Send it in headers/],
  ['a misspelt field', { docs: { url, header: {} } }, /"header" is not one of url, headers, requests/],
  ['a limit of a program', { docs: { command: 'x', requests: 1 } }, /"requests" is not one of command, args, env, cwd/],
  ['a negative limit', { docs: { url, requests: -1 } }, /"requests" must be a whole number/],
  ['a text for include', { docs: { url, include: 'a' } }, /include is not a list of names/],
  ['a number in args', { docs: { command: 'x', args: [1] } }, /the args of "docs" are not texts/],
  ['a number in env', { docs: { command: 'x', env: { A: 1 } } }, /the env of "docs" is not an object of texts/],
  ['a line break in a header', { docs: { url, headers: { a: 'secret\nb: c' } } }, /one of its headers/],
  ['a space in the name of a header', { docs: { url, headers: { 'a b': 'secret' } } }, /one of its headers/],
])('[EN41] %s is one sentence', (_name, servers, problem) => {
  const said = mcpServersProblem(servers)
  expect(said).toMatch(problem)
  expect(said).not.toContain('secret')
})

test('[EN44] a runner learns of no URL and no header', () => {
  const servers = { docs: { url, headers: { authorization: 'secret' } }, files: { command: 'node', args: ['s.js'] } }
  expect(runMcpServers(servers)).toEqual([
    { name: 'docs', relay: true },
    { name: 'files', command: 'node', args: ['s.js'] },
  ])
})
