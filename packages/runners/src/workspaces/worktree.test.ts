import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { git } from './git.ts'
import { hostileRepository } from './hostile-repository.suite.ts'
import { addWorktree, findRepository, freeBranch, removeWorktree } from './worktree.ts'

let folder: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-worktree-')))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const branch = 'bridle/ws-1'
/** As the server makes it. */
const added = async (top: string, name = 'session') => {
  const repository = await findRepository(top)
  if (!repository) throw new Error('There is no repository.')
  await freeBranch(repository.gitDir, branch)
  mkdirSync(join(folder, name))
  const work = join(folder, name, 'work')
  const shown = await addWorktree({ repository, branch, work, isLeftOut: (path) => path === 'src/.env' })
  return { work, shown, gitDir: repository.gitDir }
}

describe('[O25] a worktree of a repository that names programs', () => {
  test('is made and removed, and none of them is started', async () => {
    const { top, ran } = hostileRepository(join(folder, 'repository'))
    // Making the repository may have started some.
    for (const name of ran()) rmSync(join(`${top}.ran`, name))
    const { work, shown, gitDir } = await added(top)
    expect(ran()).toEqual([])
    expect(readFileSync(join(work, 'src/a.txt'), 'utf8')).toBe('committed\r\n')
    expect(readlinkSync(join(work, 'out'))).toBe('/etc/passwd')
    expect(readdirSync(join(work, 'sub'))).toEqual([])
    expect(existsSync(join(gitDir, 'refs/heads', branch))).toBe(true)
    // The settings of the repository are not shown to the sandbox, nor a copy of them.
    const own = shown.at(-1) ?? ''
    expect(readdirSync(own).sort()).toEqual(expect.arrayContaining(['HEAD', 'commondir', 'gitdir', 'index']))
    expect(readdirSync(own)).not.toContain('config.worktree')
    expect(shown).not.toContain(join(gitDir, 'config'))
    rmSync(work, { recursive: true })
    await removeWorktree(gitDir, work, branch)
    expect(ran()).toEqual([])
    expect([existsSync(own), existsSync(join(gitDir, 'refs/heads', branch))]).toEqual([false, false])
  })

  test('is not made with objects that a program would have to fetch', async () => {
    const { top, git: asOperator, ran } = hostileRepository(join(folder, 'repository'))
    const blob = asOperator('rev-parse', 'HEAD:src/a.txt').trim()
    rmSync(join(top, '.git/objects', blob.slice(0, 2), blob.slice(2)))
    asOperator('config', 'extensions.partialClone', 'evil')
    asOperator('config', 'remote.evil.promisor', 'true')
    asOperator('config', 'remote.evil.url', `ext::sh -c "touch ${top}.ran/transport"`)
    asOperator('config', 'remote.evil.uploadpack', `touch ${top}.ran/uploadpack;`)
    for (const name of ran()) rmSync(join(`${top}.ran`, name))
    await expect(added(top)).rejects.toThrow()
    for (const url of [`ext::sh -c "touch ${top}.ran/transport"`, `file://${top}`]) {
      asOperator('config', 'remote.evil.url', url)
      await expect(git(['--git-dir', join(top, '.git'), 'cat-file', '-p', blob], { cwd: top })).rejects.toThrow()
    }
    expect(ran()).toEqual([])
  })
})

test('[O25] git starts no transport, no hook and no file system monitor, whatever it is asked', async () => {
  const { top, ran, git: asOperator } = hostileRepository(join(folder, 'repository'))
  asOperator('config', 'remote.evil.uploadpack', `touch ${top}.ran/uploadpack;`)
  for (const name of ran()) rmSync(join(`${top}.ran`, name))
  const inRepository = (...args: string[]) => git(args, { cwd: top, env: { GIT_DIR: join(top, '.git') } })
  for (const url of [`file://${top}`, top, 'host:path', `ext::sh -c "touch ${top}.ran/transport"`]) {
    asOperator('config', 'remote.evil.url', url)
    await expect(inRepository('ls-remote', 'evil')).rejects.toThrow(/not allowed/)
  }
  // Filters are a matter of which git folder is used, so they are off here.
  const unfiltered = ['process=', 'clean=', 'required=false'].flatMap((setting) => ['-c', `filter.evil.${setting}`])
  await inRepository(...unfiltered, 'ls-files', '--modified')
  await inRepository('update-ref', 'refs/heads/other', 'HEAD')
  await inRepository('read-tree', 'HEAD')
  expect(ran()).toEqual([])
})

describe('[O25] a worktree', () => {
  test('leaves files out that git takes for unchanged', async () => {
    const { top } = hostileRepository(join(folder, 'repository'))
    const { work, shown } = await added(top)
    expect(existsSync(join(work, 'src/.env'))).toBe(false)
    const call = { cwd: work, env: { GIT_DIR: shown.at(-1) ?? '', GIT_WORK_TREE: work } } as const
    expect((await git(['ls-files', '-v', 'src'], call)).toString()).toBe('S src/.env\nH src/a.txt\n')
    expect((await git(['diff-index', '--cached', 'HEAD'], call)).toString()).toBe('')
  })

  test('has the branch of one whose data folder was removed, and no branch of one that is there', async () => {
    const { top } = hostileRepository(join(folder, 'repository'))
    await added(top, 'gone')
    await added(top, 'there').then(
      () => expect.unreachable(),
      (error: Error) =>
        expect(error).toMatchObject({ code: 'branch_in_use', message: expect.stringContaining(branch) }),
    )
    rmSync(join(folder, 'gone'), { recursive: true })
    const { work, gitDir } = await added(top, 'next')
    expect(readFileSync(join(work, 'src/a.txt'), 'utf8')).toBe('committed\r\n')
    expect(readdirSync(join(gitDir, 'worktrees'))).toHaveLength(1)
  })

  test('of each of three sessions is removed without the others', async () => {
    const { top, git: asOperator } = hostileRepository(join(folder, 'repository'))
    const repository = await findRepository(top)
    if (!repository) throw new Error('There is no repository.')
    const works = ['a', 'b', 'c'].map((name) => join(folder, name, 'work'))
    for (const [index, work] of works.entries()) {
      mkdirSync(join(work, '..'))
      await addWorktree({ repository, branch: `bridle/ws-${index}`, work, isLeftOut: () => false })
    }
    // The operator's own worktree is gone for now, on a disk that is not there say. Its entry is not ours to remove.
    asOperator(
      '-c',
      'core.hooksPath=/dev/null',
      '-c',
      'filter.evil.required=false',
      'worktree',
      'add',
      '-f',
      '--no-checkout',
      '--detach',
      join(folder, 'own'),
    )
    rmSync(join(folder, 'own'), { recursive: true })
    rmSync(works[1] ?? '', { recursive: true })
    await removeWorktree(repository.gitDir, works[1] ?? '', 'bridle/ws-1')
    expect(readdirSync(join(repository.gitDir, 'worktrees'))).toHaveLength(3)
    expect(asOperator('branch', '--list', 'bridle/*', '--format=%(refname:short)').trim().split('\n')).toEqual([
      'bridle/ws-0',
      'bridle/ws-2',
    ])
  })

  test('is made by a git that knows nothing of the server', async () => {
    process.env.CANARY_KEY = 'secret'
    process.env.GIT_DIR = '/nowhere'
    try {
      const shown = await git(['-c', 'alias.env=!env', 'env'], { cwd: folder })
      const names = shown
        .toString()
        .split('\n')
        .map((line) => line.split('=')[0] ?? '')
      expect(names).not.toContain('CANARY_KEY')
      expect(shown.toString()).toMatch(/^HOME=\/nonexistent$/m)
      expect(names).not.toContain('GIT_DIR')
    } finally {
      delete process.env.CANARY_KEY
      delete process.env.GIT_DIR
    }
  })
})
