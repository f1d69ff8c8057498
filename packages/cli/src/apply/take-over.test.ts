// The changes of a worktree, where its agent and the repository around it name programs wherever git lets them.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type HostileRepository, hostileRepository } from '@bridle/runners/workspaces/hostile-repository.suite'
import { addWorktree, findRepository } from '@bridle/runners/workspaces/worktree'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { longTest } from '../../../../scripts/long-test.ts'
import { variants } from '../../../../scripts/variants.ts'
import { changesNote } from '../runs/workspace-note.ts'
import { escapeInvisible } from '../terminal/text-lines.ts'
import { takeOver as bringOver, isTakenOver } from './take-over.ts'

// Every step starts git, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
let folder: string
let hostile: HostileRepository
let work: string
beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-take-over-')))
  hostile = hostileRepository(join(folder, 'repo'))
  const repository = await findRepository(hostile.top)
  if (!repository) throw new Error('There is no repository.')
  mkdirSync(join(folder, 'session'))
  work = join(folder, 'session', 'work')
  await addWorktree({ repository, branch: 'bridle/ws-1', work, isLeftOut: (path) => path.endsWith('.env') })
  // Making the repository may have started some.
  for (const name of hostile.ran()) rmSync(join(`${hostile.top}.ran`, name))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const takeOver = (source: string, workspace: string, ...keep: string[]) =>
  bringOver(source, workspace, { keep, command: (flags) => `bridle apply w${flags}` })

/** As an agent: a repository in the place of a submodule. */
const makeSubmodule = (): void => {
  const sub = join(work, 'sub')
  const git = (...args: string[]) => execFileSync('git', ['-C', sub, ...args], { stdio: 'pipe' })
  const program = join(folder, 'agent.sh')
  writeFileSync(program, `#!/bin/sh\ntouch ${hostile.top}.ran/agent\ncat\n`)
  chmodSync(program, 0o755)
  git('init', '--quiet')
  writeFileSync(join(sub, 'f'), 'one')
  git('add', '.')
  writeFileSync(join(sub, 'f'), 'two')
  writeFileSync(join(sub, '.git/info/attributes'), '* filter=agent\n')
  git('config', 'filter.agent.clean', program)
  git('config', 'core.fsmonitor', program)
  // The commit that the repository names: only then does git look for changes in the submodule, with the settings of the agent.
  writeFileSync(join(sub, '.git/HEAD'), `${'1'.repeat(40)}\n`)
}

test('[C142] neither the repository nor a submodule that the agent made starts a program', async () => {
  writeFileSync(join(work, 'src/a.txt'), 'changed\r\n')
  writeFileSync(join(work, 'new.txt'), 'new\n')
  makeSubmodule()
  expect(await takeOver(hostile.top, work)).toBe(2)
  expect(hostile.ran()).toEqual([])
  expect(readFileSync(join(hostile.top, 'src/a.txt'), 'utf8')).toBe('changed\r\n')
  expect(readFileSync(join(hostile.top, 'new.txt'), 'utf8')).toBe('new\n')
  expect(readFileSync(join(hostile.top, 'src/.env'), 'utf8')).toBe('KEY=committed')
})

longTest('[C330] changes that the folder has are no longer offered', async () => {
  const fabric = {
    workspace: async () => ({ is_compared: true, changes: [{}] }),
    session: async () => ({
      ...{ id: 'w', workspace_kind: 'git_worktree', workspace_source: hostile.top, workspace_path: work },
    }),
  } as unknown as Parameters<typeof changesNote>[0]
  const note = () => changesNote(fabric, { id: 'w', agent: 'a' }, '')
  expect(await isTakenOver(hostile.top, work)).toBe(false)
  writeFileSync(join(work, 'new.txt'), 'new\n')
  expect(await note()).toContain('apply w')
  await takeOver(hostile.top, work)
  expect([await isTakenOver(hostile.top, work), await note()]).toEqual([true, null])
  writeFileSync(join(work, 'new.txt'), 'newer\n')
  expect(await note()).toContain('apply w')
})

/** Another worktree of the repository, as a second session has one. */
const addSession = async (name: string): Promise<string> => {
  const repository = await findRepository(hostile.top)
  if (!repository) throw new Error('There is no repository.')
  mkdirSync(join(folder, name))
  const path = join(folder, name, 'work')
  await addWorktree({ repository, branch: `bridle/${name}`, work: path, isLeftOut: () => false })
  return path
}
const inFolder = (name: string) => readFileSync(join(hostile.top, name), 'utf8')

test('[C349] each apply of a session that goes on brings what changed since the one before', async () => {
  const other = await addSession('other')
  const before = inFolder('src/a.txt')
  const rounds: readonly (readonly [string, string, string | null])[] = [
    ['one\n', 'first\n', 'kept\n'],
    ['one\ntwo\n', 'second\n', 'kept\n'],
    [before, 'third\n', null],
  ]
  for (const [at, [changed, added, passing]] of rounds.entries()) {
    writeFileSync(join(work, 'src/a.txt'), changed)
    writeFileSync(join(work, 'new.txt'), added)
    if (passing === null) rmSync(join(work, 'passing.txt'))
    else writeFileSync(join(work, 'passing.txt'), passing)
    writeFileSync(join(other, `other-${at}.txt`), added)
    expect(await takeOver(hostile.top, work)).toBe(at === 1 ? 2 : 3)
    expect(await takeOver(hostile.top, other)).toBe(1)
    expect([inFolder('src/a.txt'), inFolder('new.txt')]).toEqual([changed, added])
    expect(existsSync(join(hostile.top, 'passing.txt'))).toBe(passing !== null)
    expect(inFolder(`other-${at}.txt`)).toBe(added)
    expect([await isTakenOver(hostile.top, work), await isTakenOver(hostile.top, other)]).toEqual([true, true])
    await expect(takeOver(hostile.top, work)).rejects.toThrow('already')
  }
})

test('[C349] a file that was changed in the folder since is named, and nothing is brought over', async () => {
  writeFileSync(join(work, 'new.txt'), 'first\n')
  writeFileSync(join(work, 'more.txt'), 'first\n')
  await takeOver(hostile.top, work)
  writeFileSync(join(hostile.top, 'new.txt'), 'mine\n')
  // The session left the file as it was, so the one of the person stays.
  writeFileSync(join(work, 'more.txt'), 'second\n')
  expect(await takeOver(hostile.top, work)).toBe(1)
  expect([inFolder('new.txt'), inFolder('more.txt')]).toEqual(['mine\n', 'second\n'])
  writeFileSync(join(work, 'new.txt'), 'second\n')
  writeFileSync(join(work, 'more.txt'), 'third\n')
  expect(await isTakenOver(hostile.top, work)).toBe(false)
  await expect(takeOver(hostile.top, work)).rejects.toThrow(
    [
      'Nothing was changed, since the session and you both changed new.txt. The session has its version in',
      `  ${join(work, 'new.txt')}`,
      'If you want both, merge them by hand first. This leaves yours as it is, and brings over the rest:',
      '  bridle apply w --keep new.txt',
    ].join('\n'),
  )
  expect([inFolder('new.txt'), inFolder('more.txt')]).toEqual(['mine\n', 'second\n'])
  rmSync(join(hostile.top, 'new.txt'))
  mkdirSync(join(hostile.top, 'new.txt/folder'), { recursive: true })
  await expect(takeOver(hostile.top, work)).rejects.toThrow('has something else in the place of new.txt.')
  expect(inFolder('more.txt')).toBe('second\n')
  rmSync(join(hostile.top, 'new.txt'), { recursive: true })
  // Undone in the folder, the changes come again.
  expect(await takeOver(hostile.top, work)).toBe(2)
  expect([inFolder('new.txt'), inFolder('more.txt')]).toEqual(['second\n', 'third\n'])
  expect(hostile.ran()).toEqual([])
})

/** Writes the file; null = removes it. */
const put = (place: string, content: string | Buffer | null) =>
  content === null ? rmSync(place, { force: true }) : writeFileSync(place, content)
const refusalOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'no refusal',
    ({ message }: Error) => message,
  )
const binary = (...bytes: number[]) => Buffer.from([0, 255, ...bytes])

type Content = string | Buffer | null
type KeptCase = [
  name: string,
  file: string,
  before: Content,
  mine: Content,
  rounds: readonly [Content, Content, Content],
]
test.each<KeptCase>(
  // The file before the session, the person's, and those of the session in three rounds.
  variants<KeptCase>(
    [['a file that the session removes', 'more.md', 'one\n', 'mine\n', [null, 'three\n', null]]],
    [
      ['a text', 'more.md', 'one\n', 'mine\n', ['two\n', 'three\n', 'four\n']],
      ['a binary file', 'picture.png', binary(1), binary(9), [binary(2), binary(3), binary(4)]],
      ['a path with a space', "new one's.md", 'one\n', 'mine\n', ['two\n', 'three\n', 'four\n']],
      ['a name that looks like a flag', '-x.md', 'one\n', 'mine\n', ['two\n', 'three\n', 'four\n']],
      ['a new file of both', 'new.md', null, 'mine\n', ['two\n', 'three\n', 'four\n']],
      ['a file that the person removed', 'more.md', 'one\n', null, ['two\n', 'three\n', 'four\n']],
    ],
  ),
)('[C370] %s is kept in three rounds, and the rest comes over', async (_name, file, before, mine, rounds) => {
  const here = join(hostile.top, file)
  writeFileSync(join(hostile.top, '.gitattributes'), '')
  hostile.git('commit', '--quiet', '--all', '-m', 'no filter')
  if (before !== null) {
    put(here, before)
    hostile.git('add', '--', file)
    hostile.git('commit', '--quiet', '-m', 'before')
  }
  const session = await addSession('first')
  const others = [await addSession('second'), await addSession('third')]
  put(here, mine)
  for (const [at, content] of rounds.entries()) {
    put(join(session, file), content)
    writeFileSync(join(session, `rest-${at}.txt`), 'rest\n')
    for (const [which, other] of others.entries()) writeFileSync(join(other, `other-${which}-${at}.txt`), 'other\n')
    const refusal = await refusalOf(takeOver(hostile.top, session))
    expect(refusal).toContain(`since the session and you both changed ${file}. `)
    expect(refusal).toContain(content === null ? 'The session removed it.' : `\n  ${join(session, file)}\n`)
    const flag = { "new one's.md": "--keep 'new one'\\''s.md'", '-x.md': '--keep=-x.md' }[file] ?? `--keep ${file}`
    expect(refusal.endsWith(`\n  bridle apply w ${flag}`)).toBe(true)
    expect([existsSync(join(hostile.top, `rest-${at}.txt`)), await isTakenOver(hostile.top, session)]).toEqual([
      false,
      false,
    ])
    for (const other of others) expect(await takeOver(hostile.top, other)).toBe(1)
    expect(await takeOver(hostile.top, session, file)).toBe(1)
    expect([existsSync(here), inFolder(`rest-${at}.txt`)]).toEqual([mine !== null, 'rest\n'])
    if (mine !== null) expect(readFileSync(here)).toEqual(Buffer.from(mine))
    expect(await isTakenOver(hostile.top, session)).toBe(true)
    // The kept file counts as applied: neither a further apply nor a commit makes it a conflict again.
    hostile.git('add', '--all')
    hostile.git('commit', '--quiet', '-m', `round ${at}`)
    await expect(takeOver(hostile.top, session)).rejects.toThrow('already')
  }
})

test('[C370] keeping every file is enough, and so is keeping one that nobody else changed', async () => {
  writeFileSync(join(work, 'src/a.txt'), 'session\n')
  writeFileSync(join(work, 'new.txt'), 'session\n')
  expect(await takeOver(hostile.top, work, 'src/a.txt', 'new.txt')).toBe(0)
  expect([inFolder('src/a.txt'), existsSync(join(hostile.top, 'new.txt'))]).toEqual(['committed\r\n', false])
  expect(await refusalOf(takeOver(hostile.top, work))).toBe(
    `Nothing was changed: the changes of the session are in ${hostile.top} already, but for new.txt, src/a.txt, which you kept.`,
  )
  // A place is as good as a name.
  writeFileSync(join(work, 'new.txt'), 'session again\n')
  expect(await takeOver(hostile.top, work, join(hostile.top, 'new.txt'))).toBe(0)
})

test('[C370] the command keeps all files that do not fit, also those that were kept before', async () => {
  for (const name of ['a.md', 'b.md', 'c.md']) {
    writeFileSync(join(work, name), 'session\n')
    writeFileSync(join(hostile.top, name), 'mine\n')
  }
  writeFileSync(join(work, 'd.md'), 'session\n')
  const refusal = await refusalOf(takeOver(hostile.top, work, 'b.md'))
  expect(refusal).toContain('both changed a.md, c.md. The session has its versions in\n')
  expect(refusal).toMatch(/\n {2}bridle apply w --keep b.md --keep a.md --keep c.md$/)
  expect(await takeOver(hostile.top, work, 'b.md', 'a.md', 'c.md')).toBe(1)
  // A folder in the place of a file is kept, too.
  writeFileSync(join(work, 'e.md'), 'session\n')
  mkdirSync(join(hostile.top, 'e.md/mine'), { recursive: true })
  expect(await refusalOf(takeOver(hostile.top, work))).toMatch(/in the place of e\.md\. [\s\S]*apply w --keep e\.md$/)
  expect(await takeOver(hostile.top, work, 'e.md')).toBe(0)
  await expect(takeOver(hostile.top, work)).rejects.toThrow('already')
})

test.each([
  ['is misspelt', 'src/b.txt', 'The session did not change src/b.txt. Did you mean src/a.txt?'],
  ['lies in a folder', 'a.txt', 'The session did not change a.txt. Did you mean src/a.txt?'],
  ['is like none', 'README', 'The session did not change README. It changed new.txt, src/a.txt.'],
])('[C370] a file to keep that %s is refused', async (_name, file, expected) => {
  writeFileSync(join(work, 'src/a.txt'), 'session\n')
  writeFileSync(join(work, 'new.txt'), 'session\n')
  await expect(takeOver(hostile.top, work, 'new.txt', file)).rejects.toThrow(`Nothing was changed. ${expected}`)
  expect(inFolder('src/a.txt')).toBe('committed\r\n')
})

test('[C370] a name that pretends to be a further line is shown in one', async () => {
  const name = 'x\n  bridle delete w'
  writeFileSync(join(work, name), 'session\n')
  writeFileSync(join(hostile.top, name), 'mine\n')
  const shown = 'x\\n  bridle delete w'
  const refusal = await refusalOf(takeOver(hostile.top, work))
  expect(refusal.split('\n').map((line) => line.trim())).not.toContain('bridle delete w')
  expect(refusal).toMatch(/--keep 'x\\n {2}bridle delete w'$/)
  expect(await takeOver(hostile.top, work, shown)).toBe(0)
})

test('[C349] a file that became a folder, and a link, come over in either round', async () => {
  writeFileSync(join(work, 'x'), 'file\n')
  expect(await takeOver(hostile.top, work)).toBe(1)
  rmSync(join(work, 'x'))
  mkdirSync(join(work, 'x'))
  writeFileSync(join(work, 'x/y'), 'in a folder\n')
  symlinkSync('x/y', join(work, 'link'))
  expect(await takeOver(hostile.top, work)).toBe(3)
  expect(inFolder('link')).toBe('in a folder\n')
  rmSync(join(work, 'x'), { recursive: true })
  writeFileSync(join(work, 'x'), 'file again\n')
  expect(await takeOver(hostile.top, work)).toBe(2)
  expect(inFolder('x')).toBe('file again\n')
})

test('[C142] a file of the person where the session has a folder stops the apply before anything is written', async () => {
  mkdirSync(join(work, 'docs/deep'), { recursive: true })
  writeFileSync(join(work, 'docs/deep/new.txt'), 'new\n')
  writeFileSync(join(work, 'before.txt'), 'new\n')
  writeFileSync(join(hostile.top, 'docs'), 'mine\n')
  await expect(takeOver(hostile.top, work)).rejects.toThrow('has something else in the place of docs/deep/new.txt.')
  expect([existsSync(join(hostile.top, 'before.txt')), inFolder('docs')]).toEqual([false, 'mine\n'])
  rmSync(join(hostile.top, 'docs'))
  expect(await takeOver(hostile.top, work)).toBe(2)
  // The other way round: the folder becomes a file, and the person has another file in the folder.
  rmSync(join(work, 'docs'), { recursive: true })
  writeFileSync(join(work, 'docs'), 'a file\n')
  writeFileSync(join(hostile.top, 'docs/mine.txt'), 'mine\n')
  await expect(takeOver(hostile.top, work)).rejects.toThrow('has something else in the place of docs.')
  expect([inFolder('docs/mine.txt'), inFolder('docs/deep/new.txt')]).toEqual(['mine\n', 'new\n'])
  rmSync(join(hostile.top, 'docs/mine.txt'))
  expect(await takeOver(hostile.top, work)).toBe(2)
  expect(inFolder('docs')).toBe('a file\n')
})

test.each([
  ['.GIT/hooks/pre-commit', '#!/bin/sh\n', '.GIT'],
  ['src/.Git /config', '[core]\n', 'src/.Git '],
  ['src/.git\u200b', 'gitdir: /\n', 'src/.git\u200b'],
  ['.gitmodules', '[submodule "s"]\n\tpath = s\n\turl = x\n\tupdate = !touch /tmp/x\n', '.gitmodules'],
])('[C142] a file that git refuses is named in a sentence: %s', async (name, text, named) => {
  mkdirSync(dirname(join(work, name)), { recursive: true })
  writeFileSync(join(work, name), text)
  writeFileSync(join(work, 'new.txt'), 'new\n')
  const error = await takeOver(hostile.top, work).then(
    () => null,
    (reason: Error) => reason,
  )
  // Where git has no objection, the file comes over like any other.
  if (error === null) return expect(existsSync(join(hostile.top, 'new.txt'))).toBe(true)
  expect(error.message).toMatch(
    /^Nothing was changed, since git refuses this file of the session: .*\. Remove it and apply again:\n/,
  )
  expect(error.message.split('\n').at(-1)).toBe(`  ${escapeInvisible(join(work, named))}`)
  expect(error.message).not.toMatch(/Command failed|core\.hooksPath/)
  rmSync(join(work, named), { recursive: true })
  expect(await takeOver(hostile.top, work)).toBe(1)
})

test('[C375] what a server would load comes over with --with-settings alone, or is left out', async () => {
  const loaded = [
    'agents/x.ts',
    '.env',
    'bridle.config.ts',
    'deep/.bridle/secret',
    'package.json',
    'src/.fabricharness/agents/y.ts',
  ]
  mkdirSync(join(hostile.top, 'agents'))
  for (const file of [...loaded, 'new.txt']) {
    mkdirSync(dirname(join(work, file)), { recursive: true })
    writeFileSync(join(work, file), '{"dependencies": {"bridle": "1"}}\n')
  }
  writeFileSync(join(hostile.top, 'bridle.config.mjs'), '')
  const error = await takeOver(hostile.top, work).then(
    () => null,
    (reason: Error) => reason,
  )
  expect(error?.message).toMatch(
    /would load what the session changed: \.env, agents\/x\.ts, .*1 more\. Look at it first\./,
  )
  expect(error?.message).toContain('\n  bridle apply w --with-settings')
  expect(error?.message).toContain(join(work, 'agents/x.ts'))
  expect(existsSync(join(hostile.top, 'new.txt'))).toBe(false)
  const keep = error?.message.split('\n').at(-1) ?? ''
  for (const file of loaded) expect(keep).toContain(` --keep ${file}`)
  expect(await takeOver(hostile.top, work, ...loaded)).toBe(1)
  expect(existsSync(join(hostile.top, 'agents/x.ts'))).toBe(false)
})

test('[C375] with the flag all of it comes over', async () => {
  mkdirSync(join(work, 'agents'))
  for (const file of ['.env', 'agents/x.ts', 'new.txt']) writeFileSync(join(work, file), 'A=1\n')
  writeFileSync(join(hostile.top, 'bridle.config.mjs'), '')
  expect(await bringOver(hostile.top, work, { keep: [], withSettings: true, command: () => '' })).toBe(3)
  expect(readFileSync(join(hostile.top, '.env'), 'utf8')).toBe('A=1\n')
})

test('[C375] in a repository without a project, its packages come over like other files', async () => {
  writeFileSync(join(work, 'package.json'), '{}\n')
  mkdirSync(join(work, 'src/agents'))
  writeFileSync(join(work, 'src/agents/a.py'), '')
  expect(await takeOver(hostile.top, work)).toBe(2)
})

test('[C142] line ends of the folder are kept as its owner set them', async () => {
  hostile.git('config', 'core.autocrlf', 'true')
  writeFileSync(join(hostile.top, '.gitattributes'), '')
  writeFileSync(join(hostile.top, 'b.txt'), 'one\r\ntwo\r\n')
  hostile.git('add', 'b.txt', '.gitattributes')
  hostile.git('commit', '--quiet', '-m', 'two')
  const other = await addSession('other')
  expect(readFileSync(join(other, 'b.txt'), 'utf8')).toBe('one\ntwo\n')
  writeFileSync(join(other, 'b.txt'), 'one\n2\n')
  expect(await takeOver(hostile.top, other)).toBe(1)
  expect(inFolder('b.txt')).toBe('one\r\n2\r\n')
  writeFileSync(join(other, 'b.txt'), 'one\n2\n3\n')
  expect(await takeOver(hostile.top, other)).toBe(1)
  expect(inFolder('b.txt')).toBe('one\r\n2\r\n3\r\n')
})

test('[C142] a change of the same length, made as soon as the worktree was there, comes over later, too', async () => {
  const other = await addSession('quick')
  writeFileSync(join(other, 'src/a.txt'), 'COMMITTED\r\n')
  // Git compares times by the second.
  await setTimeout(1_100)
  expect(await takeOver(hostile.top, other)).toBe(1)
  expect(inFolder('src/a.txt')).toBe('COMMITTED\r\n')
})
