// `bridle run --workspace` and `bridle apply` on a repository, as a person types them.
import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sandboxUser } from '@bridle/runners/sandboxes/isolation/sandbox-user'
import { get, post } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { isThorough, variants } from '../../../../scripts/variants.ts'
import { CliWorkspace, parseJsonRows } from '../cli.suite.ts'

// Every step is a process of its own, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
const entry = new URL('../../../bridle/src/index.ts', import.meta.url).href
let work: CliWorkspace
let repo: string
beforeAll(async () => {
  work = new CliWorkspace()
  repo = join(realpathSync(work.folder), 'repo')
  mkdirSync(join(work.folder, 'agents'))
  mkdirSync(join(repo, 'src'), { recursive: true })
  writeFileSync(
    join(work.folder, 'agents', 'writer.ts'),
    `import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { agent } from '${entry}'
export default agent({
  name: 'writer',
  run: ({ input, workspace }) => {
    appendFileSync(workspace + '/src/a.txt', input.prompt + '\\n')
    writeFileSync(workspace + '/' + input.prompt + '.txt', 'new')
    rmSync(workspace + '/gone.txt', { force: true })
    return workspace
  },
})
`,
  )
  writeFileSync(join(repo, 'src/a.txt'), 'one\n')
  writeFileSync(join(repo, 'gone.txt'), 'old\n')
  git('init', '--quiet')
  git('add', '.')
  git('commit', '--quiet', '-m', 'one')
  await work.boot()
})
afterAll(() => work.remove())

const git = (...args: string[]) =>
  execFileSync('git', ['-C', repo, '-c', 'user.name=n', '-c', 'user.email=e@example.org', ...args], {
    encoding: 'utf8',
    stdio: 'pipe',
  })
const run = (...args: string[]) => work.bridle(['run', 'writer', ...args, '--text'])

test('[C141] [C142] [C349] run works on a branch and says where; apply brings the changes over, or nothing', async () => {
  const first = await run('two', '--id', 'w1', '--workspace', 'repo')
  expect([first.code, first.stderr]).toEqual([0, expect.stringMatching(/Works on branch bridle\/ws-/)])
  expect(first.stderr).toContain('bridle apply w1')
  expect(git('status', '--porcelain')).toBe('')
  const applied = await work.bridle(['apply', 'w1', '--text'])
  expect([applied.code, applied.stdout]).toEqual([0, `3 files changed in ${repo}; see git status.`])
  expect(git('status', '--porcelain').split('\n').toSorted()).toEqual(['', ' D gone.txt', ' M src/a.txt', '?? two.txt'])
  expect(readFileSync(join(repo, 'src/a.txt'), 'utf8')).toBe('one\ntwo\n')
  const again = await work.bridle(['apply', 'w1', '--text'])
  expect([again.code, again.stderr]).toEqual([
    1,
    expect.stringContaining(`Nothing was changed: the changes of the session are in ${repo} already.`),
  ])
  expect(readFileSync(join(repo, 'src/a.txt'), 'utf8')).toBe('one\ntwo\n')
  // The session goes on, and only what is new comes over.
  await run('three', '--id', 'w1', '--workspace', 'repo')
  const more = await work.bridle(['apply', 'w1', '--text'])
  expect([more.code, more.stdout]).toEqual([0, `2 files changed in ${repo}; see git status.`])
  expect(readFileSync(join(repo, 'src/a.txt'), 'utf8')).toBe('one\ntwo\nthree\n')
  git('checkout', '--quiet', '.')
  git('clean', '--quiet', '-f')
})

test('[C142] changes that do not fit change nothing', async () => {
  await run('two', '--id', 'w5', '--workspace', 'repo')
  writeFileSync(join(repo, 'src/a.txt'), 'three\n')
  const conflict = await work.bridle(['apply', 'w5', '--text'])
  const { workspace_path: folder } = (await get(`${work.url}/sessions/w5`)).body
  expect([conflict.code, conflict.stderr]).toEqual([
    1,
    [
      'bridle: Nothing was changed, since the session and you both changed src/a.txt. The session has its version in',
      `  ${folder}/src/a.txt`,
      'If you want both, merge them by hand first. This leaves yours as it is, and brings over the rest:',
      '  bridle apply w5 --keep src/a.txt\n',
    ].join('\n'),
  ])
  expect([readFileSync(join(repo, 'src/a.txt'), 'utf8'), existsSync(join(repo, 'two.txt'))]).toEqual(['three\n', false])
  git('checkout', '--quiet', '.')
  git('clean', '--quiet', '-f')
})

if (isThorough)
  test('[C370] [C347] the command of a refusal keeps the file, and the chat goes on', async () => {
    const again = (prompt: string) => run(prompt, '--id', 'keep-1', '--workspace', 'repo')
    await again('two')
    const flags = ['--agent', 'writer', '--url', work.url, '--data', 'data']
    expect((await work.bridle(['apply', 'keep-1', ...flags, '--text'])).code).toBe(0)
    for (const prompt of ['three', 'four']) {
      await again(prompt)
      writeFileSync(join(repo, 'src/a.txt'), `mine, with ${prompt}\n`)
      // Another agent has a session of the id in the second round.
      if (prompt === 'four') await work.bridle(['run', 'scripted', 'Hello', '--id', 'keep-1'])
      const refused = await work.bridle(['apply', 'keep', ...flags, '--text'])
      const agent = prompt === 'four' ? ['--agent', 'writer'] : []
      const typed = ['apply', 'keep-1', '--keep', 'src/a.txt', ...agent, '--url', work.url, '--data', 'data']
      expect(refused.stderr).toContain(`\n  bridle ${typed.join(' ')}\n`)
      const kept = await work.bridle([...typed, ...(prompt === 'three' ? ['--text'] : [])])
      expect([kept.code, prompt === 'three' ? kept.stdout : parseJsonRows(kept.stdout)]).toEqual([
        0,
        prompt === 'three'
          ? `1 file changed in ${repo}; see git status. Kept as it is there: src/a.txt.`
          : [{ type: 'applied', sessionId: 'keep-1', source: repo, files: 1, kept: ['src/a.txt'] }],
      ])
      expect(readFileSync(join(repo, 'src/a.txt'), 'utf8')).toBe(`mine, with ${prompt}\n`)
      expect(readFileSync(join(repo, `${prompt}.txt`), 'utf8')).toBe('new')
    }
    const unknown = await work.bridle(['apply', 'keep-1', '--keep', 'a.txt', '--agent', 'writer', '--text'])
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      'bridle: Nothing was changed. The session did not change a.txt. Did you mean src/a.txt?\n',
    ])
    git('checkout', '--quiet', '.')
    git('clean', '--quiet', '-f')
  })

test('[C141] a run that changed nothing says nothing of changes', async () => {
  const idle = await work.bridle(['run', 'scripted', 'Hello', '--id', 'w2', '--workspace', 'repo', '--text'])
  expect([idle.code, idle.stderr]).toEqual([0, expect.stringContaining('Works on branch')])
  expect(idle.stderr).not.toContain('apply')
})

test('[C330] a chat that changed files on a branch ends with the command that brings them over', async () => {
  const chat = (...more: string[]) =>
    work.bridle(['chat', 'writer', '--workspace', 'repo', ...more], { input: 'three\n' })
  const ended = await chat('--id', 'c1')
  expect([ended.code, ended.stderr]).toEqual([0, expect.stringContaining('bridle apply c1')])
  expect((await chat('--id', 'c2', '--json')).stderr).toBe('')
  // Nothing was changed, so there is nothing to bring over.
  const idle = await work.bridle(['chat', 'scripted', '--workspace', 'repo', '--id', 'c3'], { input: 'Hello\n' })
  expect([idle.code, idle.stderr]).toEqual([0, expect.not.stringContaining('apply')])
})

if (isThorough)
  test('[C142] an agent’s own .git is not obeyed by apply', async () => {
    const { stdout } = await run('evil', '--id', 'w4', '--workspace', 'repo', '--json')
    const { workspace_path: path } = (await get(`${work.url}/sessions/w4`)).body
    expect(stdout).not.toBe('')
    execFileSync('rm', ['-rf', join(String(path), '.git')])
    mkdirSync(join(String(path), '.git'))
    writeFileSync(join(String(path), '.git/config'), `[core]\n\tfsmonitor = touch ${work.folder}/ran\n`)
    writeFileSync(join(String(path), '.gitattributes'), '* filter=evil\n')
    const { code } = await work.bridle(['apply', 'w4'])
    expect([code, existsSync(join(work.folder, 'ran'))]).toEqual([0, false])
    git('checkout', '--quiet', '.')
    git('clean', '--quiet', '-f')
  })

if (isThorough)
  test('[C141] in place it changes the folder itself', async () => {
    const user = sandboxUser()
    if (user) chownSync(join(work.folder, 'repo'), user.uid, user.gid)
    const { code, stderr } = await run('here', '--id', 'w3', '--workspace', 'repo', '--workspace-mode', 'in-place')
    expect([code, stderr]).toEqual([0, expect.stringContaining(`Works in ${repo} itself`)])
    expect(existsSync(join(repo, 'here.txt'))).toBe(true)
    if (user) chownSync(join(work.folder, 'repo'), 0, 0)
    const { code: refused, stderr: why } = await work.bridle(['apply', 'w3'])
    expect([refused, why]).toEqual([1, expect.stringContaining('itself')])
    git('checkout', '--quiet', '.')
    git('clean', '--quiet', '-f')
  })

test('[C141] [C150] with no server the command starts one, which knows its user; apply takes the beginning of an id', async () => {
  const env = await work.unnamed()
  const asked = ['run', 'writer', 'alone', '--id', 'own', '--workspace', 'repo', '--data', 'own', '--json']
  const { code, stdout } = await work.bridle(asked, { env })
  expect([code, parseJsonRows(stdout).at(-1)]).toMatchObject([0, { status: 'completed' }])
  const applied = await work.bridle(['apply', 'ow', '--data', 'own', '--json'], { env })
  expect(parseJsonRows(applied.stdout)).toEqual([{ type: 'applied', sessionId: 'own', source: repo, files: 3 }])
  git('checkout', '--quiet', '.')
  git('clean', '--quiet', '-f')
})

test('[C142] where another server has the port, apply says which one it asked, and how to look in this folder', async () => {
  const env = await work.unnamed()
  await work.bridle(['run', 'scripted', 'Hello', '--id', 'kept', '--data', 'kept', '--json'], { env })
  const away = await work.bridle(['apply', 'kept', '--data', 'kept', '--text'])
  expect([away.code, away.stderr]).toEqual([
    1,
    `bridle: There is no session kept on the server at ${work.url}. Try bridle sessions, or name another server with --url. ` +
      'No server has the sessions in kept now. To look there, start one: bridle start --port 4318 --data kept, then bridle apply kept --data kept\n',
  ])
  // The data folder of the server that was asked has no more to show.
  const nobody = await work.bridle(['apply', 'nobody', '--data', 'data', '--text'])
  expect(nobody.stderr).toMatch(/There is no session nobody .* with --url\.\n$/)
})

if (isThorough)
  test('[C371] with no server, a session that is not there is missed in the data folder, with those that are there', async () => {
    const env = await work.unnamed()
    const refusalOf = async (...args: string[]) => {
      const { code, stderr } = await work.bridle([...args, '--data', 'few'], { env })
      return [code, stderr.split('\n').at(-2)]
    }
    const other = 'Name another data folder with --data, or a server with --url.'
    expect(await refusalOf('apply', 'fix')).toEqual([
      1,
      `bridle: There is no session fix in the data folder few. It has no sessions. ${other}`,
    ])
    await work.bridle(['run', 'scripted', 'Hello', '--id', 'fix', '--data', 'few'], { env })
    await work.bridle(['run', 'scripted', 'Hello', '--id', 'tests', '--data', 'few'], { env })
    const near = 'bridle: There is no session fxi in the data folder few. Did you mean fix?'
    expect(await refusalOf('apply', 'fxi')).toEqual([1, near])
    expect(await refusalOf('chat', '--id', 'fxi')).toEqual([1, near])
    expect(await refusalOf('apply', 'something')).toEqual([
      1,
      `bridle: There is no session something in the data folder few. It has tests, fix. ${other}`,
    ])
  })

describe('[C141] a folder that cannot be had', () => {
  const cases = variants<[string, string[], RegExp]>(
    [['is outside of what the server allows', ['--workspace', '/usr'], /Start a server in your folder/]],
    [
      ['is not there', ['--workspace', 'nowhere'], /there is no folder/],
      ['is a file', ['--workspace', 'repo/gone.txt'], /is no folder/],
      ['is not that of the session', ['--workspace', 'agents', '--id', 'w1'], /exists with another workspace/],
    ],
  )
  test.each(cases)('%s', async (_name, args, message) => {
    const { code, stderr } = await run('x', ...args)
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)])
  })
})

test('[H116] kill -9 with three chats: each goes on in its folder, and goes with its session', async () => {
  const ids = ['k1', 'k2', 'k3']
  const pathOf = async (id: string) => String((await get(`${work.url}/sessions/${id}`)).body.workspace_path)
  const ask = (id: string, prompt: string) =>
    post(`${work.url}/agents/writer/${id}?workspace=${encodeURIComponent(repo)}`, { prompt })
  await Promise.all(ids.map((id) => ask(id, `${id}-first`)))
  const before = await Promise.all(ids.map(pathOf))
  await work.kill()
  await work.boot()
  await Promise.all(ids.map((id) => ask(id, `${id}-second`)))
  expect(await Promise.all(ids.map(pathOf))).toEqual(before)
  for (const [index, id] of ids.entries())
    expect(readFileSync(join(before[index] ?? '', 'src/a.txt'), 'utf8')).toBe(`one\n${id}-first\n${id}-second\n`)
  const branches = () => git('branch', '--list', 'bridle/*').trim().split('\n').length
  const count = branches()
  await fetch(`${work.url}/agents/writer/k2`, { method: 'DELETE' })
  await expect.poll(() => before.map((path) => existsSync(path))).toEqual([true, false, true])
  await expect.poll(branches).toBe(count - 1)
})
