// The tools for files, on a real disk.

import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { planWaves } from '@bridle/agents/loop/calls/waves'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { ConfinedFolder } from './files/confined-folder.ts'
import { RESULT_CHARS_MAX, WRITE_BYTES_MAX } from './files/limits.ts'
import { WorkspaceError } from './files/workspace-error.ts'
import { EDIT_BYTES_MAX } from './tools/edit-file.ts'
import { READ_BYTES_MAX } from './tools/read-file.ts'
import { callTool, TestWorkspace } from './workspace.suite.ts'
import { workspace } from './workspace.ts'

const places: TestWorkspace[] = []
afterEach(() => {
  for (const place of places.splice(0)) place.remove()
})

const folderWith = (files: Readonly<Record<string, string>> = {}): TestWorkspace => {
  const place = new TestWorkspace(files)
  places.push(place)
  return place
}

/** A call of each tool that takes a path. */
const CALLS: readonly (readonly [string, (path: string) => object])[] = [
  ['read_file', (path) => ({ path })],
  ['write_file', (path) => ({ path, text: 'x' })],
  ['edit_file', (path) => ({ path, old_text: 'the', new_text: 'x' })],
  ['list_files', (path) => ({ path })],
  ['search_files', (path) => ({ path, pattern: 'secret' })],
]

describe('[N143] the folder', () => {
  test('is the root, else that of the session; without one the reason is said', async () => {
    const [one, two] = [folderWith({ 'a.txt': 'one' }), folderWith({ 'a.txt': 'two' })]
    const open = async (own?: string, root?: string) => {
      const source = workspace({ shell: false, ...(root !== undefined && { root }) })
      const context = { sessionId: 's', tenant: 't', signal: new AbortController().signal }
      const { tools } = await source.open({ ...context, ...(own !== undefined && { workspace: own }) })
      return callTool(
        tools.find(({ name }) => name === 'read_file'),
        { path: 'a.txt' },
      )
    }
    expect(await Promise.all([open(one.root), open(two.root), open(one.root, two.root)])).toEqual([
      '1\tone',
      '1\ttwo',
      '1\ttwo',
    ])
    await expect(open()).rejects.toMatchObject({
      code: 'no_workspace',
      message: expect.stringContaining('workspace({ root })'),
    })
    await expect(open(undefined, '/')).rejects.toMatchObject({ code: 'invalid_path' })
    await expect(open(join(one.root, 'none'))).rejects.toMatchObject({ code: 'not_found' })
    await expect(open(undefined, './none')).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringMatching(/^There is no folder "\.\/none"\. Make it, or name another one /),
    })
    await expect(open(join(one.root, 'a.txt'))).rejects.toMatchObject({ code: 'not_a_folder' })
  })

  test('to read only, there are no tools that write', async () => {
    const place = folderWith()
    expect([...(await place.tools()).keys()]).toEqual([
      'read_file',
      'list_files',
      'search_files',
      'write_file',
      'edit_file',
    ])
    expect([...(await place.tools({ shell: false, readOnly: true })).keys()]).toEqual([
      'read_file',
      'list_files',
      'search_files',
    ])
  })

  test.each<[object, string]>([
    [{ root: '' }, 'root'],
    [{ shell: true }, 'shell'],
    [{ readOnly: 'yes' }, 'readOnly'],
    [{ readOnly: true, shell: 'unsandboxed' }, 'readOnly'],
    [{ shellMs: 0 }, 'shellMs'],
    [{ searchMs: Number.POSITIVE_INFINITY }, 'searchMs'],
    [{ path: '.' }, '"path" is no setting'],
    [{ approve: 'yes' }, 'approve'],
  ])('%j is refused', (options, named) => {
    expect(() => workspace(options as object)).toThrow(named)
  })
})

describe.each(CALLS)('[N144] %s', (name, input) => {
  test.each<[string, string, string]>([
    ['a name above', '../outside/secret.txt', 'outside'],
    ['a name above, later', 'inner/../../outside/secret.txt', 'outside'],
    ['an absolute path', '/etc/passwd', 'outside'],
    ['a path of Windows', 'C:\\Windows', 'outside'],
    ['a NUL', 'a\0b', 'invalid_path'],
    ['a line end', 'a\nb', 'invalid_path'],
    ['a mark of direction', 'a\u202egpj.exe', 'invalid_path'],
    ['half of a character', 'a\ud800', 'invalid_path'],
    ['a long path', 'a/'.repeat(3_000), 'invalid_path'],
    ['a link out', 'link', 'outside'],
    ['a file behind a link out', 'folder-link/secret.txt', 'outside'],
    ['a new file behind a link out', 'folder-link/new.txt', 'outside'],
    ['a link to nothing', 'nowhere', 'outside'],
    ['a new file behind a link to nothing', 'nowhere/new.txt', 'outside'],
    ['a link to itself', 'circle', 'outside'],
    ["the server's data", '.bridle/secret', 'protected'],
    ['the data of a server further below', 'inner/.bridle/secret', 'protected'],
  ])('refuses %s', async (_what, path, code) => {
    const place = folderWith({ '.bridle/secret': 'the secret', 'inner/a.txt': 'a' })
    symlinkSync(place.secret, join(place.root, 'link'))
    symlinkSync(place.outside, join(place.root, 'folder-link'))
    symlinkSync(join(place.outside, 'new'), join(place.root, 'nowhere'))
    symlinkSync('circle', join(place.root, 'circle'))
    expect(await place.call(name, input(path))).toBe(code)
    expect(readdirSync(place.outside)).toEqual(['secret.txt'])
    expect(place.read('../outside/secret.txt')).toBe('the secret\n')
  })
})

describe('[N144] links', () => {
  test('inside of the workspace are followed, and two names of a file are one thing', async () => {
    const place = folderWith({ 'real/a.txt': 'the a' })
    symlinkSync('real', join(place.root, 'folder'))
    expect(await place.call('write_file', { path: 'folder/a.txt', text: 'b' })).toMatchObject({ created: false })
    expect(place.read('real/a.txt')).toBe('b')
    const { resources } = (await place.tools()).get('write_file') ?? {}
    expect(resources?.({ path: 'folder/a.txt' })).toEqual(resources?.({ path: 'real/a.txt' }))
    expect(lstatSync(join(place.root, 'folder')).isSymbolicLink()).toBe(true)
  })

  test('that appear after the check lead nowhere', () => {
    const place = folderWith({ 'inner/secret.txt': 'mine' })
    const folder = new ConfinedFolder(place.root)
    const [file, inner] = [folder.placeOf('inner/secret.txt'), folder.placeOf('inner')]
    rmSync(join(place.root, 'inner'), { recursive: true })
    symlinkSync(place.outside, join(place.root, 'inner'))
    const used = vi.fn()
    for (const makes of [false, true]) expect(() => folder.around(file, used, { makes })).toThrow(WorkspaceError)
    expect(() => folder.inFolder(inner, used)).toThrow(WorkspaceError)
    expect(used).not.toHaveBeenCalled()
  })

  test('that come and go during calls show nothing of the outside and write nothing there', async () => {
    const place = folderWith({ 'inner/secret.txt': 'mine\n' })
    const [inner, kept] = [join(place.root, 'inner'), join(place.root, 'kept')]
    const swap = () => {
      if (existsSync(kept)) {
        unlinkSync(inner)
        renameSync(kept, inner)
      } else {
        renameSync(inner, kept)
        symlinkSync(place.outside, inner)
      }
    }
    const answers: unknown[] = []
    for (let round = 0; round < 60; round++) {
      const calls = [
        place.call('read_file', { path: 'inner/secret.txt' }),
        place.call('write_file', { path: 'inner/new.txt', text: 'x' }),
        place.call('edit_file', { path: 'inner/secret.txt', old_text: 'the', new_text: 'my' }),
      ]
      for (let times = 0; times <= round % 3; times++) {
        swap()
        await new Promise((resolve) => setImmediate(resolve))
      }
      answers.push(...(await Promise.all(calls)))
    }
    expect(JSON.stringify(answers)).not.toContain('the secret')
    expect(readdirSync(place.outside)).toEqual(['secret.txt'])
    expect(place.read('../outside/secret.txt')).toBe('the secret\n')
  })
})

describe('[N145] read_file', () => {
  test('numbers the lines, and says where to go on', async () => {
    const place = folderWith({ 'a.txt': 'one\r\ntwo\n\nfour', 'empty.txt': '', 'end.txt': 'a\nb\n' })
    expect(await place.call('read_file', { path: 'a.txt' })).toBe('1\tone\n2\ttwo\n3\t\n4\tfour')
    expect(await place.call('read_file', { path: 'a.txt', offset: 2, limit: 1 })).toBe(
      '2\ttwo\n(The file goes on: continue with offset 3.)',
    )
    expect(await place.call('read_file', { path: './a.txt', offset: 4, limit: 1 })).toBe('4\tfour')
    expect(await place.call('read_file', { path: 'a.txt', offset: 9 })).toBe('(The file has 4 lines.)')
    expect(await place.call('read_file', { path: 'end.txt', limit: 2 })).toBe('1\ta\n2\tb')
    expect(await place.call('read_file', { path: 'empty.txt' })).toBe('(The file is empty.)')
    expect(await place.call('read_file', { path: 'none.txt' })).toBe('not_found')
    expect(await place.call('read_file', { path: '.' })).toBe('not_a_file')
    expect(await place.call('read_file', { path: 'a.txt/b' })).toBe('not_a_folder')
  })

  test('takes any letters, and characters that lie across two reads', async () => {
    const name = 'Übung 練習 🌱 שלום.txt'
    const place = folderWith({ [name]: `${'a'.repeat(65_535)}é\nשלום` })
    expect(await place.call('read_file', { path: name, offset: 2 })).toBe('2\tשלום')
    expect(await place.call('read_file', { path: name, limit: 1 })).toMatch(/^1\ta{1000}… \(64536 more characters\)\n/)
  })

  test('bounds what it shows and what it reads', async () => {
    const place = folderWith({ 'many.txt': 'line\n'.repeat(20_000), 'wide.txt': `${'é'.repeat(100_000)}\nb` })
    const first = String(await place.call('read_file', { path: 'many.txt', limit: 20_000 }))
    expect(first.length).toBeLessThan(RESULT_CHARS_MAX + 200)
    const next = /offset (\d+)/.exec(first)?.[1]
    expect(await place.call('read_file', { path: 'many.txt', offset: Number(next), limit: 1 })).toContain(
      `${next}\tline`,
    )
    expect(String(await place.call('read_file', { path: 'wide.txt' }))).toMatch(/… \(99000 more characters\)\n2\tb$/)
    place.write('huge.txt', Buffer.alloc(READ_BYTES_MAX + 200_000, 'line\n'))
    expect(await place.call('read_file', { path: 'huge.txt', limit: 1 })).toContain('1\tline')
    expect(await place.call('read_file', { path: 'huge.txt', offset: 100_000_000 })).toBe('too_large')
  })

  test('refuses what is not text, and does not wait for pipes and devices', async () => {
    const place = folderWith({ 'image.png': 'PNG\0data' })
    place.write('sparse.bin', '')
    truncateSync(join(place.root, 'sparse.bin'), 2 ** 40)
    execFileSync('mkfifo', [join(place.root, 'pipe')])
    symlinkSync('/dev/zero', join(place.root, 'zero'))
    expect(await place.call('read_file', { path: 'image.png' })).toBe('not_text')
    expect(await place.call('read_file', { path: 'sparse.bin' })).toBe('not_text')
    expect(await place.call('read_file', { path: 'zero' })).toBe('outside')
    for (const [name, input] of CALLS.slice(0, 3))
      expect([name, await place.call(name, input('pipe'))]).toEqual([name, 'not_a_file'])
    expect(await place.call('edit_file', { path: 'sparse.bin', old_text: 'a', new_text: 'b' })).toBe('too_large')
    expect(await place.call('search_files', { pattern: 'PNG' })).toBe(
      '(1 files or folders were passed over. Nothing was found.)',
    )
    expect(await place.call('search_files', { path: 'pipe', pattern: 'PNG' })).toBe('not_a_folder')
    expect(statSync(join(place.root, 'pipe')).isFIFO()).toBe(true)
  })
})

describe('[N146] write_file', () => {
  test('makes folders, replaces whole files, keeps their mode, and leaves nothing else', async () => {
    const place = folderWith({ 'run.sh': 'old' })
    chmodSync(join(place.root, 'run.sh'), 0o755)
    linkSync(join(place.root, 'run.sh'), join(place.outside, 'same'))
    expect(await place.call('write_file', { path: 'a/b/c.txt', text: 'é' })).toEqual({
      path: 'a/b/c.txt',
      bytes: 2,
      created: true,
    })
    expect(await place.call('write_file', { path: 'run.sh', text: 'new' })).toMatchObject({ created: false })
    expect([place.read('a/b/c.txt'), place.read('run.sh')]).toEqual(['é', 'new'])
    expect(statSync(join(place.root, 'run.sh')).mode & 0o777).toBe(0o755)
    // A file that has another name outside is replaced, not written.
    expect(place.read('../outside/same')).toBe('old')
    expect(readdirSync(place.root, { recursive: true }).sort()).toEqual(['a', 'a/b', 'a/b/c.txt', 'run.sh'])
    const { uid, gid } = statSync(place.root)
    expect(['a', 'a/b', 'a/b/c.txt'].map((path) => statSync(join(place.root, path)))).toEqual(
      Array(3).fill(expect.objectContaining({ uid, gid })),
    )
  })

  test('refuses what is too large, a folder, and git', async () => {
    const place = folderWith({ 'inner/a.txt': 'a', '.git/config': 'c' })
    expect(await place.call('write_file', { path: 'b.txt', text: 'x'.repeat(WRITE_BYTES_MAX + 1) })).toBe('too_large')
    expect(await place.call('write_file', { path: 'inner', text: 'x' })).toBe('not_a_file')
    expect(await place.call('write_file', { path: '.', text: 'x' })).toBe('not_a_file')
    expect(await place.call('write_file', { path: 'inner/a.txt/b', text: 'x' })).toBe('not_a_folder')
    expect(await place.call('write_file', { path: `inner/${'n'.repeat(300)}`, text: 'x' })).toBe('invalid_path')
    for (const path of [
      '.git/hooks/pre-commit',
      'inner/.GIT/config',
      '.git',
      '.g\u200cit/config',
      '.git./x',
      'GIT~1/x',
    ])
      expect(await place.call('write_file', { path, text: 'x' })).toBe('protected')
    expect(await place.call('edit_file', { path: '.git/config', old_text: 'c', new_text: 'd' })).toBe('protected')
    expect(readdirSync(place.root).sort()).toEqual(['.git', 'inner'])
  })

  test('calls at the same time write each their file, and a cancelled one writes nothing', async () => {
    const place = folderWith()
    const tool = (await place.tools()).get('write_file')
    const paths = ['deep/er/a.txt', 'deep/er/b.txt', 'deep/c.txt']
    await Promise.all(paths.map((path) => callTool(tool, { path, text: path })))
    expect(paths.map((path) => place.read(path))).toEqual(paths)
    await expect(callTool(tool, { path: 'late.txt', text: 'x' }, AbortSignal.abort())).rejects.toThrow()
    expect(existsSync(join(place.root, 'late.txt'))).toBe(false)
  })
})

describe('[N147] edit_file', () => {
  test('replaces the one place, or all; says how many there are', async () => {
    const place = folderWith({ 'a.txt': '\ufeffone two two', 'windows.txt': 'a\r\nb\r\nc\r\n' })
    const edit = (old_text: string, new_text: string, more = {}) =>
      place.call('edit_file', { path: 'a.txt', old_text, new_text, ...more })
    expect(await edit('one', '1')).toEqual({ path: 'a.txt', changed: true, places: 1 })
    expect(await edit('one', '1')).toEqual({ path: 'a.txt', changed: false, note: 'The new text is there already.' })
    expect(await edit('two', '2')).toBe('many_matches')
    await expect(
      callTool((await place.tools()).get('edit_file'), { path: 'a.txt', old_text: 'two', new_text: '2' }),
    ).rejects.toThrow('old_text is 2 times in "a.txt"')
    expect(await edit('two', '2', { all: true })).toMatchObject({ places: 2 })
    expect(await edit('three', '3')).toBe('no_match')
    expect(await edit('', 'x')).toBe('no_match')
    expect(await edit('2', '2')).toBe('no_match')
    expect(place.read('a.txt')).toBe('\ufeff1 2 2')
    await place.call('edit_file', { path: 'windows.txt', old_text: 'a\nb\n', new_text: 'a\nB\n' })
    expect(place.read('windows.txt')).toBe('a\r\nB\r\nc\r\n')
  })

  test('refuses a file that it could not write back as it was', async () => {
    const place = folderWith({ 'a.txt': 'a' })
    place.write('latin.txt', Buffer.from([0x61, 0xe9, 0x62]))
    place.write('large.txt', Buffer.alloc(EDIT_BYTES_MAX + 1, 'ab\n'))
    expect(await place.call('edit_file', { path: 'latin.txt', old_text: 'a', new_text: 'x' })).toBe('not_text')
    expect(await place.call('edit_file', { path: 'large.txt', old_text: 'a', new_text: 'x' })).toBe('too_large')
    const input = { path: 'a.txt', old_text: 'a', new_text: 'x'.repeat(WRITE_BYTES_MAX + 1) }
    expect(await place.call('edit_file', input)).toBe('too_large')
    expect(await place.call('edit_file', { path: 'none.txt', old_text: 'a', new_text: 'x' })).toBe('not_found')
  })
})

test('[N145] [N146] [N147] [N148] a file or folder that the system does not permit is a reason, not an accident', async () => {
  const place = folderWith({ 'a.txt': 'the a' })
  for (const path of ['closed.txt', 'closed/b.txt']) place.write(path, 'the secret')
  const closed = ['closed.txt', 'closed'].map((path) => join(place.root, path))
  for (const path of closed) chmodSync(path, 0)
  const user = statSync(place.root)
  // Root may read everything; the test becomes the owner of the folder meanwhile.
  const isRoot = process.getuid?.() === 0
  if (isRoot) process.seteuid?.(user.uid)
  try {
    for (const [name, input] of CALLS.slice(0, 3)) {
      expect([name, await place.call(name, input('closed/b.txt'))]).toEqual([name, 'permission_denied'])
      expect([name, await place.call(name, input('closed.txt'))]).toEqual([name, 'permission_denied'])
    }
    expect(await place.call('list_files', { path: 'closed' })).toBe('permission_denied')
    expect(await place.call('search_files', { pattern: 'the' })).toBe(
      'a.txt:1: the a\n(2 files or folders were passed over.)',
    )
  } finally {
    if (isRoot) process.seteuid?.(0)
    for (const path of closed) chmodSync(path, 0o700)
  }
  expect(place.read('closed.txt')).toBe('the secret')
})

describe('[N148] list_files', () => {
  test('shows a folder, or the files that fit a pattern', async () => {
    const place = folderWith({
      'src/a.ts': '',
      'src/deep/b.test.ts': '',
      'readme.md': '',
      'node_modules/x/index.ts': '',
      '.git/config': '',
      '.bridle/data': '',
      'src/.bridle/data.ts': '',
      'bad\u202ename.ts': '',
    })
    symlinkSync(place.outside, join(place.root, 'out'))
    expect(await place.call('list_files', {})).toBe(
      '.git/\nnode_modules/\nout (link)\nreadme.md\nsrc/\n(1 files or folders were passed over.)',
    )
    expect(await place.call('list_files', { path: 'src', glob: '*.ts' })).toBe('src/a.ts\nsrc/deep/b.test.ts')
    expect(await place.call('list_files', { path: 'src', glob: 'deep/**' })).toBe('src/deep/b.test.ts')
    expect(await place.call('list_files', { glob: 'src/*.{ts,js}' })).toContain('src/a.ts')
    expect(await place.call('list_files', { path: 'node_modules', glob: '*' })).toBe('node_modules/x/index.ts')
    expect(await place.call('list_files', { glob: '*.py' })).toContain('Nothing was found.')
    expect(await place.call('list_files', { path: 'readme.md' })).toBe('not_a_folder')
    expect(await place.call('list_files', { path: 'none' })).toBe('not_found')
  })

  test('shows a part of many, and ends with a pattern that explodes', async () => {
    const place = folderWith()
    mkdirSync(join(place.root, 'many'))
    for (let number = 0; number < 700; number++) place.write(`many/${number}.txt`, '')
    const list = String(await place.call('list_files', { path: 'many' }))
    expect(list.split('\n')).toHaveLength(501)
    expect(list).toMatch(/\(There is more\. .*\)$/)
    const explodes = { glob: `${'{a,b}'.repeat(100)}*.txt` }
    expect(await place.call('list_files', explodes, { shell: false, searchMs: 300 })).toMatch(
      /^failed$|Nothing was found/,
    )
  })
})

describe('[N149] search_files', () => {
  test('finds lines by expression or text, in a folder or a file', async () => {
    const place = folderWith({
      'src/a.ts': 'const one = f(1)\n  const two = F(2)\n',
      'src/b.md': 'f(1)\n',
      'node_modules/x.ts': 'f(1)',
      'image.png': 'f(1)\0',
    })
    symlinkSync(place.outside, join(place.root, 'out'))
    expect(await place.call('search_files', { pattern: 'f\\(\\d\\)' })).toBe(
      'src/a.ts:1: const one = f(1)\nsrc/b.md:1: f(1)',
    )
    expect(await place.call('search_files', { pattern: 'f(', text: true, ignore_case: true, glob: '*.ts' })).toBe(
      'src/a.ts:1: const one = f(1)\nsrc/a.ts:2: const two = F(2)',
    )
    expect(await place.call('search_files', { pattern: 'two', path: 'src/a.ts' })).toBe('src/a.ts:2: const two = F(2)')
    expect(await place.call('search_files', { pattern: 'secret' })).toBe('(Nothing was found.)')
    expect(await place.call('search_files', { pattern: 'f(' })).toBe('bad_pattern')
  })

  test('bounds matches, lines and time, and an expression that takes for ever holds up nobody', async () => {
    const place = folderWith({ 'many.txt': 'match\n'.repeat(1_000), 'wide.txt': `match ${'x'.repeat(10_000)}` })
    expect(String(await place.call('search_files', { pattern: 'match', path: 'many.txt' })).split('\n')).toHaveLength(
      201,
    )
    expect(String(await place.call('search_files', { pattern: 'match', path: 'wide.txt' })).length).toBeLessThan(400)
    place.write('first.txt', 'aab\n')
    place.write('slow.txt', `${'a'.repeat(60)}!\n`)
    const input = { pattern: '^(a+)+b?$', glob: '*.txt' }
    const searches = Promise.all(
      [1, 2, 3].map(() => place.call('search_files', input, { shell: false, searchMs: 2_500 })),
    )
    expect(await place.call('read_file', { path: 'first.txt' })).toBe('1\taab')
    expect(await searches).toEqual(
      Array(3).fill('first.txt:1: aab\n(The time of 2500 ms was over before everything was looked at.)'),
    )
  })

  test('ends with its call', async () => {
    const place = folderWith({ 'slow.txt': `${'a'.repeat(60)}!\n` })
    const tool = (await place.tools()).get('search_files')
    const call = new AbortController()
    const search = callTool(tool, { pattern: '^(a+)+$' }, call.signal)
    call.abort(new Error('cancelled'))
    await expect(search).rejects.toThrow('cancelled')
  })
})

test('[N150] reads run beside each other; writes beside calls that touch other files', async () => {
  const place = folderWith({ 'a.txt': '', 'b.txt': '' })
  symlinkSync('a.txt', join(place.root, 'same'))
  const tools = await place.tools()
  const member = (name: string, path: string) => {
    const tool = tools.get(name)
    if (!tool) throw new Error(name)
    return { name, path, effect: tool.effect, resources: tool.resources?.({ path }) ?? null }
  }
  const waves = planWaves([
    member('read_file', 'a.txt'),
    member('search_files', '.'),
    member('write_file', 'a.txt'),
    member('edit_file', 'b.txt'),
    member('write_file', 'new/c.txt'),
    member('edit_file', 'same'),
    member('list_files', '.'),
  ])
  expect(waves.map((wave) => wave.map(({ name, path }) => `${name} ${path}`))).toEqual([
    ['read_file a.txt', 'search_files .'],
    ['write_file a.txt', 'edit_file b.txt', 'write_file new/c.txt'],
    ['edit_file same'],
    ['list_files .'],
  ])
  expect(readlinkSync(join(place.root, 'same'))).toBe('a.txt')
})
