// Files that a server did not know before a session in place wrote them, and how they are told from those of a person.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { nodePackages } from '../../models/node-packages.ts'
import { findAgents } from '../folder.ts'
import { projectModules } from '../project-modules.ts'
import { TrustedFiles } from './trusted-files.ts'
import { CLOCK_SLACK_MS, WRITING_TIMES_MAX, WritingTimes } from './writing-times.ts'

let top: string
let root: string
let data: string
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-times-')))
  root = join(top, 'apps/bot')
  data = join(root, '.bridle')
  write('lib/one.ts', OK)
  writeAgent('one', '../lib/one.ts')
})
afterEach(() => {
  projectModules(root).guard = null
  rmSync(top, { recursive: true, force: true })
})

const OK = `export const answer = 'ok'\n`
const evil = () => `import { writeFileSync } from 'node:fs'\nwriteFileSync('${join(top, 'ran')}', '')\n${OK}`
const hasRun = () => existsSync(join(top, 'ran'))
const entry = new URL('../../../../bridle/src/index.ts', import.meta.url).href
const write = (file: string, text: string) => {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}
const writeAgent = (name: string, imported: string) =>
  write(
    `agents/${name}.ts`,
    `import { agent } from '${entry}'\nimport { answer } from '${imported}'\nexport default agent({ name: '${name}', run: () => answer })\n`,
  )
const writePackage = (folder: string, text: string) => {
  write(`${folder}/package.json`, JSON.stringify({ type: 'module', main: './index.js' }))
  write(`${folder}/index.js`, text)
}
const start = () => {
  const trust = new TrustedFiles(data)
  projectModules(root).guard = (path, content) => trust.check(path, content)
  trust.own([join(root, 'agents')], root)
  return trust
}
const load = async () =>
  (await findAgents(root)).map((each) => ('problem' in each ? each.problem : each.definition.name))
/** As long as the clock of the file system may lag behind. */
const later = () => sleep(2 * CLOCK_SLACK_MS)

/** A person writes an agent that imports what the session has written. */
const afterwards = async (imported: string) => {
  await later()
  writeAgent('two', imported)
  return (await load())[1]
}
const waits = expect.stringMatching(/changed while a session worked in place/)

test.each<readonly [string, string, () => void]>([
  ['a file that nobody loaded before', '../lib/new.ts', () => write('lib/new.ts', evil())],
  [
    'a link to a file that it wrote',
    '../lib/link.ts',
    () => {
      write('x/other.ts', evil())
      symlinkSync('../x/other.ts', join(root, 'lib/link.ts'))
    },
  ],
  [
    'a folder that it replaced by a link',
    '../lib/one.ts',
    () => {
      write('x/one.ts', evil())
      renameSync(join(root, 'lib'), join(root, 'old'))
      symlinkSync('x', join(root, 'lib'))
    },
  ],
  [
    'a link to a folder of its sandbox, far away',
    '../lib/home/x.ts',
    () => {
      write('../../home/x.ts', evil())
      symlinkSync('../../../home', join(root, 'lib/home'))
    },
  ],
  ['a package that hides another', '../lib/uses.ts', () => writePackage('lib/node_modules/dep', evil())],
])('[O146] waits for a person after the session: %s', async (_name, imported, act) => {
  write('lib/uses.ts', `export { answer } from 'dep'\n`)
  writePackage('node_modules/dep', OK)
  const trust = start()
  expect(await load()).toEqual(['one'])
  await later()
  const end = trust.begin(root)
  act()
  end()
  expect([await afterwards(imported), hasRun()]).toEqual([waits, false])
  trust.acceptHeld()
  await load()
  trust.acceptHeld()
  expect(await load()).toEqual(['one', 'two'])
})

test('[O146] a session on a copy writes below the data folder: a link to it waits, however old the file is', async () => {
  const trust = start()
  write('.bridle/workspaces/a/one.ts', evil())
  await later()
  trust.begin(root)()
  await later()
  symlinkSync('../.bridle/workspaces/a', join(root, 'lib/copy'))
  writeAgent('two', '../lib/copy/one.ts')
  expect([(await load())[1], hasRun()]).toEqual([waits, false])
})

test('[O146] a file of a neighbour in the repository is known as those of the project are', async () => {
  write('../../packages/shared/index.ts', OK)
  writeAgent('two', '../../../packages/shared/index.ts')
  const trust = start()
  expect(await load()).toEqual(['one', 'two'])
  const end = trust.begin(top)
  write('../../packages/shared/index.ts', evil())
  end()
  await later()
  writeAgent('two', '../../../packages/shared/../shared/index.ts')
  await load()
  expect([hasRun(), trust.held]).toEqual([false, [join(top, 'packages/shared/index.ts')]])
})

test('[O146] a provider package that a session installed where nobody has a project', async () => {
  const trust = start()
  const end = trust.begin(root)
  writePackage('node_modules/@ai-sdk/evil', evil())
  end()
  await expect(nodePackages(root).load('evil', {})).rejects.toThrow(/changed while a session/)
  expect([hasRun(), trust.held.length]).toEqual([false, 2])
})

test('[O146] what a person writes before and after is loaded without a question, also what was there and not loaded', async () => {
  write('lib/early.ts', OK)
  await later()
  const trust = start()
  const end = trust.begin(root)
  writeFileSync(join(top, 'elsewhere.txt'), '')
  await later()
  expect(await load()).toEqual(['one'])
  end()
  expect(await afterwards('../lib/early.ts')).toBe('two')
  write('lib/late.ts', OK)
  expect(await afterwards('../lib/late.ts')).toBe('two')
  expect(trust.held).toEqual([])
})

test('[O146] packages that a person installs where the sandbox shows them read-only need no question', async () => {
  write('bridle.config.ts', '')
  write('node_modules/other/package.json', '{}')
  const trust = start()
  trust.begin(root)
  writePackage('node_modules/dep', OK)
  writePackage('lib/node_modules/near', evil())
  writeAgent('one', 'dep')
  await later()
  trust.acceptHeld()
  await load()
  trust.acceptHeld()
  expect(await load()).toEqual(['one'])
  await expect(
    Promise.resolve().then(() => trust.check(join(root, 'lib/node_modules/near/index.js'), '')),
  ).rejects.toThrow()
})

test('[O146] another server with a session in this folder is known here, also after its end', async () => {
  write('.bridle/secret', '')
  const trust = start()
  expect(await load()).toEqual(['one'])
  await later()
  const other = new TrustedFiles(join(top, 'other'))
  other.own([])
  const end = other.begin(root)
  write('lib/one.ts', evil())
  const held = await load()
  end()
  await later()
  trust.begin(root)()
  expect([held, await load(), hasRun()]).toEqual([[waits], [waits], false])
  expect(new TrustedFiles(data).held).toEqual([join(root, 'lib/one.ts')])
})

test('[O146] the record of times stays small, and forgets none', async () => {
  const times = new WritingTimes(data)
  times.begin(root)
  write('lib/early.ts', '')
  times.end(root)
  const [name = ''] = readdirSync(join(data, 'in-place'))
  const file = join(data, 'in-place', name)
  const known = JSON.parse(readFileSync(file, 'utf8')) as { from: number; to: number }[]
  await later()
  const more = Array.from({ length: WRITING_TIMES_MAX }, () => ({ ...known[0], from: Date.now(), to: Date.now() }))
  writeFileSync(file, JSON.stringify([...known, ...more]))
  times.begin(root)
  times.end(root)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toHaveLength(WRITING_TIMES_MAX)
  expect(times.covers(join(root, 'lib/early.ts'), () => true)).toBe(true)
})
