// Which files are loaded after sessions worked in place in their folder.
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findAgents } from '../folder.ts'
import { projectModules } from '../project-modules.ts'
import { type TrustChange, TrustedFiles } from './trusted-files.ts'

let root: string
let data: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-trust-')))
  data = join(root, '.bridle')
})
afterEach(() => {
  projectModules(root).guard = null
  rmSync(root, { recursive: true, force: true })
})

const entry = new URL('../../../../bridle/src/index.ts', import.meta.url).href
const write = (file: string, text: string) => {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}
const writeAgent = (name: string, lib = `lib/${name}.ts`) => {
  write(lib, `export const answer = '${name}'\n`)
  write(
    `agents/${name}.ts`,
    `import { agent } from '${entry}'\nimport { answer } from '../${lib}'\nexport default agent({ name: '${name}', run: () => answer })\n`,
  )
}
/** The server of the folder, as it starts. */
const start = () => {
  const trust = new TrustedFiles(data)
  const changes: TrustChange[] = []
  trust.listen((change) => changes.push(change))
  projectModules(root).guard = (path, content) => trust.check(path, content)
  trust.own([join(root, 'agents')])
  return { trust, changes }
}
const load = async () =>
  (await findAgents(root)).map((each) => ('problem' in each ? `${each.file}: ${each.problem}` : each.definition.name))
const named = (paths: readonly string[]) => paths.map((path) => relative(root, path))

test('[O76] a person edits while no session works there, and is asked nothing; no record is written', async () => {
  writeAgent('one')
  start()
  expect(await load()).toEqual(['one'])
  write('lib/one.ts', `export const answer = 'two'\n`)
  writeAgent('three')
  expect(await load()).toEqual(['one', 'three'])
  expect(existsSync(data)).toBe(false)
})

test('[O76] what changed while a session could write there waits for one confirmation, also after three restarts', async () => {
  for (const name of ['one', 'two', 'three']) writeAgent(name)
  const { trust, changes } = start()
  await load()
  const end = trust.begin(root)
  for (const name of ['one', 'two', 'three']) write(`lib/${name}.ts`, `export const answer = 'evil'\n`)
  write('agents/new.ts', readFileSync(join(root, 'agents/one.ts'), 'utf8').replace(`name: 'one'`, `name: 'new'`))
  const refused = [
    expect.stringMatching(/^agents\/new\.ts: .*agents\/new\.ts changed while a session worked in place/),
    ...['one', 'three', 'two'].map((name) =>
      expect.stringMatching(new RegExp(`^agents/${name}.ts: .*lib/${name}.ts changed .*--accept .*lib/${name}.ts`)),
    ),
  ]
  expect(await load()).toEqual(refused)
  end()
  expect(await load()).toEqual(refused)
  for (let restarts = 0; restarts < 3; restarts++) {
    start()
    expect(await load()).toEqual(refused)
  }
  const last = start()
  expect(named(last.trust.held).toSorted()).toEqual(['agents/new.ts', 'lib/one.ts', 'lib/three.ts', 'lib/two.ts'])
  last.trust.acceptHeld()
  expect(await load()).toEqual(['new', 'one', 'three', 'two'])
  start()
  expect(await load()).toEqual(['new', 'one', 'three', 'two'])
  expect(changes.flatMap((change) => ('held' in change ? named(change.held) : [])).toSorted()).toEqual([
    'agents/new.ts',
    'lib/one.ts',
    'lib/three.ts',
    'lib/two.ts',
  ])
})

test('[O76] --accept confirms the file as it is then; a later change in the session waits again', async () => {
  writeAgent('one')
  const { trust } = start()
  await load()
  const end = trust.begin(root)
  write('lib/one.ts', `export const answer = 'a'\n`)
  expect(await load()).toEqual([expect.stringContaining('lib/one.ts changed')])
  expect([trust.accept(join(root, 'lib/one.ts')), trust.accept(join(root, 'agents/one.ts'))]).toEqual([true, false])
  expect(await load()).toEqual(['one'])
  write('lib/one.ts', `export const answer = 'b'\n`)
  expect(await load()).toEqual([expect.stringContaining('lib/one.ts changed')])
  // Back to what the person has confirmed.
  write('lib/one.ts', `export const answer = 'a'\n`)
  expect(await load()).toEqual(['one'])
  end()
  expect(trust.held).toEqual([])
})

test('[O76] the key confirms what was asked about, and not what came after it', async () => {
  writeAgent('one')
  const { trust } = start()
  await load()
  trust.begin(root)
  write('lib/one.ts', `export const answer = 'seen'\n`)
  await load()
  write('lib/one.ts', `export const answer = 'unseen'\n`)
  trust.acceptHeld()
  expect(await load()).toEqual([expect.stringContaining('lib/one.ts changed')])
})

test('[O76] a kill in the middle: the next start holds what had changed by then', async () => {
  writeAgent('one')
  const { trust } = start()
  await load()
  trust.begin(root)
  write('lib/one.ts', `export const answer = 'evil'\n`)
  // Killed. Also a command that reads settings beside a server that is at work sees the change.
  expect(() => new TrustedFiles(data).check(join(root, 'lib/one.ts'), 'evil')).toThrow(/changed while/)
  expect(named(start().trust.held)).toEqual(['lib/one.ts'])
})

test('[O76] three sessions at once, in this folder, in it twice and elsewhere; a file with a second name', async () => {
  writeAgent('one')
  writeAgent('two', 'inner/lib/two.ts')
  const { trust } = start()
  await load()
  const ends = [trust.begin(join(root, 'inner')), trust.begin(join(root, 'inner')), trust.begin('/elsewhere')]
  write('lib/one.ts', `export const answer = 'of a person'\n`)
  expect(await load()).toEqual(['one', 'two'])
  linkSync(join(root, 'inner/lib/two.ts'), join(root, 'inner/twin.ts'))
  writeFileSync(join(root, 'inner/twin.ts'), `export const answer = 'evil'\n`)
  ends[0]?.()
  ends[0]?.()
  const refused = ['one', expect.stringContaining('inner/lib/two.ts changed')]
  expect(await load()).toEqual(refused)
  for (const end of ends) end()
  expect(await load()).toEqual(refused)
})

test('[O76] a change that nobody loaded during the session is found at its end', async () => {
  writeAgent('one')
  const { trust } = start()
  await load()
  const end = trust.begin(root)
  write('lib/one.ts', `export const answer = 'evil'\n`)
  expect(trust.held).toEqual([])
  end()
  expect(named(trust.held)).toEqual(['lib/one.ts'])
})
