import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { missingLine, parseTutorial } from './page.ts'

const PAGE = [
  'Write it:',
  '```ts agents/greet.ts',
  'export default 1',
  '```',
  '```sh server',
  'npx bridle dev',
  '```',
  '```sh',
  '# in another terminal',
  'npx bridle run greet Ada   # asks you',
  'curl http://127.0.0.1:4317/sessions \\',
  "  -d '{}'",
  '```',
  '<!-- until: test -f a.txt -->',
  '```text',
  'Hello, Ada',
  '',
  '```',
  '```json',
  '{}',
  '```',
  '```sh by-hand',
  'npm install',
  '```',
].join('\n')

test('a page is files, commands, servers and what they print', () => {
  expect(parseTutorial(PAGE)).toEqual([
    { kind: 'file', line: 2, path: 'agents/greet.ts', content: 'export default 1\n' },
    { kind: 'server', line: 5, commands: ['npx bridle dev'] },
    {
      kind: 'commands',
      line: 8,
      commands: ['npx bridle run greet Ada', "curl http://127.0.0.1:4317/sessions -d '{}'"],
    },
    { kind: 'until', line: 14, commands: ['test -f a.txt'] },
    { kind: 'output', line: 15, lines: ['Hello, Ada'] },
    { kind: 'by-hand', line: 22, commands: ['npm install'] },
  ])
  expect(() => parseTutorial('```sh\nls')).toThrow('The block at line 1 has no end.')
})

test.each([
  ['in order', ['one', 'two'], 'one\ntwo', null],
  ['not in order', ['two', 'one'], 'one\ntwo', 'one'],
  ['with a gap', ['id s-… is (done)'], 'the id s-12 is (done).', null],
  ['a dot is a dot', ['a.b'], 'axb', 'a.b'],
  ['two on one line', ['Hello', 'Ada'], 'Hello, Ada', null],
])('expected lines: %s', (_name, expected, printed, missing) => expect(missingLine(expected, printed)).toBe(missing))

const docs = join(import.meta.dirname, '../../docs')
const tutorials = globSync('tutorials/*.md', { cwd: docs })
  .map((file) => basename(file))
  .sort()

test.each([
  ['index.md', 'tutorials/'],
  ['tutorials/project.md', ''],
])('%s leads to every tutorial', (file, folder) => {
  const page = readFileSync(join(docs, file), 'utf8')
  const others = tutorials.filter((each) => join('tutorials', each) !== file)
  expect(others.length).toBeGreaterThan(4)
  expect(others.filter((each) => !page.includes(`](${folder}${each})`))).toEqual([])
})

test.each(tutorials)('%s starts a server, and leads to two others', (file) => {
  const page = readFileSync(join(docs, 'tutorials', file), 'utf8')
  expect(parseTutorial(page).map(({ kind }) => kind)).toContain('server')
  expect(tutorials.filter((other) => page.includes(`](${other})`)).length).toBeGreaterThan(1)
})

test('the pages install the exact version of assistant-ui that the package is tested with, and allows', () => {
  const read = (file: string) => JSON.parse(readFileSync(join(docs, '..', file), 'utf8'))
  const { peerDependencies } = read('packages/bridle/package.json')
  const version: string = read('package.json').devDependencies['@assistant-ui/react']
  // A range would install a newer patch, with which nobody has tried this package.
  const [, minor, patch] = /^~(\d+\.\d+)\.(\d+)$/.exec(peerDependencies['@assistant-ui/react']) ?? []
  expect(version).toMatch(/^\d+\.\d+\.\d+$/)
  expect([version.replace(/\.\d+$/, ''), Number(version.split('.')[2]) >= Number(patch)]).toEqual([minor, true])
  for (const file of ['react.md', 'tutorials/react.md'])
    expect(readFileSync(join(docs, file), 'utf8')).toMatch(
      new RegExp(`npm install --save-exact @assistant-ui/react@${version}(?![\\w.-])`),
    )
})
