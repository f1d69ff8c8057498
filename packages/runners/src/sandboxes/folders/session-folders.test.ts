import { execFileSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SessionFolders } from './session-folders.ts'
import { TenantDiskUsage } from './tenant-disk-usage.ts'

const isRoot = process.getuid?.() === 0
const key = (id: string, tenant = 't') => ({ tenant, agent: 'claude', id })

let data: string
beforeEach(() => {
  data = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-folders-')))
})
afterEach(() => rmSync(data, { recursive: true, force: true }))

describe('[O26] the folder of a branch', () => {
  test('has work and state of its parent and none of its notes', async () => {
    const folders = new SessionFolders(data)
    await folders.prepare(key('parent'), null)
    const parent = folders.folderOf(key('parent'))
    expect(readdirSync(parent).sort()).toEqual(['key.json', 'state', 'work'])
    writeFileSync(join(parent, 'work/a.txt'), 'a')
    writeFileSync(join(parent, 'work/.git'), 'gitdir: /elsewhere')
    writeFileSync(join(parent, 'state/transcript'), 't')
    for (const note of ['workspace.json', 'shown.json', 'spent.json']) writeFileSync(join(parent, note), '["/etc"]')
    execFileSync('mkfifo', [join(parent, 'work/fifo')])
    await folders.prepare(key('child'), key('parent'))
    const child = folders.folderOf(key('child'))
    expect(readdirSync(child).sort()).toEqual(['key.json', 'state', 'work'])
    expect(readdirSync(join(child, 'work'))).toEqual(['a.txt'])
    expect(readFileSync(join(child, 'state/transcript'), 'utf8')).toBe('t')
    expect(JSON.parse(readFileSync(join(child, 'key.json'), 'utf8'))).toEqual(key('child'))
  })

  test.each([undefined, ...(isRoot ? [{ uid: 1000, gid: 1000 }] : [])])(
    '[OH106] has the files of its parent’s prompts, which its engine reads and does not own (%j)',
    async (owner) => {
      const folders = new SessionFolders(data, owner ? { owner } : {})
      await folders.prepare(key('parent'), null)
      const file = 'state-files/file-1/a.txt'
      mkdirSync(join(folders.folderOf(key('parent')), 'state-files/file-1'), { recursive: true, mode: 0o755 })
      writeFileSync(join(folders.folderOf(key('parent')), file), 'a', { mode: 0o644 })
      for (const child of ['one', 'two', 'three']) {
        await folders.prepare(key(child), key('parent'))
        const folder = folders.folderOf(key(child))
        expect(readFileSync(join(folder, file), 'utf8')).toBe('a')
        const facts = ['state-files', 'state-files/file-1', file].map((path) => statSync(join(folder, path)))
        expect(facts.map(({ mode, uid }) => [(mode & 0o777).toString(8), uid])).toEqual(
          ['755', '755', '644'].map((mode) => [mode, process.getuid?.()]),
        )
      }
    },
  )

  test('is not there when it could not be copied', async () => {
    const folders = new SessionFolders(data)
    await folders.prepare(key('parent'), null)
    mkdirSync(join(folders.folderOf(key('parent')), 'work', Array(250).fill('d').join('/')), { recursive: true })
    await expect(folders.prepare(key('child'), key('parent'))).rejects.toThrow(/^The folder is nested deeper than/)
    expect(readdirSync(join(data, 'workspaces'))).toHaveLength(1)
  })
})

describe('[O26] the folders of a tenant', () => {
  const MiB = 1024 ** 2
  const fill = (folder: string, name: string, bytes: number) =>
    writeFileSync(join(folder, 'work', name), Buffer.alloc(bytes, 1))

  test('are copied until they hold what they may together; other tenants are not concerned', async () => {
    let now = 0
    const tenantUsage = new TenantDiskUsage(data, { max: 10 * MiB, now: () => now })
    const folders = new SessionFolders(data, { tenantUsage })
    for (const tenant of ['ta', 'tb', 'tc']) {
      await folders.prepare(key('first', tenant), null)
      fill(folders.folderOf(key('first', tenant)), 'big', tenant === 'tb' ? 4 * MiB : MiB)
    }
    for (const tenant of ['ta', 'tb', 'tc']) await folders.prepare(key('second', tenant), key('first', tenant))
    // A third copy would come to 12 MiB.
    await expect(folders.prepare(key('third', 'tb'), key('first', 'tb'))).rejects.toThrow(
      /^The session folders of this tenant hold .* and may hold .* together\. Delete sessions/,
    )
    for (const tenant of ['ta', 'tc']) await folders.prepare(key('third', tenant), key('first', tenant))
    // A session without a copy is refused once a measurement shows that the limit is reached.
    fill(folders.folderOf(key('second', 'tb')), 'more', 3 * MiB)
    now += 3_600_000
    await expect(tenantUsage.measureRoom('tb')).rejects.toThrow(/^The session folders of this tenant hold/)
    await expect(folders.prepare(key('fourth', 'tb'), null)).rejects.toThrow(/^The session folders of this tenant hold/)
    expect(existsSync(folders.folderOf(key('fourth', 'tb')))).toBe(false)
    await folders.remove(key('second', 'tb'))
    expect(await tenantUsage.measureRoom('tb')).toBeGreaterThan(5 * MiB)
    await folders.prepare(key('fourth', 'tb'), null)
  })

  test('count a file with holes by its blocks', async () => {
    const folders = new SessionFolders(data)
    await folders.prepare(key('a'), null)
    execFileSync('truncate', ['-s', '500G', join(folders.folderOf(key('a')), 'work/sparse')])
    expect(await new TenantDiskUsage(data, { max: 10 * MiB }).measureRoom('t')).toBeGreaterThan(9 * MiB)
  })
})

test.skipIf(!isRoot)(
  '[O26] work and state are given to the user of the sandbox, notes and folder stay the server’s (as root)',
  async () => {
    const owner = { uid: 5301, gid: 5302 }
    const folders = new SessionFolders(data, { owner })
    await folders.prepare(key('a'), null)
    const first = folders.folderOf(key('a'))
    writeFileSync(join(first, 'work/f'), 'x')
    await folders.prepare(key('b'), key('a'))
    for (const folder of [first, folders.folderOf(key('b'))]) {
      expect([lstatSync(folder).uid, statSync(folder).mode & 0o777]).toEqual([0, 0o711])
      const note = statSync(join(folder, 'key.json'))
      expect([note.uid, note.mode & 0o777]).toEqual([0, 0o600])
      for (const name of ['work', 'state']) {
        const { uid, gid, mode } = statSync(join(folder, name))
        expect([name, uid, gid, mode & 0o777]).toEqual([name, 5301, 5302, 0o700])
      }
    }
    expect(statSync(join(folders.folderOf(key('b')), 'work/f')).uid).toBe(5301)
  },
)
